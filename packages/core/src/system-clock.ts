import type { Clock } from './clock.ts';
import { abortError } from './errors.ts';

/** The machine's own clock. */
export const systemClock: Clock = {
  nowMs: () => Date.now(),
  monotonicMs: () => performance.now(),
  sleep: (delayMs, signal) =>
    new Promise((resolve, reject) => {
      if (signal?.aborted === true) return reject(abortError(signal));
      const onAbort = (): void => {
        clearTimeout(timer);
        if (signal !== undefined) reject(abortError(signal));
      };
      const timer = setTimeout(() => {
        signal?.removeEventListener('abort', onAbort);
        resolve();
      }, delayMs);
      signal?.addEventListener('abort', onAbort, { once: true });
    }),
};

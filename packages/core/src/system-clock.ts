import type { Clock } from './clock.ts';
import { abortError } from './errors.ts';

/** The longest delay that a timer supports, some 25 days; longer delays would fire immediately. */
const timerDelayMaxMs = 2_147_483_647;

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
      const startTimer = (leftMs: number): ReturnType<typeof setTimeout> => {
        const stepMs = Math.min(leftMs, timerDelayMaxMs);
        return setTimeout(() => {
          if (leftMs > stepMs) {
            timer = startTimer(leftMs - stepMs);
            return;
          }
          signal?.removeEventListener('abort', onAbort);
          resolve();
        }, stepMs);
      };
      let timer = startTimer(delayMs);
      signal?.addEventListener('abort', onAbort, { once: true });
    }),
};

import { QuireError } from '@quire/core';
import type { Environment } from './environment.ts';

export interface Interrupt extends Disposable {
  readonly signal: AbortSignal;
}

/** Returns a signal that Ctrl-C, or a request to terminate, aborts until disposed. */
export function abortOnInterrupt(environment: Environment): Interrupt {
  const aborter = new AbortController();
  const listening = environment.onSignal(['SIGINT', 'SIGTERM'], () => {
    aborter.abort(new QuireError('ABORTED', 'Cancelled.'));
  });
  return { signal: aborter.signal, [Symbol.dispose]: () => listening[Symbol.dispose]() };
}

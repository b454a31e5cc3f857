import { abortError, type Clock } from '@quire/core';
import type { Scheduler } from './scheduler.ts';

/** The maximum drift of a machine's clock, as a fraction of the time: 8.6 s a day. */
export const clockDriftMax = 1e-4;

/** The deviation of a machine's clock from true time. */
export interface ClockFault {
  /** Added to wall-clock time; may change while the machine runs. */
  offsetMs: number;
  /** Seconds of this clock in a true second. */
  readonly rate: number;
}

/**
 * One process of the simulated cluster, from its start until it is killed. Whatever reaches it
 * afterwards is lost: its timers do not fire, its calls are not answered.
 */
export class SimulatedProcess {
  readonly name: string;
  readonly clock: Clock;
  readonly scheduler: Scheduler;
  #isAlive = true;
  /** Runs when it is killed, to drop the state that Node itself holds. */
  readonly #onKilled: (() => void)[] = [];

  constructor(name: string, scheduler: Scheduler, clockFault: ClockFault) {
    this.name = name;
    this.scheduler = scheduler;
    this.clock = new ProcessClock(this, clockFault);
  }

  get isAlive(): boolean {
    return this.#isAlive;
  }

  onKilled(run: () => void): void {
    this.#onKilled.push(run);
  }

  kill(): void {
    this.#isAlive = false;
    for (const run of this.#onKilled.splice(0)) run();
  }

  /** Resolves after simulated time; never, if the process has been killed by then. */
  pause(delayMs: number): Promise<void> {
    return new Promise((resolve) => {
      this.scheduler.after(delayMs, () => {
        if (this.#isAlive) resolve();
      });
    });
  }
}

const startMs = Date.UTC(2026, 0, 1);

class ProcessClock implements Clock {
  readonly #process: SimulatedProcess;
  readonly #fault: ClockFault;

  constructor(process: SimulatedProcess, fault: ClockFault) {
    this.#process = process;
    this.#fault = fault;
  }

  nowMs(): number {
    return Math.floor(startMs + this.monotonicMs() + this.#fault.offsetMs);
  }

  monotonicMs(): number {
    return this.#process.scheduler.nowMs * this.#fault.rate;
  }

  sleep(delayMs: number, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      if (signal?.aborted === true) return reject(abortError(signal));
      const event = this.#process.scheduler.after(delayMs / this.#fault.rate, () => {
        signal?.removeEventListener('abort', onAbort);
        if (this.#process.isAlive) resolve();
      });
      const onAbort = (): void => {
        event.cancel();
        if (signal !== undefined) reject(abortError(signal));
      };
      signal?.addEventListener('abort', onAbort, { once: true });
    });
  }
}

/** The wall-clock time of a perfect clock. */
export function trueTimeMs(scheduler: Scheduler): number {
  return startMs + scheduler.nowMs;
}

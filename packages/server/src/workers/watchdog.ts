import { Worker } from 'node:worker_threads';

export interface WatchdogData {
  readonly parentPid: number;
  readonly memoryMaxBytes: number;
  /** Where the watchdog says why it ends the process: `memory`. */
  readonly lastWordsFd: number;
  /** One 32-bit integer: 1 while there is work. */
  readonly isBusy: SharedArrayBuffer;
}

/**
 * Starts the thread that ends this process when its parent is gone or its memory exceeds the limit.
 */
export class Watchdog {
  readonly #busy = new Int32Array(new SharedArrayBuffer(4));

  constructor(options: Omit<WatchdogData, 'isBusy'>) {
    // Beside this file, and in the same form: source or built.
    const isSource = import.meta.url.endsWith('.ts');
    const script = new URL(
      isSource ? './watchdog-thread.ts' : './watchdog-thread.js',
      import.meta.url,
    );
    const workerData: WatchdogData = { ...options, isBusy: this.#busy.buffer };
    const limits = { maxYoungGenerationSizeMb: 1, maxOldGenerationSizeMb: 16, stackSizeMb: 1 };
    new Worker(script, { workerData, execArgv: [], resourceLimits: limits }).unref();
  }

  /** While there is work, it looks often. */
  setBusy(isBusy: boolean): void {
    Atomics.store(this.#busy, 0, isBusy ? 1 : 0);
    Atomics.notify(this.#busy, 0);
  }
}

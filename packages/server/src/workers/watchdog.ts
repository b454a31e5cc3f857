import { Worker } from 'node:worker_threads';

/** The file descriptor on which the watchdog says why it ends the process. */
export const lastWordsFd = 4;

/** What the process that starts a worker tells its watchdog. */
export interface WatchdogArguments {
  readonly parentPid: number;
  /** Resident memory that the process may have. */
  readonly memoryMaxBytes: number;
}

/** What the thread of a watchdog is started with. */
export interface WatchdogData extends WatchdogArguments {
  /** Where the watchdog says why it ends the process: `memory`. */
  readonly lastWordsFd: number;
  /** One 32-bit integer: 1 while there is work. */
  readonly isBusy: SharedArrayBuffer;
}

/** Returns the arguments of a worker's command line, after Node and the script. */
export function writeWatchdogArguments({ parentPid, memoryMaxBytes }: WatchdogArguments): string[] {
  return [String(parentPid), String(memoryMaxBytes)];
}

/** Reads what `writeWatchdogArguments` wrote, of a whole `argv`. */
export function readWatchdogArguments(argv: readonly string[]): WatchdogArguments {
  return { parentPid: Number(argv[2]), memoryMaxBytes: Number(argv[3]) };
}

/**
 * Starts the thread that ends this process when its parent is gone or its memory exceeds the limit.
 */
export class Watchdog {
  readonly #busy = new Int32Array(new SharedArrayBuffer(4));

  constructor(options: WatchdogArguments) {
    // Beside this file, and in the same form: source or built.
    const isSource = import.meta.url.endsWith('.ts');
    const script = new URL(
      isSource ? './watchdog-thread.ts' : './watchdog-thread.js',
      import.meta.url,
    );
    const workerData: WatchdogData = { ...options, lastWordsFd, isBusy: this.#busy.buffer };
    const limits = { maxYoungGenerationSizeMb: 1, maxOldGenerationSizeMb: 16, stackSizeMb: 1 };
    new Worker(script, { workerData, execArgv: [], resourceLimits: limits }).unref();
  }

  /** Has it look often while there is work. */
  setBusy(isBusy: boolean): void {
    Atomics.store(this.#busy, 0, isBusy ? 1 : 0);
    Atomics.notify(this.#busy, 0);
  }
}

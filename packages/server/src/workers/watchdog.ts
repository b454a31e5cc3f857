import { Worker } from 'node:worker_threads';

/** The file descriptor to which the watchdog writes its reason for ending the process. */
export const exitReasonFd = 4;

/** The arguments from the process that starts a worker to its watchdog. */
export interface WatchdogArguments {
  readonly parentPid: number;
  /** The maximum resident memory of the process. */
  readonly memoryMaxBytes: number;
}

/** The data that the watchdog's thread is started with. */
export interface WatchdogData extends WatchdogArguments {
  /** The file descriptor for the reason to end the process: `memory`. */
  readonly exitReasonFd: number;
  /** One 32-bit integer: 1 while there is work. */
  readonly isBusy: SharedArrayBuffer;
}

/** Returns the arguments of a worker's command line, after Node and the script. */
export function writeWatchdogArguments({ parentPid, memoryMaxBytes }: WatchdogArguments): string[] {
  return [String(parentPid), String(memoryMaxBytes)];
}

/** Parses the arguments of `writeWatchdogArguments` in a whole `argv`. */
export function readWatchdogArguments(argv: readonly string[]): WatchdogArguments {
  return { parentPid: Number(argv[2]), memoryMaxBytes: Number(argv[3]) };
}

/**
 * Starts the thread that ends this process when its parent has ended or its memory exceeds the
 * limit.
 */
export class Watchdog {
  readonly #busy = new Int32Array(new SharedArrayBuffer(4));

  constructor(options: WatchdogArguments) {
    // As `moduleBeside`, which would load more before the watch begins.
    const isSource = import.meta.url.endsWith('.ts');
    const script = new URL(
      isSource ? './watchdog-thread.ts' : './watchdog-thread.js',
      import.meta.url,
    );
    const workerData: WatchdogData = { ...options, exitReasonFd, isBusy: this.#busy.buffer };
    const limits = { maxYoungGenerationSizeMb: 1, maxOldGenerationSizeMb: 16, stackSizeMb: 1 };
    new Worker(script, { workerData, execArgv: [], resourceLimits: limits }).unref();
  }

  /** Increases the frequency of checks while there is work. */
  setBusy(isBusy: boolean): void {
    Atomics.store(this.#busy, 0, isBusy ? 1 : 0);
    Atomics.notify(this.#busy, 0);
  }
}

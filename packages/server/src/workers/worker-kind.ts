import { MiB } from '@quire/core';
import type { Settings } from '@quire/settings';

/**
 * A kind of work in separate processes, which isolates its effects on time, memory and the stack of
 * native code.
 *
 * The module is loaded by the server and by each process: dependencies of the process alone are
 * loaded by `open`.
 */
export interface WorkerKind<Setup, Input, Output> {
  /** The name of a piece of work in messages: `query`. */
  readonly name: string;
  /** URL of the module that exports this object as `workerKind`. */
  readonly module: string;
  /** Returns the limits of a pool of these processes. */
  limits(settings: Settings): WorkerLimits;
  /** Returns the data for opening processes, which structured clone can transfer. */
  setup(settings: Settings): Setup;
  /**
   * Opens the common dependencies of all work in a process, once.
   *
   * @throws QuireErrors, which the caller receives
   */
  open(setup: Setup, host: WorkerHost): Promise<WorkRunner<Input, Output>>;
}

/** The number of processes in a pool, and the limits of each. */
export interface WorkerLimits {
  /** The maximum number of processes; further work waits. */
  readonly sizeMax: number;
  /** The number of idle processes that are kept ready. */
  readonly sizeMin: number;
  /** The time after which an idle process above `sizeMin` is stopped. */
  readonly idleMs: number;
  /** The time between cancelling work and killing its process. */
  readonly killGraceMs: number;
  readonly memory: MemoryLimit;
  /** Node flags for these processes, such as `--max-old-space-size=256`. */
  readonly nodeFlags: readonly string[];
  /** Threads of libuv's pool. */
  readonly threadPoolSize: number;
  /** Environment variables of these processes, unless this process has them already. */
  readonly variables?: Readonly<Record<string, string>> | undefined;
}

/** A limit on the resident memory of one process, and its setting, for messages. */
export interface MemoryLimit {
  readonly maxBytes: number;
  readonly setting: string;
}

/**
 * Returns Node flags that limit the heap of a process. By default Node lets a limited heap grow
 * only a little between two full collections, which then take a tenth to half of the time: these
 * flags let it double.
 */
export function heapFlags(memoryBytesMax: number): string[] {
  return [`--max-old-space-size=${Math.ceil(memoryBytesMax / MiB)}`, '--heap-growing-percent=100'];
}

/** The parent process, as a worker may use it. */
export interface WorkerHost {
  /** The process id of the worker. */
  readonly pid: number;
  /**
   * Calls one of the handlers of the pool, or of `WorkerPool.run`.
   *
   * @throws the error of the handler, if it is a QuireError; otherwise INTERNAL
   */
  readonly call: (name: string, input: unknown) => Promise<unknown>;
}

/** The context of a piece of work. */
export interface WorkContext extends WorkerHost {
  /**
   * Aborted when the work is cancelled. Work that does not end soon after is ended with its
   * process.
   */
  readonly signal: AbortSignal;
}

/** An open process, which runs one piece of work at a time. */
export interface WorkRunner<Input = unknown, Output = unknown> extends AsyncDisposable {
  /** Directories that only this worker uses; the pool removes them if the worker dies first. */
  readonly directories?: readonly string[];
  /**
   * Runs a piece of work. Input and output are transferred by structured clone, so they cannot
   * contain functions.
   */
  run(input: Input, context: WorkContext): Promise<Output>;
}

/** A kind as a process loads it, with any type of work. */
export interface WorkerModule {
  readonly workerKind?: Pick<WorkerKind<unknown, unknown, unknown>, 'open'>;
}

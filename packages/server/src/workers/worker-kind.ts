import { MiB } from '@quire/core';
import type { Settings } from '@quire/settings';

/**
 * A kind of work that is done in processes of its own, so that it costs only itself whatever it
 * does to time, memory or the stack of native code.
 *
 * The module is loaded by the server and by each process: what only the process needs, `open` loads.
 */
export interface WorkerKind<Setup, Input, Output> {
  /** What a piece of work is called in messages: `query`. */
  readonly name: string;
  /** URL of the module that exports this object as `workerKind`. */
  readonly module: string;
  /** Returns the limits of a pool of these processes. */
  limits(settings: Settings): WorkerLimits;
  /** Returns what processes are opened with: data, which structured clone can pass on. */
  setup(settings: Settings): Setup;
  /**
   * Opens once, in a process, what all its pieces of work need.
   *
   * @throws QuireErrors that reach the caller
   */
  open(setup: Setup, host: WorkerHost): Promise<WorkRunner<Input, Output>>;
}

/** How many processes a pool has, and what each of them may take. */
export interface WorkerLimits {
  /** Processes at most; further work waits. */
  readonly sizeMax: number;
  /** Processes that are kept ready though there is no work. */
  readonly sizeMin: number;
  /** How long a process above `sizeMin` may be without work before it is stopped. */
  readonly idleMs: number;
  /** Between cancelling work and killing its process. */
  readonly killGraceMs: number;
  readonly memory: MemoryLimit;
  /** Flags of Node for these processes, such as `--max-old-space-size=256`. */
  readonly nodeFlags: readonly string[];
  /** Threads of libuv's pool. */
  readonly threadPoolSize: number;
}

/** A limit on the resident memory of one process, and its setting, for messages. */
export interface MemoryLimit {
  readonly maxBytes: number;
  readonly setting: string;
}

/**
 * Returns the flags of Node that limit the heap of a process. Node lets a heap with a limit grow by
 * little between two full collections, which then take a tenth to half of the work: it may double.
 */
export function heapFlags(memoryBytesMax: number): string[] {
  return [`--max-old-space-size=${Math.ceil(memoryBytesMax / MiB)}`, '--heap-growing-percent=100'];
}

/** What a worker may use of the process that it works for. */
export interface WorkerHost {
  /** Id of the worker's own process. */
  readonly pid: number;
  /**
   * Calls one of the handlers that the pool, or `WorkerPool.run`, was given.
   *
   * @throws what the handler throws, when that is a QuireError; else INTERNAL
   */
  readonly call: (name: string, input: unknown) => Promise<unknown>;
}

/** What a piece of work has from its process. */
export interface WorkContext extends WorkerHost {
  /**
   * Aborted when the work is no longer wanted. Work that does not end soon after is ended together
   * with its process.
   */
  readonly signal: AbortSignal;
}

/** What an open process does; it is given one piece of work at a time. */
export interface WorkRunner<Input = unknown, Output = unknown> extends AsyncDisposable {
  /**
   * Directories that are this worker's alone; the pool removes them when it dies before it could.
   */
  readonly directories?: readonly string[];
  /** Input and output are passed between processes by structured clone: data, no functions. */
  run(input: Input, context: WorkContext): Promise<Output>;
}

/** A kind as a process loads it, whatever its work is. */
export interface WorkerModule {
  readonly workerKind?: Pick<WorkerKind<unknown, unknown, unknown>, 'open'>;
}

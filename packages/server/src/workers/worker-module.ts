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

/** What a worker does; it is given one piece of work at a time. */
export interface WorkRunner extends AsyncDisposable {
  /**
   * Directories that are this worker's alone; the pool removes them when it dies before it could.
   */
  readonly directories?: readonly string[];
  /** Input and output are passed between processes by structured clone: data, no functions. */
  run(input: unknown, context: WorkContext): Promise<unknown>;
}

/**
 * The export `openWorker` of a module that runs in workers: opens once what all its pieces of work
 * need.
 *
 * @throws QuireErrors that reach the caller
 */
export type OpenWorker = (setup: unknown, host: WorkerHost) => Promise<WorkRunner>;

/** The file descriptor on which a worker's watchdog says why it ends the process. */
export const lastWordsFd = 4;

/** Workers at work give way to the processes that serve pages, whose niceness is 0. */
export const workerNiceness = 5;

export interface WorkerArguments {
  readonly parentPid: number;
  /** Resident memory that the process may have. */
  readonly memoryMaxBytes: number;
}

export function writeWorkerArguments({ parentPid, memoryMaxBytes }: WorkerArguments): string[] {
  return [String(parentPid), String(memoryMaxBytes)];
}

/** @param argv of the process: Node, the script, and what `writeWorkerArguments` wrote */
export function readWorkerArguments(argv: readonly string[]): WorkerArguments {
  return { parentPid: Number(argv[2]), memoryMaxBytes: Number(argv[3]) };
}

/** The requests to the process of a soak. */
export type SoakRequest = { readonly jumpMs: number } | { readonly sample: true };

/** Its answers; the first is sent when everything listens. */
export interface SoakAnswer {
  /** The addresses of broker, proxy and controller. */
  readonly urls?: readonly string[];
  /** The time of the server. */
  readonly nowMs?: number;
  /** Deletions that its log has named since the last jump. */
  readonly removals?: readonly { readonly line: string; readonly atMs: number }[];
  readonly sample?: ProcessSample;
}

/** The resources of a process, after a garbage collection. */
export interface ProcessSample {
  readonly heapBytes: number;
  readonly externalBytes: number;
  /** The resident memory of the process and its workers. */
  readonly residentBytes: number;
  /** Sleeps of the clock that have not ended. */
  readonly timers: number;
  /** Timers, sockets, pipes and requests of Node. */
  readonly handles: number;
  /** Open file descriptors. */
  readonly files: number;
}

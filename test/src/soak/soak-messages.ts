/** What the process of a soak is asked. */
export type SoakRequest = { readonly jumpMs: number } | { readonly sample: true };

/** What it answers; the first answer comes by itself, when everything listens. */
export interface SoakAnswer {
  /** Of broker, proxy and controller. */
  readonly urls?: readonly string[];
  /** The time of the server. */
  readonly nowMs?: number;
  /** Deletions that its log has named since the last jump. */
  readonly removals?: readonly { readonly line: string; readonly atMs: number }[];
  readonly sample?: ProcessSample;
}

/** What a process uses, after its garbage has been collected. */
export interface ProcessSample {
  readonly heapBytes: number;
  readonly externalBytes: number;
  /** Of the process and its workers. */
  readonly residentBytes: number;
  /** Sleeps of the clock that have not ended. */
  readonly timers: number;
  /** Timers, sockets, pipes and requests of Node. */
  readonly handles: number;
  /** Open file descriptors. */
  readonly files: number;
}

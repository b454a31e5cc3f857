import type { Clock, QuireError } from '@quire/core';

/** The options of `PageThreads`. */
export interface PageThreadsOptions {
  /** The maximum number of threads; 0: all pages are encoded in the main thread. */
  readonly countMax: number;
  /** The time without work after which threads end. Default: one minute. */
  readonly idleMs?: number;
  readonly clock?: Clock;
  /** The module of the threads; default: that of this package. */
  readonly script?: URL;
  /** Called when a thread has ended without a request. */
  readonly onDied?: (error: QuireError) => void;
}

/** The numbers of threads and of their parts. */
export interface PageThreadsStatus {
  readonly count: number;
  /** The number of threads that are encoding. */
  readonly busyCount: number;
  /** The number of parts of pages that were given to a thread. */
  readonly partCount: number;
  /** The number of pages and parts that the main thread encoded because all threads were busy. */
  readonly refusedCount: number;
  readonly diedCount: number;
  /** The memory of pages in progress, in bytes. */
  readonly leasedBytes: number;
}

import type { CallOptions, Clock, ObjectStore, Random, RequestId } from '@quire/core';
import type { Compression } from './arrow/buffer-codec.ts';
import type { ProgressTarget } from './progress-event.ts';
import type { ResultAdmission } from './result-admission.ts';
import type { PageThreads } from './threads/page-threads.ts';

/** The store, lifetime and format of the results of a `ResultStore`. */
export interface ResultStoreOptions {
  readonly store: ObjectStore;
  /** The name of this broker's part of the store: letters, digits, `_`, `.`, `-`. */
  readonly brokerId: string;
  /** The lifetime of a result after it was stored, in milliseconds. */
  readonly expirationMs: number;
  /** The maximum lifetime that a renewal may set, in milliseconds from now. */
  readonly expirationMaxMs: number;
  /**
   * True if other brokers have results in the same store: `open`, `delete` and `renew` then work
   * for those as well. Lists, usage and expiry are limited to this broker's own. Default: no.
   */
  readonly isShared?: boolean;
  readonly clock?: Clock;
  readonly random?: Random;
  /**
   * Secret key of the owner tags in request ids (`ownerTag`): the same for all brokers and cleaners
   * of a store. Default: empty.
   */
  readonly ownerTagKey?: string | undefined;
  /** The compression of new results. Default: none. */
  readonly compression?: Compression;
  /** The size of the cache for batches in demand; default 8 MiB. */
  readonly cacheBytesMax?: number;
  /**
   * True if pages are read ahead for readers that walk through a result, for remote stores.
   * Default: no.
   */
  readonly isReadingAhead?: boolean;
  /** The target size of a batch before compression; default 256 KiB, more for very wide results. */
  readonly batchSizeBytes?: number;
  /** The maximum size of one result; default: 0, which means no limit, like Infinity. */
  readonly resultBytesMax?: number;
  /**
   * The time in milliseconds for which removals and renewals by other processes may go unnoticed:
   * another broker of a shared store, a separate cleaner, a manual deletion. Cached commit records
   * are checked again when they were last seen longer ago. Default: 5,000.
   */
  readonly stalenessMaxMs?: number;
  /**
   * The directory for the unlinked files of growing results; default: the system's directory for
   * temporary files.
   */
  readonly tempDirectory?: string | undefined;
  /** The threads that encode large pages; the caller closes them. Default: none. */
  readonly pageThreads?: PageThreads | undefined;
  /** Decides whether there is space for a result; default: always. */
  readonly admission?: ResultAdmission;
}

/** The options of a new result. */
export interface NewResult extends CallOptions {
  /** Name of the principal that runs the query. */
  readonly owner: string;
  /**
   * The text of the query, for the owner's list of results. Only its first 8,192 characters are
   * stored; default: none.
   */
  readonly sql?: string | undefined;
  /**
   * An id from `ResultStore.newRequestId`, so that the result counts as its owner's; default: a new
   * one.
   */
  readonly requestId?: RequestId;
  /** Its lifetime; default: `ResultStoreOptions.expirationMs`. */
  readonly expirationMs?: number | undefined;
  /** The target of `ResultStore.grow`, which shows the rows while they are written. */
  readonly growth?: ProgressTarget | undefined;
}

/** The caller for whom a result is opened, renewed or deleted. */
export interface OpenOptions extends CallOptions {
  /**
   * Returns true if the caller may know of a result of this owner; undefined represents a removed
   * or damaged result whose owner is no longer known.
   *
   * For other callers the result does not exist: they get the error for an unknown id after the
   * same requests to the store, so that the response time reveals nothing. Default: everyone may.
   */
  readonly mayRead?: ((owner: string | undefined) => boolean) | undefined;
}

import type { CallOptions, Clock, ObjectStore, Random, RequestId } from '@quire/core';
import type { Compression } from './arrow/buffer-codec.ts';
import type { ProgressTarget } from './progress-event.ts';
import type { ResultAdmission } from './result-admission.ts';

/** What a `ResultStore` keeps results in, for how long, and how. */
export interface ResultStoreOptions {
  readonly store: ObjectStore;
  /** Names the part of the store that is ours: letters, digits, `_`, `.`, `-`. */
  readonly brokerId: string;
  /** How long a result lives after it was stored, in milliseconds. */
  readonly expirationMs: number;
  /** The longest that a renewal may give, in milliseconds from now. */
  readonly expirationMaxMs: number;
  /**
   * Whether other brokers keep results in the same store: then `open`, `delete` and `renew` work
   * for theirs as well. Lists, usage and expiry stay with our own. Default: no.
   */
  readonly isShared?: boolean;
  readonly clock?: Clock;
  readonly random?: Random;
  /**
   * Secret key of the owner tags in request ids (`ownerTag`): the same for all brokers and cleaners
   * of a store. Default: empty.
   */
  readonly ownerTagKey?: string | undefined;
  /** Default: none. */
  readonly compression?: Compression;
  /** Bytes of batches in demand kept in memory; default 8 MiB. */
  readonly cacheBytesMax?: number;
  /**
   * Whether a page is read before it is asked for, by those who walk through a result: for stores
   * that are far away. Default: no.
   */
  readonly isReadingAhead?: boolean;
  /**
   * Bytes that a batch aims at, before compression; default 256 KiB, more for very wide results.
   */
  readonly batchSizeBytes?: number;
  /** Bytes that one result may have; default 0: no limit, as Infinity. */
  readonly resultBytesMax?: number;
  /**
   * How long, in milliseconds, what somebody else removes or renews may go unnoticed here: another
   * broker of a shared store, a cleaner of its own, no matter who deletes objects. Commit records
   * at hand are looked up again when they were last seen longer ago. Default: 5,000.
   */
  readonly stalenessMaxMs?: number;
  /**
   * Where results are read from while they grow, as files without a name; default: the system's
   * directory for temporary files.
   */
  readonly tempDirectory?: string | undefined;
  /** Has the last word on whether there is room for a result; default: there is. */
  readonly admission?: ResultAdmission;
}

/** What a result is created with. */
export interface NewResult extends CallOptions {
  /** Name of the principal that runs the query. */
  readonly owner: string;
  /**
   * One that `ResultStore.newRequestId` made, so that the result counts as its owner's; default: a
   * new one.
   */
  readonly requestId?: RequestId;
  /** How long it lives; default: as `ResultStoreOptions.expirationMs` says. */
  readonly expirationMs?: number | undefined;
  /** Made by `ResultStore.grow`: shows the rows while they are written. */
  readonly growth?: ProgressTarget | undefined;
}

/** On whose behalf a result is opened, renewed or deleted. */
export interface OpenOptions extends CallOptions {
  /**
   * Whether the caller may know of a result of this owner; undefined: of a result that was removed
   * or damaged, whose owner is not known any more. To callers who may not, the result does not
   * exist: they get the error for an unknown id, after the same requests to the store, so that the
   * time tells nothing. Default: everyone may.
   */
  readonly mayRead?: ((owner: string | undefined) => boolean) | undefined;
}

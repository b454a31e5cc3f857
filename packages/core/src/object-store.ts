/** A half-open range of bytes `[start, end)` of an object. */
export interface ByteRange {
  readonly start: number;
  readonly end: number;
}

/** The metadata of an object that a store knows without opening it. */
export interface ObjectEntry {
  readonly key: string;
  readonly sizeBytes: number;
  /**
   * A time between the start and the end of the object's `put`, by the store's clock, in epoch
   * milliseconds.
   */
  readonly lastModifiedMs: number;
}

/**
 * Options of every call. An aborted call rejects with ABORTED, or with the QuireError given as the
 * reason, and does no further I/O. The body of a `get` and the iteration of a `list` are parts of
 * their calls. A call that can no longer be undone completes instead.
 */
export interface CallOptions {
  readonly signal?: AbortSignal | undefined;
}

/** Options of `ObjectStore.get`. */
export interface GetOptions extends CallOptions {
  readonly range?: ByteRange | undefined;
  /**
   * Lends memory to a store that would otherwise allocate memory to read into. Other stores ignore
   * it.
   */
  readonly memory?: ReadMemory | undefined;
}

/**
 * Lends memory to read into. A chunk that was read into it belongs to the lender again as soon as
 * it is yielded. A store requests memory while a chunk is pulled, at most once for each, and yields
 * the chunk in that memory or fails. It does not read ahead into it.
 */
export interface ReadMemory {
  /**
   * Returns between one and `sizeBytes` bytes at an address that is a multiple of 8, with any
   * content.
   */
  lend(sizeBytes: number): Uint8Array;
}

/** Options of `ObjectStore.delete`. */
export interface DeleteOptions extends CallOptions {
  /**
   * True if a power failure must not restore the object. By default it may, because a caller that
   * deletes thousands of objects would wait for the disk at each of them. Stores whose deletions
   * are always durable ignore it.
   */
  readonly isDurable?: boolean | undefined;
}

/** Options of `ObjectStore.list`. */
export interface ListOptions extends CallOptions {
  /** Lists only keys that sort after this one. */
  readonly after?: string | undefined;
  /**
   * Returns true if the store may skip a folder (a key prefix that ends with a slash) because the
   * caller knows its content.
   *
   * A store may call it for any folder, in any order, but before it yields the keys after the
   * folder. It may also never call it and yield everything.
   */
  readonly skipsFolder?: ((folder: string) => boolean) | undefined;
}

/**
 * An object opened for reading.
 *
 * Iterate `body` once, to its end or until you leave the loop; both release all resources. A caller
 * that never iterates disposes instead; disposing is always safe, at any time and repeatedly. A
 * caller may pause between two chunks for any time: an open body that is not being read does not
 * block other calls.
 */
export interface ObjectBody extends AsyncDisposable {
  /** Size of the whole object, regardless of the range. */
  readonly sizeBytes: number;
  /**
   * The requested bytes, in chunks of the store's choosing, none empty.
   *
   * A chunk may be retained: the store never changes its bytes. It may be the store's own memory
   * and must not be written to, unless it is memory from `GetOptions.memory`.
   *
   * @throws INTERNAL at a second iteration, and at one after disposal
   */
  readonly body: AsyncIterable<Uint8Array>;
}

/**
 * The port to object storage: memory, local files, a bucket.
 *
 * `assertObjectKey` defines the keys; every call with another key throws INVALID_OBJECT_KEY before
 * any I/O. No key should be below another, as `a/b` is below `a`: a store may refuse to put the
 * second one, with INVALID_OBJECT_KEY.
 *
 * All failures of a store are QuireErrors that name the key and the store. STORE_UNAVAILABLE and
 * STORE_TIMED_OUT may be retried, the others may not.
 *
 * Disposing a store twice has no further effect, and later calls throw SHUTTING_DOWN. Disposal does
 * not wait for calls. Open bodies stay readable. A put in progress rejects with SHUTTING_DOWN at
 * the next step of its source at the latest, and leaves nothing behind.
 *
 * Every sentence here has a case in the conformance suite (`@quire/core/conformance`), which all
 * stores pass, bare and wrapped. Optional capabilities are separate interfaces in
 * `store-capabilities.ts`.
 */
export interface ObjectStore extends AsyncDisposable {
  /**
   * The location of the objects as a URI, for display: `memory:`, `file:///var/lib/quire`,
   * `s3://bucket/prefix`.
   */
  readonly location: string;

  /**
   * Returns the metadata of one object.
   *
   * @throws OBJECT_NOT_FOUND when it does not exist
   */
  head(key: string, options?: CallOptions): Promise<ObjectEntry>;

  /**
   * Opens an object.
   *
   * With a range, it yields exactly those bytes, or the call or the iteration throws; never more,
   * fewer or other bytes. An object that is deleted or replaced while it is read yields the bytes
   * of the object that was opened, or throws.
   *
   * @throws OBJECT_NOT_FOUND when it does not exist
   * @throws OBJECT_SHORT_READ when the object does not hold the whole range, or ends before its own
   *   size
   * @throws INVALID_PARAMETER when the range is empty, negative or not made of safe integers
   */
  get(key: string, options?: GetOptions): Promise<ObjectBody>;

  /**
   * Stores an object durably and atomically, replacing an older one with that key.
   *
   * No reader ever sees a part of it, or sees it before its source has ended. If the promise
   * rejects, the old object stays and nothing is left behind. After STORE_UNAVAILABLE and
   * STORE_TIMED_OUT, it may be unknown which of the two complete objects exists.
   *
   * The source is pulled with back-pressure, one chunk at a time. A chunk is not used after the
   * next one is pulled, so that a source may reuse its memory. Bytes given directly may be reused
   * once the promise has settled. The source's own error is rethrown unchanged. A started source is
   * closed (its `return`) when the put gives up early.
   *
   * @throws STORE_FULL when it does not fit
   */
  put(
    key: string,
    body: Uint8Array | AsyncIterable<Uint8Array>,
    options?: CallOptions,
  ): Promise<ObjectEntry>;

  /**
   * Yields every object whose key starts with `prefix` (empty: all), in ascending order of the
   * keys' UTF-16 code units.
   *
   * `prefix` and `after` are compared as plain text and need not be keys. Objects that are created
   * or deleted during the listing may or may not appear; all others appear exactly once. A prefix
   * without objects yields nothing.
   */
  list(prefix: string, options?: ListOptions): AsyncIterable<ObjectEntry>;

  /** Deletes an object; resolves even if it does not exist. Afterwards no new `get` finds it. */
  delete(key: string, options?: DeleteOptions): Promise<void>;
}

/** Half-open range of bytes `[start, end)` of an object. */
export interface ByteRange {
  readonly start: number;
  readonly end: number;
}

/** What a store knows of an object without opening it. */
export interface ObjectEntry {
  readonly key: string;
  readonly sizeBytes: number;
  /**
   * By the store's clock, a moment between the call of the object's `put` and its end, in epoch
   * milliseconds.
   */
  readonly lastModifiedMs: number;
}

/**
 * Options of every call: an aborted call rejects with ABORTED (or the QuireError given as reason)
 * and does no further I/O. The body of a `get` and the iteration of a `list` are parts of their
 * calls. A call that cannot be undone any more completes instead.
 */
export interface CallOptions {
  readonly signal?: AbortSignal | undefined;
}

/** Options of `ObjectStore.get`. */
export interface GetOptions extends CallOptions {
  readonly range?: ByteRange | undefined;
  /**
   * Lends memory to a store that would otherwise allocate some to read into. A store whose chunks
   * come from elsewhere does not use it.
   */
  readonly memory?: ReadMemory | undefined;
}

/**
 * Lends memory to read into. The chunks that are read into it belong to the lender again as soon as
 * they are handed out. A store asks while a chunk is pulled, at most once for each, and hands that
 * memory out or fails: it does not read ahead into it.
 */
export interface ReadMemory {
  /**
   * At least one byte and at most `sizeBytes`, at an address that is a multiple of 8; its contents
   * are anything.
   */
  lend(sizeBytes: number): Uint8Array;
}

/** Options of `ObjectStore.list`. */
export interface ListOptions extends CallOptions {
  /** Only keys that sort after this one. */
  readonly after?: string | undefined;
  /**
   * Whether the caller knows already what is in a folder (a key prefix that ends with a slash), so
   * that the store may pass over it. A store may ask that of any folder that it sees, in any order,
   * but before it gives what sorts after it; or never ask, and give everything.
   */
  readonly skipsFolder?: ((folder: string) => boolean) | undefined;
}

/**
 * An object opened for reading. Iterate `body` once: to its end, or leave the loop early; both
 * release everything. A caller that never iterates disposes instead; disposing is always safe, at
 * any time and more than once. A caller may take any time between two chunks: a body that is open
 * and not read keeps no other call waiting.
 */
export interface ObjectBody extends AsyncDisposable {
  /** Size of the whole object, whatever the range. */
  readonly sizeBytes: number;
  /**
   * The bytes asked for, in chunks of the store's choosing, none empty. A chunk may be kept: the
   * store never changes its bytes. It may be the store's own memory, so it must not be written to,
   * unless it lies in what `GetOptions.memory` gave.
   *
   * @throws INTERNAL at a second iteration, and at one after disposal
   */
  readonly body: AsyncIterable<Uint8Array>;
}

/**
 * The port to whatever keeps objects: memory, local files, a bucket.
 *
 * Keys are as `assertObjectKey` says; every call with another key throws INVALID_OBJECT_KEY before
 * any I/O. No key should lie below another, as `a/b` lies below `a`: a store may refuse to put the
 * second one, with INVALID_OBJECT_KEY. All failures of a store are QuireErrors that name the key
 * and the store: STORE_UNAVAILABLE and STORE_TIMED_OUT may be retried, the others may not.
 * Disposing a store twice is as good as once, and later calls throw SHUTTING_DOWN. Disposal waits
 * for no call: open bodies stay readable, and a put under way rejects with SHUTTING_DOWN at the
 * next step of its source at the latest, and leaves nothing behind. Every sentence here has a case
 * in the conformance suite (`@quire/core/conformance`), which all stores pass, bare and wrapped.
 *
 * What only some stores can do is an interface of its own, in `store-capabilities.ts`.
 */
export interface ObjectStore extends AsyncDisposable {
  /**
   * Where the objects are, as a URI for people and messages: `memory:`, `file:///var/lib/quire`,
   * `s3://bucket/prefix`.
   */
  readonly location: string;

  /**
   * What is known of one object.
   *
   * @throws OBJECT_NOT_FOUND when there is none
   */
  head(key: string, options?: CallOptions): Promise<ObjectEntry>;

  /**
   * Opens an object. With a range, exactly those bytes come, or the call or the iteration throws;
   * never more, fewer or others. An object deleted or replaced while it is read gives the bytes of
   * the object that was opened, or throws.
   *
   * @throws OBJECT_NOT_FOUND when there is none
   * @throws OBJECT_SHORT_READ when the object does not hold all of the range, or ends before its
   * own size
   * @throws INVALID_PARAMETER when the range is empty, negative or not made of safe integers
   */
  get(key: string, options?: GetOptions): Promise<ObjectBody>;

  /**
   * Stores an object, durably, instead of any older one with that key. All or nothing: no reader
   * ever sees a part of it, and none sees it before its source has ended. When the promise rejects,
   * the old state stands and no debris is left; except after STORE_UNAVAILABLE and STORE_TIMED_OUT,
   * when it may be unknown which of the two objects stands, whole.
   *
   * The source is pulled with back-pressure, one chunk at a time. A chunk is not looked at any more
   * once the next one is pulled, so that a source may reuse its memory; bytes given as they are
   * belong to the caller again once the promise has settled. The source's own error comes out
   * unchanged. A source that was begun is closed (its `return`) when the put gives up early.
   *
   * @throws STORE_FULL when there is no room for it
   */
  put(
    key: string,
    body: Uint8Array | AsyncIterable<Uint8Array>,
    options?: CallOptions,
  ): Promise<ObjectEntry>;

  /**
   * Every object whose key starts with `prefix` (empty: all), in ascending order of the keys'
   * UTF-16 code units. `prefix` and `after` are compared as plain text and need not be keys.
   * Objects that come or go meanwhile may or may not show; all others show exactly once. A prefix
   * with no object gives nothing.
   */
  list(prefix: string, options?: ListOptions): AsyncIterable<ObjectEntry>;

  /**
   * Deletes an object; resolves just as well when there is none. Afterwards no new `get` finds it.
   */
  delete(key: string, options?: CallOptions): Promise<void>;
}

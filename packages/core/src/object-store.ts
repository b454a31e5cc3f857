/** Half-open range of bytes `[start, end)` of an object. */
export interface ByteRange {
  readonly start: number;
  readonly end: number;
}

/** What a store knows of an object without opening it. */
export interface ObjectEntry {
  readonly key: string;
  readonly sizeBytes: number;
  /** When the object became visible, by the store's clock, in epoch milliseconds. */
  readonly lastModifiedMs: number;
}

/** Options of every call: an aborted call rejects with ABORTED (or the QuireError given as reason) and does no further I/O. */
export interface CallOptions {
  readonly signal?: AbortSignal | undefined;
}

export interface GetOptions extends CallOptions {
  readonly range?: ByteRange | undefined;
}

export interface ListOptions extends CallOptions {
  /** Only keys that sort after this one. */
  readonly after?: string | undefined;
}

/**
 * An object opened for reading. Iterate `body` once: to its end, or leave the loop early; both release everything.
 * A caller that never iterates disposes instead.
 */
export interface ObjectBody extends AsyncDisposable {
  /** Size of the whole object, whatever the range. */
  readonly sizeBytes: number;
  /** The bytes asked for, in chunks of the store's choosing; a chunk belongs to the reader. */
  readonly body: AsyncIterable<Uint8Array>;
}

/**
 * The port to whatever keeps objects: memory, local files, a bucket.
 *
 * Keys are as `assertObjectKey` says; every call with another key throws INVALID_OBJECT_KEY before any I/O.
 * All failures are QuireErrors that name the key and the store: STORE_UNAVAILABLE may be retried, the others may not.
 * Every sentence here has a case in the conformance suite (`test/src/conformance`), which all stores pass, bare and wrapped.
 */
export interface ObjectStore extends AsyncDisposable {
  /** Where the objects are, as a URI for people and messages: `memory:`, `file:///var/lib/quire`, `s3://bucket/prefix`. */
  readonly location: string;

  /**
   * What is known of one object.
   *
   * @throws OBJECT_NOT_FOUND when there is none
   */
  head(key: string, options?: CallOptions): Promise<ObjectEntry>;

  /**
   * Opens an object. With a range, exactly those bytes come, or the call or the iteration throws; never more, fewer or others.
   * An object deleted or replaced while it is read gives the bytes of the object that was opened, or throws.
   *
   * @throws OBJECT_NOT_FOUND when there is none
   * @throws OBJECT_SHORT_READ when the object does not hold all of the range, or ends before its own size
   * @throws INVALID_PARAMETER when the range is empty, negative or not made of safe integers
   */
  get(key: string, options?: GetOptions): Promise<ObjectBody>;

  /**
   * Stores an object, durably, in the place of any older one with that key. All or nothing: before the promise resolves no reader
   * sees the new object or a part of it; when it rejects, or the source throws, the old state stands and no debris is left.
   * The source is pulled with back-pressure: at most a few chunks are held at a time.
   *
   * @throws STORE_FULL when there is no room for it
   */
  put(key: string, body: Uint8Array | AsyncIterable<Uint8Array>, options?: CallOptions): Promise<ObjectEntry>;

  /**
   * Every object whose key starts with `prefix` (empty: all), in ascending order of the keys' UTF-16 code units.
   * Objects that come or go meanwhile may or may not show; all others show exactly once. A prefix with no object gives nothing.
   */
  list(prefix: string, options?: ListOptions): AsyncIterable<ObjectEntry>;

  /** Deletes an object; resolves just as well when there is none. Afterwards no new `get` finds it. */
  delete(key: string, options?: CallOptions): Promise<void>;
}

import { throwIfAborted } from '../errors.ts';
import { assertObjectKey } from '../object-key.ts';
import type {
  ByteRange,
  CallOptions,
  GetOptions,
  ListOptions,
  ObjectBody,
  ObjectEntry,
  ObjectStore,
} from '../object-store.ts';
import type { ConditionalWriter, LinkSigner } from '../store-capabilities.ts';
import { assertByteRange } from '../store/byte-range.ts';
import { storeClosed } from '../store/store-errors.ts';
import { assertLinkLifetime } from './bucket-location.ts';
import { asciiMark, canBeginKey, entriesInOrder } from './entries-in-order.ts';
import type { FailedCall } from './failed-call.ts';

/**
 * The operations that a bucket's server performs for a `BucketStore`, which has validated all
 * arguments.
 */
export interface BucketVerbs {
  readonly location: string;
  head(call: FailedCall): Promise<ObjectEntry>;
  get(call: FailedCall, range: ByteRange | undefined): Promise<ObjectBody>;
  /** Puts an object. Calls `assertOpen`, which may throw, before the object becomes visible. */
  put(
    call: FailedCall,
    body: Uint8Array | AsyncIterable<Uint8Array>,
    assertOpen: () => void,
  ): Promise<ObjectEntry>;
  /** Puts an object with one request; returns undefined when an object with that key exists. */
  putIfAbsent(call: FailedCall, bytes: Uint8Array): Promise<ObjectEntry | undefined>;
  /**
   * Lists the objects whose keys start with `call.key`, page by page, in key order. May include
   * keys up to `after`, which is printable ASCII, or empty for a complete listing.
   */
  listPages(call: FailedCall, after: string): AsyncIterable<readonly ObjectEntry[]>;
  delete(call: FailedCall): Promise<void>;
  /** Signs a link that expires `lifetimeMs` from now. */
  signLink(call: FailedCall, lifetimeMs: number): Promise<string>;
  /** Closes the connections as soon as no call uses them. */
  close(): void;
}

/**
 * An `ObjectStore` in a bucket. Validates arguments, key order and disposal around the server's
 * operations.
 */
export class BucketStore implements ObjectStore, ConditionalWriter, LinkSigner {
  readonly location: string;
  readonly #verbs: BucketVerbs;
  #isClosed = false;

  constructor(verbs: BucketVerbs) {
    this.location = verbs.location;
    this.#verbs = verbs;
  }

  async head(key: string, options?: CallOptions): Promise<ObjectEntry> {
    return this.#verbs.head(this.#callOf('head', key, options));
  }

  async get(key: string, options?: GetOptions): Promise<ObjectBody> {
    const call = this.#callOf('get', key, options);
    if (options?.range !== undefined) assertByteRange(options.range, key);
    return this.#verbs.get(call, options?.range);
  }

  async put(
    key: string,
    body: Uint8Array | AsyncIterable<Uint8Array>,
    options?: CallOptions,
  ): Promise<ObjectEntry> {
    return this.#verbs.put(this.#callOf('put', key, options), body, () => this.#assertOpen());
  }

  async putIfAbsent(
    key: string,
    bytes: Uint8Array,
    options?: CallOptions,
  ): Promise<ObjectEntry | undefined> {
    return this.#verbs.putIfAbsent(this.#callOf('put', key, options), bytes);
  }

  async *list(prefix: string, options: ListOptions = {}): AsyncGenerator<ObjectEntry> {
    this.#assertOpen();
    throwIfAborted(options.signal);
    if (!canBeginKey(prefix)) return;
    const call: FailedCall = {
      op: 'list',
      key: prefix,
      location: this.location,
      signal: options.signal,
    };
    const pages = this.#verbs.listPages(call, asciiMark(options.after ?? ''));
    for await (const entry of entriesInOrder(pages, call, options)) {
      yield entry;
      this.#assertOpen();
    }
  }

  async delete(key: string, options?: CallOptions): Promise<void> {
    await this.#verbs.delete(this.#callOf('delete', key, options));
  }

  async signLink(key: string, lifetimeMs: number): Promise<string> {
    const call = this.#callOf('link', key, undefined);
    assertLinkLifetime(key, lifetimeMs);
    return this.#verbs.signLink(call, lifetimeMs);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isClosed = true;
    this.#verbs.close();
  }

  #callOf(op: FailedCall['op'], key: string, options: CallOptions | undefined): FailedCall {
    assertObjectKey(key);
    throwIfAborted(options?.signal);
    this.#assertOpen();
    return { op, key, location: this.location, signal: options?.signal };
  }

  #assertOpen(): void {
    if (this.#isClosed) throw storeClosed(this.location);
  }
}

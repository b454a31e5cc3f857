import type {
  ByteRange,
  CallOptions,
  DeleteOptions,
  GetOptions,
  ListOptions,
  ObjectBody,
  ObjectEntry,
  ObjectStore,
} from '../object-store.ts';
import {
  type CachedReader,
  isCachedReader,
  isConditionalWriter,
  isFolderDeleter,
  isLinkSigner,
  isSharingAware,
  type StoreCapabilities,
} from '../store-capabilities.ts';

/** The verbs of the port, by which wrappers name calls. Deleting a folder is a `delete`. */
export type StoreOperation = 'head' | 'get' | 'put' | 'list' | 'delete';

/**
 * A store that wraps another one, with the same location and exactly the same capabilities.
 *
 * A subclass implements how calls are made (`call`), and how objects are opened, stored and listed.
 */
export abstract class StoreWrapper implements ObjectStore {
  protected readonly inner: ObjectStore;

  constructor(inner: ObjectStore) {
    this.inner = inner;
    Object.assign(this, this.#capabilitiesOf(inner));
  }

  abstract get(key: string, options?: GetOptions): Promise<ObjectBody>;
  abstract put(
    key: string,
    body: Uint8Array | AsyncIterable<Uint8Array>,
    options?: CallOptions,
  ): Promise<ObjectEntry>;
  abstract list(prefix: string, options?: ListOptions): AsyncIterable<ObjectEntry>;

  get location(): string {
    return this.inner.location;
  }

  head(key: string, options?: CallOptions): Promise<ObjectEntry> {
    return this.call('head', key, options, (passed) => this.inner.head(key, passed));
  }

  delete(key: string, options?: DeleteOptions): Promise<void> {
    return this.call('delete', key, options, (passed) =>
      this.inner.delete(key, { ...options, ...passed }),
    );
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.inner[Symbol.asyncDispose]();
  }

  /**
   * Makes a call of the wrapped store that transfers no stream by calling `run` with its options.
   */
  protected abstract call<T>(
    operation: StoreOperation,
    key: string,
    options: CallOptions | undefined,
    run: (options: CallOptions | undefined) => Promise<T>,
  ): Promise<T>;

  /** Makes a call of `readCached`, if the wrapped store has it. */
  protected callCached(
    inner: CachedReader,
    key: string,
    range: ByteRange,
    target: Uint8Array,
  ): boolean {
    return inner.readCached(key, range, target);
  }

  #capabilitiesOf(inner: ObjectStore): Partial<StoreCapabilities> {
    return {
      ...(isCachedReader(inner) && {
        readCached: (key, range, target) => this.callCached(inner, key, range, target),
      }),
      ...(isConditionalWriter(inner) && {
        putIfAbsent: (key, bytes, options) =>
          this.call('put', key, options, (passed) => inner.putIfAbsent(key, bytes, passed)),
      }),
      ...(isFolderDeleter(inner) && {
        deleteFolder: (keys, options) =>
          this.call('delete', keys[0], options, (passed) => inner.deleteFolder(keys, passed)),
      }),
      ...(isLinkSigner(inner) && {
        signLink: (key, lifetimeMs) => inner.signLink(key, lifetimeMs),
      }),
      ...(isSharingAware(inner) && { isShared: inner.isShared }),
    };
  }
}

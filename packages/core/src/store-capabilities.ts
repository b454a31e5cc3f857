/*
 * Optional capabilities of stores beyond the verbs of `ObjectStore`: one interface and one type
 * guard for each. All wrappers of this package have the capabilities of the store that they wrap.
 */
import type { ByteRange, CallOptions, ObjectEntry } from './object-store.ts';

/** A store that may have bytes cached in this process or machine. */
export interface CachedReader {
  /**
   * Fills `target` with a range of an object of the same length, and returns true. Returns false if
   * the bytes are not cached or anything is wrong; `get` then reads them or throws. A read from
   * memory is faster than the asynchronous steps of a `get`.
   */
  readCached(key: string, range: ByteRange, target: Uint8Array): boolean;
}

/** A store that can put an object atomically only if it does not exist. */
export interface ConditionalWriter {
  /**
   * Stores an object as `put` does, unless an object with that key exists; that object stays
   * unchanged, and undefined is returned.
   *
   * Exactly one of several concurrent calls stores its object. A retry after STORE_UNAVAILABLE or
   * STORE_TIMED_OUT may find the object that its first attempt stored.
   */
  putIfAbsent(
    key: string,
    bytes: Uint8Array,
    options?: CallOptions,
  ): Promise<ObjectEntry | undefined>;
}

/** A store that can delete a whole folder more cheaply than its objects one by one. */
export interface FolderDeleter {
  /**
   * Deletes all objects of one folder by their keys: the first, and then the others in order,
   * unless the folder contains objects that are not named.
   *
   * Resolves to true if all are deleted. If false, the first may be deleted and the others exist:
   * the caller continues with single deletes.
   */
  deleteFolder(keys: readonly [string, ...string[]], options?: CallOptions): Promise<boolean>;
}

/**
 * A store that signs links, with which anyone can read one object without Quire for a limited time.
 */
export interface LinkSigner {
  /**
   * Returns a URL from which anyone can read the object, until `lifetimeMs` from now, whether the
   * object exists or not. The URL is a secret: never log it.
   *
   * @throws INVALID_OBJECT_KEY when the key is not one
   * @throws INVALID_PARAMETER when `lifetimeMs` is not between a second and seven days
   * @throws STORE_MISCONFIGURED when the store's credentials cannot sign
   */
  signLink(key: string, lifetimeMs: number): Promise<string>;
}

/** A store that knows whether brokers on other machines can access the same objects. */
export interface SharingAware {
  /** If false, a broker names itself in its answers, so that their pages are requested from it. */
  readonly isShared: boolean;
}

/** All capabilities that a store may have. */
export type StoreCapabilities = CachedReader &
  ConditionalWriter &
  FolderDeleter &
  LinkSigner &
  SharingAware;

/** Reports whether a store may have bytes cached. */
export function isCachedReader(store: object): store is CachedReader {
  return 'readCached' in store && typeof store.readCached === 'function';
}

/** Reports whether a store can put an object only if it does not exist. */
export function isConditionalWriter(store: object): store is ConditionalWriter {
  return 'putIfAbsent' in store && typeof store.putIfAbsent === 'function';
}

/** Reports whether a store deletes whole folders. */
export function isFolderDeleter(store: object): store is FolderDeleter {
  return 'deleteFolder' in store && typeof store.deleteFolder === 'function';
}

/** Reports whether a store signs links. */
export function isLinkSigner(store: object): store is LinkSigner {
  return 'signLink' in store && typeof store.signLink === 'function';
}

/** Reports whether a store knows if other machines can access its objects. */
export function isSharingAware(store: object): store is SharingAware {
  return 'isShared' in store && typeof store.isShared === 'boolean';
}

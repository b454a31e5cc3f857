/*
 * What some stores can do beside the verbs of `ObjectStore`: one interface for each capability, and
 * one function that finds it. All wrappers of this package have the capabilities of the store inside.
 */
import type { ByteRange, CallOptions, ObjectEntry } from './object-store.ts';

/** A store that can have bytes cached in this process or machine. */
export interface CachedReader {
  /**
   * Fills `target` with a range of an object, of the same length, and returns true. Returns false
   * when the bytes are not cached, as far as the store can know, or anything is wrong: `get` then
   * reads them, or says what is wrong. A read of memory takes less time than the waits of a `get`.
   */
  readCached(key: string, range: ByteRange, target: Uint8Array): boolean;
}

/** A store that can store an object on the condition that it does not exist, in one step. */
export interface ConditionalWriter {
  /**
   * Stores an object as `put` does, unless an object with that key exists: that one stays as it is,
   * and undefined is returned. Of several calls at the same time, exactly one stores its object. A
   * call that is retried after STORE_UNAVAILABLE or STORE_TIMED_OUT may find the object that its
   * first attempt stored.
   */
  putIfAbsent(
    key: string,
    bytes: Uint8Array,
    options?: CallOptions,
  ): Promise<ObjectEntry | undefined>;
}

/** A store that deletes a whole folder at less cost than its objects one by one. */
export interface FolderDeleter {
  /**
   * Deletes all objects of one folder, by their keys: the first, and then the others in their
   * order, unless the folder has objects that are not named. Resolves to whether all are gone. With
   * false, the first may be gone and the others exist: the caller goes on by single calls.
   */
  deleteFolder(keys: readonly [string, ...string[]], options?: CallOptions): Promise<boolean>;
}

/** A store that gives links by which anybody reads one object, without Quire, for a while. */
export interface LinkSigner {
  /**
   * Returns a URL that gives the object's bytes to anyone who has it, until `lifetimeMs` from now,
   * whether the object exists or not. The URL is a secret: it belongs in no log.
   *
   * @throws INVALID_OBJECT_KEY when the key is not one
   * @throws INVALID_PARAMETER when `lifetimeMs` is not between a second and seven days
   * @throws STORE_MISCONFIGURED when the store's credentials cannot sign
   */
  signLink(key: string, lifetimeMs: number): Promise<string>;
}

/** A store that knows whether brokers on other machines reach the same objects. */
export interface SharingAware {
  /** With false, a broker names itself in its answers, so that their pages are asked of it. */
  readonly isShared: boolean;
}

/** All capabilities that a store may have. */
export type StoreCapabilities = CachedReader &
  ConditionalWriter &
  FolderDeleter &
  LinkSigner &
  SharingAware;

/** Returns whether a store can have bytes cached. */
export function isCachedReader(store: object): store is CachedReader {
  return 'readCached' in store && typeof store.readCached === 'function';
}

/** Returns whether a store can store an object on the condition that it does not exist. */
export function isConditionalWriter(store: object): store is ConditionalWriter {
  return 'putIfAbsent' in store && typeof store.putIfAbsent === 'function';
}

/** Returns whether a store deletes whole folders. */
export function isFolderDeleter(store: object): store is FolderDeleter {
  return 'deleteFolder' in store && typeof store.deleteFolder === 'function';
}

/** Returns whether a store signs links. */
export function isLinkSigner(store: object): store is LinkSigner {
  return 'signLink' in store && typeof store.signLink === 'function';
}

/** Returns whether a store knows whether other machines reach its objects. */
export function isSharingAware(store: object): store is SharingAware {
  return 'isShared' in store && typeof store.isShared === 'boolean';
}

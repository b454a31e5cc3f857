import { dirname } from 'node:path';
import {
  assertByteRange,
  assertObjectKey,
  type ByteRange,
  type CachedReader,
  type CallOptions,
  type Clock,
  type ConditionalWriter,
  type DeleteOptions,
  type FolderDeleter,
  type GetOptions,
  type ListOptions,
  type ObjectBody,
  type ObjectEntry,
  objectNotFound,
  type ObjectStore,
  type Random,
  storeClosed,
  systemClock,
  systemRandom,
  throwIfAborted,
} from '@quire/core';
import { BulkDeleter } from './bulk-deleter.ts';
import { BulkThread } from './bulk-thread.ts';
import { deleteObject } from './deleter.ts';
import { type FailedCall, translated } from './errors.ts';
import { type FileSystem, nodeFileSystem } from './file-system.ts';
import { StagedLeftovers } from './leftovers.ts';
import { FileHandleCache } from './file-handle-cache.ts';
import { listObjects } from './lister.ts';
import { openRoot } from './open-root.ts';
import { openObject } from './reader.ts';
import { CachedReads } from './cached-reads.ts';
import type { RootDirectory } from './root-directory.ts';
import { ObjectWriter } from './writer.ts';

/** The directory of a `FileObjectStore`, and its dependencies. */
export interface FileObjectStoreOptions {
  /**
   * The directory of the objects. It is created if only its parent exists; it may be a symbolic
   * link.
   */
  readonly root: string;
  /** The clock that gives objects their modification times. */
  readonly clock?: Clock;
  /** The source of random names for staged files. */
  readonly random?: Random;
  /** The operating system, or a replacement for tests. */
  readonly fileSystem?: FileSystem;
  /**
   * True if files stay open for a second after ranged reads; by default with Node's own file
   * system.
   */
  readonly keepsFilesOpen?: boolean;
}

interface FileStoreParts {
  readonly root: RootDirectory;
  readonly fileSystem: FileSystem;
  readonly writer: ObjectWriter;
  readonly handles: FileHandleCache | undefined;
  readonly clock: Clock;
}

/**
 * The number of concurrent deletions up to which a thread is not worthwhile; more of them are a
 * sweep.
 */
const deleteCountAlone = 3;

/**
 * An ObjectStore in a directory of a local file system: the object `a/b.arrow` is the file
 * `<root>/a/b.arrow`, readable by any tool.
 *
 * Objects are written to `<root>/.staging`, which no key can name, made durable, and renamed to
 * their path. Processes may share a root. Nothing outside the root is ever touched, whatever
 * symbolic links it contains.
 */
export class FileObjectStore
  implements ObjectStore, CachedReader, ConditionalWriter, FolderDeleter
{
  readonly location: string;
  /**
   * The staged files of unfinished writes and dead writers; they are not objects, and so not part
   * of the port. For a cleaner.
   */
  readonly leftovers: StagedLeftovers;
  readonly #root: RootDirectory;
  readonly #fileSystem: FileSystem;
  readonly #writer: ObjectWriter;
  /**
   * Two threads, so that two directories are read concurrently. None if a test observes every call.
   */
  readonly #threads: readonly BulkThread[];
  readonly #bulkDeleter: BulkDeleter;
  readonly #handles: FileHandleCache | undefined;
  readonly #cachedReads: CachedReads | undefined;
  #deleteCount = 0;
  #isClosed = false;

  private constructor({ root, fileSystem, writer, handles, clock }: FileStoreParts) {
    this.location = root.location;
    this.leftovers = new StagedLeftovers(fileSystem, root);
    this.#root = root;
    this.#fileSystem = fileSystem;
    this.#writer = writer;
    this.#handles = handles;
    this.#cachedReads = handles === undefined ? undefined : new CachedReads(handles, clock);
    this.#threads = fileSystem === nodeFileSystem ? [new BulkThread(), new BulkThread()] : [];
    this.#bulkDeleter = new BulkDeleter(root, this.#threads);
  }

  /**
   * Opens the store in a directory, after verifying that it is writable.
   *
   * @throws INVALID_PARAMETER when the root is not a directory, cannot be created, or is not
   *   writable
   * @throws STORE_FULL, STORE_UNAVAILABLE when the file system fails otherwise
   */
  static async open(options: FileObjectStoreOptions): Promise<FileObjectStore> {
    const { clock = systemClock, random = systemRandom, fileSystem = nodeFileSystem } = options;
    const root = await openRoot({ root: options.root, clock, random, fileSystem });
    const { keepsFilesOpen = fileSystem === nodeFileSystem } = options;
    const handles = keepsFilesOpen ? new FileHandleCache(clock) : undefined;
    const writer = new ObjectWriter({ fileSystem, root, clock, random });
    return new FileObjectStore({ root, fileSystem, writer, handles, clock });
  }

  async head(key: string, options?: CallOptions): Promise<ObjectEntry> {
    this.#check(key, options);
    const call: FailedCall = { op: 'head', key, location: this.location };
    return translated(call, async () => {
      const path = this.#root.pathOf(key);
      const [status, isContained] = await Promise.all([
        this.#fileSystem.status(path),
        this.#root.isContained(dirname(path)),
      ]);
      throwIfAborted(options?.signal);
      if (status.kind !== 'file' || !isContained) throw objectNotFound(key, this.location);
      return { key, sizeBytes: status.sizeBytes, lastModifiedMs: status.lastModifiedMs };
    });
  }

  async get(key: string, options?: GetOptions): Promise<ObjectBody> {
    this.#check(key, options);
    if (options?.range !== undefined) assertByteRange(options.range, key);
    return openObject(
      { fileSystem: this.#fileSystem, root: this.#root, handles: this.#handles },
      key,
      options,
    );
  }

  readCached(key: string, range: ByteRange, target: Uint8Array): boolean {
    return !this.#isClosed && this.#cachedReads?.read(key, range, target) === true;
  }

  async put(
    key: string,
    body: Uint8Array | AsyncIterable<Uint8Array>,
    options?: CallOptions,
  ): Promise<ObjectEntry> {
    this.#check(key, options);
    const entry = await this.#writer.write(key, body, options, () => this.#assertOpen());
    // Readers would detect the change by the status of the file, but the space of the replaced file
    // must be freed now.
    this.#handles?.forget(key);
    return entry;
  }

  async putIfAbsent(
    key: string,
    bytes: Uint8Array,
    options?: CallOptions,
  ): Promise<ObjectEntry | undefined> {
    this.#check(key, options);
    return this.#writer.writeIfAbsent(key, bytes, options, () => this.#assertOpen());
  }

  list(prefix: string, options: ListOptions = {}): AsyncGenerator<ObjectEntry> {
    return listObjects(this.#fileSystem, this.#root, prefix, options, this.#usableThreads, () =>
      this.#assertOpen(),
    );
  }

  async delete(key: string, options?: DeleteOptions): Promise<void> {
    this.#check(key, options);
    await this.#deletion((isInBulk) => {
      // Before the deletion: the space is not freed while the file is open.
      this.#handles?.forget(key);
      // The threads of bulk deletions do not sync directories.
      return isInBulk && options?.isDurable !== true
        ? this.#bulkDeleter.delete(key, options)
        : deleteObject(this.#fileSystem, this.#root, key, options);
    });
  }

  /** Deletes a folder, in a thread if there are enough concurrent deletions to be worth it. */
  async deleteFolder(
    keys: readonly [string, ...string[]],
    options?: CallOptions,
  ): Promise<boolean> {
    for (const key of keys) this.#check(key, options);
    return this.#deletion(async (isInBulk) => {
      if (!isInBulk) return false;
      for (const key of keys) this.#handles?.forget(key);
      return this.#bulkDeleter.deleteFolder(keys, options);
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isClosed = true;
    this.#handles?.close();
    await this.#bulkDeleter.removeEmpty();
    await Promise.all(this.#threads.map((thread) => thread.close()));
  }

  async #deletion<T>(run: (isInBulk: boolean) => Promise<T>): Promise<T> {
    const isInBulk = this.#deleteCount >= deleteCountAlone && this.#bulkDeleter.isUsable;
    this.#deleteCount += 1;
    try {
      return await run(isInBulk);
    } finally {
      this.#deleteCount -= 1;
      if (this.#deleteCount === 0 && !this.#isClosed) await this.#bulkDeleter.removeEmpty();
    }
  }

  get #usableThreads(): readonly BulkThread[] {
    return this.#threads.filter(({ isBroken }) => !isBroken);
  }

  #check(key: string, options: CallOptions | undefined): void {
    assertObjectKey(key);
    throwIfAborted(options?.signal);
    this.#assertOpen();
  }

  #assertOpen(): void {
    if (this.#isClosed) throw storeClosed(this.location);
  }
}

import { join } from 'node:path';
import type { Random } from '@quire/core';
import { isErrno, processTag } from '@quire/core/process';
import { makeDirectoryIfMissing } from './root-directory.ts';
import type { FileSystem } from './file-system.ts';

/**
 * The size up to which small chunks are collected; a write costs the same for one byte and for
 * many.
 */
const writeBytes = 1024 * 1024;
/**
 * The number of bytes after which the system is asked to write them to disk while more are
 * received, so that little is left at the end.
 */
const syncBytes = 8 * 1024 * 1024;
/**
 * Memory of closed files for the next ones: new memory for each would be filled with zeros, and
 * keep the garbage collector busy with results of a few rows.
 */
const spareBuffers: Uint8Array[] = [];
/** The buffers of one file. */
const spareBuffersMax = 2;
/** The maximum size of one write; systems refuse 2 GiB and more. */
const writeBytesMax = 64 * 1024 * 1024;

/** A file that will become an object: it is invisible until it is renamed. */
export class StagedFile {
  readonly path: string;
  readonly #fileSystem: FileSystem;
  #fd: number | undefined;
  #gathered: Uint8Array | undefined;
  #gatheredBytes = 0;
  /** The bytes that are being written. */
  #leaving: Uint8Array | undefined;
  /** The write of these bytes. */
  #writing: Promise<void> = Promise.resolve();
  #sizeBytes = 0;
  #unsyncedBytes = 0;
  #syncing: Promise<void> | undefined;
  #syncFailure: { readonly error: unknown } | undefined;
  #touching: Promise<void> = Promise.resolve();

  private constructor(fileSystem: FileSystem, path: string, fd: number) {
    this.#fileSystem = fileSystem;
    this.path = path;
    this.#fd = fd;
  }

  /**
   * Creates an empty file in the staging directory, and that directory if it was removed. Its name
   * is random and identifies the process that writes it, so that it can be deleted as soon as that
   * process is dead.
   */
  static async create(
    fileSystem: FileSystem,
    stagingPath: string,
    random: Random,
  ): Promise<StagedFile> {
    const name = Array.from(random.bytes(12), (byte) => byte.toString(16).padStart(2, '0')).join(
      '',
    );
    const path = join(stagingPath, `${name}.${processTag()}`);
    try {
      return new StagedFile(fileSystem, path, await fileSystem.create(path));
    } catch (error) {
      if (!isErrno(error, 'ENOENT')) throw error;
      await makeDirectoryIfMissing(fileSystem, stagingPath);
      return new StagedFile(fileSystem, path, await fileSystem.create(path));
    }
  }

  /** The number of bytes given to `write` so far. */
  get sizeBytes(): number {
    return this.#sizeBytes;
  }

  /**
   * Accepts a chunk; once this resolves, the chunk's memory may be reused. It may not have been
   * written yet: a failure rejects a later call, `finish` at the latest.
   */
  async write(chunk: Uint8Array): Promise<void> {
    this.#sizeBytes += chunk.byteLength;
    const isLarge = chunk.byteLength > writeBytes / 2;
    if (isLarge || this.#gatheredBytes + chunk.byteLength > writeBytes) await this.#flush();
    if (isLarge) {
      // After the collected bytes, which come first in the file.
      await this.#writing;
      await this.#writeAll(chunk);
      return;
    }
    this.#gathered ??= spareBuffers.pop() ?? new Uint8Array(writeBytes);
    this.#gathered.set(chunk, this.#gatheredBytes);
    this.#gatheredBytes += chunk.byteLength;
  }

  /**
   * Sets the file's time, so that others see that its writer is alive. Never fails: a problem with
   * the file fails the next write.
   */
  touch(lastModifiedMs: number): void {
    const fd = this.#fd;
    if (fd !== undefined) {
      this.#touching = this.#fileSystem.setLastModified(fd, lastModifiedMs).catch(ignore);
    }
  }

  /** Reports whether the file is still in the staging directory. */
  async isPresent(): Promise<boolean> {
    return this.#fileSystem.status(this.path).then(
      () => true,
      (error: unknown) => !isErrno(error, 'ENOENT'),
    );
  }

  /** Makes all written bytes durable, sets the file's time, and closes it. */
  async finish(lastModifiedMs: number): Promise<void> {
    await this.#flush();
    await this.#writing;
    await this.#touching;
    const fd = this.#openFd();
    await this.#syncing;
    // The system may report a write failure only once.
    if (this.#syncFailure !== undefined) throw this.#syncFailure.error;
    await this.#fileSystem.setLastModified(fd, lastModifiedMs);
    await this.#fileSystem.sync(fd);
    await this.#close();
  }

  /**
   * Removes the file. Never fails: a file that cannot be removed now is removed with the leftovers.
   */
  async discard(): Promise<void> {
    await this.#close().catch(() => undefined);
    await this.#fileSystem.unlink(this.path).catch(() => undefined);
  }

  /**
   * Starts to write the collected bytes, while more are collected; waits only for the previous
   * write.
   */
  async #flush(): Promise<void> {
    if (this.#gathered === undefined || this.#gatheredBytes === 0) return;
    await this.#writing;
    const [full, sizeBytes] = [this.#gathered, this.#gatheredBytes];
    [this.#gathered, this.#leaving] = [this.#leaving, full];
    this.#gatheredBytes = 0;
    this.#writing = this.#writeAll(full.subarray(0, sizeBytes));
    this.#writing.catch(ignore);
  }

  async #writeAll(bytes: Uint8Array): Promise<void> {
    for (let written = 0; written < bytes.byteLength;) {
      written += await this.#fileSystem.write(
        this.#openFd(),
        bytes.subarray(written, written + writeBytesMax),
      );
    }
    this.#unsyncedBytes += bytes.byteLength;
    if (this.#unsyncedBytes >= syncBytes && this.#syncing === undefined) {
      this.#syncing = this.#syncAhead(this.#openFd());
    }
  }

  async #syncAhead(fd: number): Promise<void> {
    this.#unsyncedBytes = 0;
    try {
      await this.#fileSystem.sync(fd);
    } catch (error) {
      this.#syncFailure ??= { error };
    }
    this.#syncing = undefined;
  }

  async #close(): Promise<void> {
    // A closed descriptor may be reused for another file immediately.
    await this.#writing.catch(ignore);
    this.#returnBuffers();
    await this.#touching;
    await this.#syncing;
    const fd = this.#fd;
    this.#fd = undefined;
    if (fd !== undefined) await this.#fileSystem.close(fd);
  }

  /** Keeps the buffers for other files; nothing may be writing them. */
  #returnBuffers(): void {
    for (const buffer of [this.#gathered, this.#leaving]) {
      if (buffer !== undefined && spareBuffers.length < spareBuffersMax) spareBuffers.push(buffer);
    }
    this.#gathered = undefined;
    this.#leaving = undefined;
  }

  #openFd(): number {
    if (this.#fd === undefined) throw new Error(`The staged file ${this.path} is closed.`);
    return this.#fd;
  }
}

function ignore(): void {
  // The next call receives the failure.
}

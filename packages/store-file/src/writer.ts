import { dirname } from 'node:path';
import {
  type CallOptions,
  type Clock,
  type ObjectEntry,
  QuireError,
  type Random,
  sourceChunks,
  throwIfAborted,
} from '@quire/core';
import { errnoOf, isErrno } from '@quire/core/process';
import { type FailedCall, translated } from './errors.ts';
import type { FileStatus, FileSystem } from './file-system.ts';
import type { RootDirectory } from './root-directory.ts';
import { StagedFile } from './staged-file.ts';

/**
 * The interval at which a write with a slow source touches its file. Cleaners with a longer grace
 * period see from any machine that it is alive.
 */
const touchPeriodMs = 10_000;

/**
 * The number of attempts. Each failed one means that a delete has just removed the directory again,
 * which never happens this often.
 */
const moveAttemptsMax = 100;

/** A directory is where the file should be, or a file where a directory should be. */
const obstacleErrnos = ['EISDIR', 'ENOTDIR', 'EEXIST', 'ENOTEMPTY'] as const;

/** The file system does not support hard links. */
const noLinkErrnos = ['EPERM', 'ENOSYS', 'ENOTSUP', 'EOPNOTSUPP'] as const;

/** Moves a file from its first path to its second one. */
type Move = (from: string, to: string) => Promise<void>;

export interface ObjectWriterOptions {
  readonly fileSystem: FileSystem;
  readonly root: RootDirectory;
  readonly clock: Clock;
  readonly random: Random;
}

/**
 * Writes objects atomically and durably: staged file, fsync, rename, fsync of the directory.
 *
 * A failure before the rename leaves the old object; a failure after it, of the last fsync, leaves
 * the new one.
 */
export class ObjectWriter {
  readonly #options: ObjectWriterOptions;
  /** Directories that were created and whose names may not be durable yet. */
  readonly #makingDirectories = new Set<Promise<void>>();

  constructor(options: ObjectWriterOptions) {
    this.#options = options;
  }

  /** Writes an object. Calls `assertAlive`, which may throw, before the object becomes visible. */
  async write(
    key: string,
    body: Uint8Array | AsyncIterable<Uint8Array>,
    options: CallOptions | undefined,
    assertAlive: () => void,
  ): Promise<ObjectEntry> {
    const { fileSystem } = this.#options;
    return this.#write(key, body, options, assertAlive, (from, to) => fileSystem.rename(from, to));
  }

  /** Writes an object as `write` does, but returns undefined if an object with that key exists. */
  async writeIfAbsent(
    key: string,
    bytes: Uint8Array,
    options: CallOptions | undefined,
    assertAlive: () => void,
  ): Promise<ObjectEntry | undefined> {
    const { fileSystem } = this.#options;
    let isStored = false;
    const entry = await this.#write(key, bytes, options, assertAlive, async (from, to) => {
      isStored = await moveIfAbsent(fileSystem, from, to);
    });
    return isStored ? entry : undefined;
  }

  async #write(
    key: string,
    body: Uint8Array | AsyncIterable<Uint8Array>,
    options: CallOptions | undefined,
    assertAlive: () => void,
    move: Move,
  ): Promise<ObjectEntry> {
    const { fileSystem, root, clock, random } = this.#options;
    const call: FailedCall = { op: 'put', key, location: root.location };
    const staged = await translated(call, () =>
      StagedFile.create(fileSystem, root.stagingPath, random),
    );
    try {
      const reading = new AbortController();
      if (!(body instanceof Uint8Array)) this.#keepTouching(staged, reading.signal);
      try {
        // Only errors of the file system are translated: the source's own errors pass unchanged.
        for await (const chunk of sourceChunks(body, options?.signal)) {
          assertAlive();
          await translated(call, () => staged.write(chunk));
        }
      } finally {
        reading.abort();
      }
      const lastModifiedMs = Math.floor(clock.nowMs());
      await translated(call, () => staged.finish(lastModifiedMs));
      throwIfAborted(options?.signal);
      assertAlive();
      await translated(call, () => this.#moveInPlace(staged, root.pathOf(key), key, move));
      return { key, sizeBytes: staged.sizeBytes, lastModifiedMs };
    } catch (error) {
      await staged.discard();
      throw error;
    }
  }

  #keepTouching(staged: StagedFile, signal: AbortSignal): void {
    const { clock } = this.#options;
    const touch = (): void => {
      if (signal.aborted) return;
      staged.touch(Math.floor(clock.nowMs()));
      this.#keepTouching(staged, signal);
    };
    clock.sleep(touchPeriodMs, signal).then(touch, () => undefined);
  }

  async #moveInPlace(staged: StagedFile, path: string, key: string, move: Move): Promise<void> {
    const { root } = this.#options;
    const directory = dirname(path);
    try {
      for (let attempt = 1; ; attempt += 1) {
        try {
          // The directory usually exists, so it is created only after the first attempt has failed.
          if (attempt > 1) await this.#makeDirectories(directory);
          if (!(await root.isContained(directory))) throw leadsOutside(directory, key);
          await Promise.all(this.#makingDirectories);
          await move(staged.path, path);
          break;
        } catch (error) {
          if (!isErrno(error, 'ENOENT') || attempt >= moveAttemptsMax) throw error;
          if (attempt > 1 && !(await staged.isPresent())) {
            throw stagedFileDeleted(staged.path, key, root.location, error);
          }
        }
      }
    } catch (error) {
      await root.removeEmpty(directory);
      if (isErrno(error, ...obstacleErrnos)) throw keyInTheWay(key, root.location, error);
      throw error;
    }
    await this.#makeNameDurable(directory, key);
  }

  async #makeDirectories(directory: string): Promise<void> {
    const making = this.#makeDirectory(directory);
    this.#makingDirectories.add(making);
    try {
      await making;
    } finally {
      this.#makingDirectories.delete(making);
    }
  }

  async #makeDirectory(directory: string): Promise<void> {
    const { fileSystem, root } = this.#options;
    if (directory === root.path) return;
    try {
      await fileSystem.makeDirectory(directory);
    } catch (error) {
      if (isErrno(error, 'EEXIST')) return;
      if (!isErrno(error, 'ENOENT')) throw error;
      await this.#makeDirectory(dirname(directory));
      // If it was removed again, the next attempt to rename detects that.
      await fileSystem.makeDirectory(directory).catch((again: unknown) => {
        if (!isErrno(again, 'EEXIST', 'ENOENT')) throw again;
      });
    }
    await fileSystem.syncDirectory(dirname(directory));
  }

  async #makeNameDurable(directory: string, key: string): Promise<void> {
    const { fileSystem, root } = this.#options;
    try {
      await fileSystem.syncDirectory(directory);
    } catch (error) {
      // The object was deleted with its directory before this put had ended: both calls have taken
      // effect.
      if (isErrno(error, 'ENOENT')) return;
      throw new QuireError(
        'STORE_UNAVAILABLE',
        `put of ${key} in ${root.location}: the object was stored, but ${errnoOf(error) ?? 'a failure'} prevented making it durable.`,
        { cause: error },
      );
    }
  }
}

/**
 * Moves a file to a path if no file exists there, or deletes it. Returns true if it was moved.
 *
 * A link is created in one step, which fails if a file exists; a rename would replace that file.
 * Without links, as on some network file systems, a file may still appear between the check and the
 * rename.
 */
async function moveIfAbsent(fileSystem: FileSystem, from: string, to: string): Promise<boolean> {
  for (;;) {
    try {
      await fileSystem.link(from, to);
      await fileSystem.unlink(from);
      return true;
    } catch (error) {
      const hasNoLinks = isErrno(error, ...noLinkErrnos);
      if (!hasNoLinks && !isErrno(error, 'EEXIST')) throw error;
      const kind = await kindOf(fileSystem, to);
      if (kind === 'file') {
        await fileSystem.unlink(from);
        return false;
      }
      if (hasNoLinks) {
        await fileSystem.rename(from, to);
        return true;
      }
      // A missing file was deleted; a directory is in the way.
      if (kind !== undefined) throw error;
    }
  }
}

async function kindOf(
  fileSystem: FileSystem,
  path: string,
): Promise<FileStatus['kind'] | undefined> {
  try {
    return (await fileSystem.status(path)).kind;
  } catch (error) {
    if (isErrno(error, 'ENOENT')) return undefined;
    throw error;
  }
}

function stagedFileDeleted(
  path: string,
  key: string,
  location: string,
  cause: unknown,
): QuireError {
  return new QuireError(
    'STORE_UNAVAILABLE',
    `put of ${key} in ${location} failed: its staged file ${path} was deleted by another program while it was written. A cleaner on ` +
      'another machine or in another container deletes staged files that do not change for its grace period (graceMs): make that longer than any write.',
    { cause },
  );
}

function leadsOutside(directory: string, key: string): QuireError {
  return new QuireError(
    'STORE_UNAVAILABLE',
    `${key} cannot be put: a symbolic link on ${directory} points outside the store's root.`,
  );
}

function keyInTheWay(key: string, location: string, cause: unknown): QuireError {
  return new QuireError(
    'INVALID_OBJECT_KEY',
    `${key} is above or below another object in ${location}.`,
    { cause },
  );
}

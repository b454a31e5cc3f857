import { dirname, join, resolve } from 'node:path';
import { type Clock, QuireError, type Random } from '@quire/core';
import { assertDurableFiles, isErrno } from '@quire/core/process';
import { absenceErrnos, toStoreError } from './errors.ts';
import type { FileSystem } from './file-system.ts';
import { ownerOfStaged } from './leftovers.ts';
import { makeDirectoryIfMissing, RootDirectory } from './root-directory.ts';
import { StagedFile } from './staged-file.ts';

/**
 * The age after which the writer of a staged file is certainly dead, because no write takes that
 * long.
 */
const staleAfterMs = 24 * 60 * 60 * 1000;

/** Errors that an operator must fix before the store can open. */
const unusableErrnos = [
  'ENOENT',
  'ENOTDIR',
  'EACCES',
  'EPERM',
  'EROFS',
  'ELOOP',
  'ENAMETOOLONG',
] as const;

export interface OpenRootOptions {
  readonly root: string;
  readonly fileSystem: FileSystem;
  readonly clock: Clock;
  readonly random: Random;
}

/**
 * Opens the directory of a store. Creates it if only its parent exists, verifies that it is
 * writable, and removes the leftovers of ended writers; those of unknown writers after a day.
 *
 * @throws INVALID_PARAMETER when it is not a directory, cannot be created, or is not writable
 * @throws UNSUPPORTED on Windows, which cannot make files durable
 * @throws STORE_FULL, STORE_UNAVAILABLE when the file system fails otherwise
 */
export async function openRoot({
  root,
  fileSystem,
  clock,
  random,
}: OpenRootOptions): Promise<RootDirectory> {
  if (root === '' || root.includes('\0')) {
    throw new QuireError(
      'INVALID_PARAMETER',
      `${JSON.stringify(root)} is not a path for the root of a file store.`,
    );
  }
  const path = resolve(root);
  assertDurableFiles('results', path);
  try {
    await makeDirectoryIfMissing(fileSystem, path);
    await makeNameDurable(fileSystem, path);
    const directory = new RootDirectory(fileSystem, await fileSystem.realPath(path));
    await assertDirectory(fileSystem, directory.path);
    await makeDirectoryIfMissing(fileSystem, directory.stagingPath);
    await assertDirectory(fileSystem, directory.stagingPath);
    await proveWritable(fileSystem, directory.stagingPath, random);
    await removeStale(fileSystem, directory.stagingPath, clock.nowMs() - staleAfterMs);
    return directory;
  } catch (error) {
    if (isErrno(error, ...unusableErrnos)) {
      const { message } = error as Error;
      throw new QuireError(
        'INVALID_PARAMETER',
        `${path} cannot be the root of a file store: ${message}.`,
        { cause: error },
      );
    }
    throw toStoreError(error, { op: 'open', key: path, location: 'the file system' });
  }
}

/**
 * Makes the name of the root durable, and so all objects. A parent that this user cannot read
 * cannot be synced; it must already be durable.
 */
async function makeNameDurable(fileSystem: FileSystem, path: string): Promise<void> {
  try {
    await fileSystem.syncDirectory(dirname(path));
  } catch (error) {
    if (!isErrno(error, 'EACCES', 'EPERM')) throw error;
  }
}

async function proveWritable(
  fileSystem: FileSystem,
  stagingPath: string,
  random: Random,
): Promise<void> {
  try {
    const probe = await StagedFile.create(fileSystem, stagingPath, random);
    await probe.discard();
  } catch (error) {
    // A full disk can still be read and freed: a cleaner must be able to open the store.
    if (!isErrno(error, 'ENOSPC', 'EDQUOT')) throw error;
  }
}

async function assertDirectory(fileSystem: FileSystem, path: string): Promise<void> {
  const { kind } = await fileSystem.status(path);
  if (kind !== 'directory') {
    throw new QuireError(
      'INVALID_PARAMETER',
      `${path} is not a directory, but a file store needs a directory.`,
    );
  }
}

async function removeStale(
  fileSystem: FileSystem,
  stagingPath: string,
  untilMs: number,
): Promise<void> {
  for (const name of await fileSystem.readDirectory(stagingPath)) {
    const path = join(stagingPath, name);
    try {
      const { kind, lastModifiedMs } = await fileSystem.status(path);
      const owner = ownerOfStaged(name);
      const isStale = owner === 'dead' || (owner === 'unknown' && lastModifiedMs < untilMs);
      if (kind === 'file' && isStale) await fileSystem.unlink(path);
    } catch (error) {
      // The writer of the file has finished, or another process is cleaning up as well.
      if (!isErrno(error, ...absenceErrnos)) throw error;
    }
  }
}

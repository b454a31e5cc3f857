import { dirname } from 'node:path';
import { type DeleteOptions, QuireError, throwIfAborted } from '@quire/core';
import { errnoOf, isErrno } from '@quire/core/process';
import { absenceErrnos, type FailedCall, translated } from './errors.ts';
import type { FileSystem } from './file-system.ts';
import type { RootDirectory } from './root-directory.ts';

/**
 * Deletes an object, and directories that become empty; does nothing if the object does not exist.
 */
export async function deleteObject(
  fileSystem: FileSystem,
  root: RootDirectory,
  key: string,
  options: DeleteOptions | undefined,
): Promise<void> {
  const call: FailedCall = { op: 'delete', key, location: root.location };
  const path = root.pathOf(key);
  const directory = dirname(path);
  await translated(call, async () => {
    try {
      // Behind a symbolic link, it is not an object of this store.
      if (!(await root.isContained(directory))) return;
      throwIfAborted(options?.signal);
      await fileSystem.unlink(path);
    } catch (error) {
      if (!isErrno(error, ...absenceErrnos) && !(await isDirectory(fileSystem, path, error))) {
        throw error;
      }
    }
    // Even if the object did not exist: its deleter may have died before these steps.
    if (options?.isDurable === true) await makeAbsenceDurable(fileSystem, root, key);
    await root.removeEmpty(directory);
  });
}

/**
 * Syncs the directory of a deleted object. If that has been removed as well, possibly by another
 * process, the directory that contained it is synced instead, so that the removal is durable.
 */
async function makeAbsenceDurable(
  fileSystem: FileSystem,
  root: RootDirectory,
  key: string,
): Promise<void> {
  for (let path = dirname(root.pathOf(key)); ; path = dirname(path)) {
    try {
      await fileSystem.syncDirectory(path);
      return;
    } catch (error) {
      if (path !== root.path && isErrno(error, ...absenceErrnos)) continue;
      throw new QuireError(
        'STORE_UNAVAILABLE',
        `delete of ${key} in ${root.location}: the object was deleted, but ${errnoOf(error) ?? 'a failure'} prevented making it durable.`,
        { cause: error },
      );
    }
  }
}

/**
 * Reports whether unlinking failed because the name is a directory: Linux reports EISDIR, other
 * systems EPERM.
 */
async function isDirectory(fileSystem: FileSystem, path: string, error: unknown): Promise<boolean> {
  if (isErrno(error, 'EISDIR')) return true;
  return isErrno(error, 'EPERM') && (await fileSystem.status(path)).kind === 'directory';
}

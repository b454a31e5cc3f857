import { dirname } from 'node:path';
import { type CallOptions, throwIfAborted } from '@quire/core';
import { isErrno } from '@quire/core/process';
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
  options: CallOptions | undefined,
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
    // Even if the object did not exist: the process that deleted it may have died before this step.
    await root.removeEmpty(directory);
  });
}

/**
 * Reports whether unlinking failed because the name is a directory: Linux reports EISDIR, other
 * systems EPERM.
 */
async function isDirectory(fileSystem: FileSystem, path: string, error: unknown): Promise<boolean> {
  if (isErrno(error, 'EISDIR')) return true;
  return isErrno(error, 'EPERM') && (await fileSystem.status(path)).kind === 'directory';
}

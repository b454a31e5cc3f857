import { dirname } from 'node:path';
import { type CallOptions, throwIfAborted } from '@quire/core';
import { isErrno } from '@quire/core/process';
import { absenceErrnos, type FailedCall, translated } from './errors.ts';
import type { FileSystem } from './file-system.ts';
import type { RootDirectory } from './root-directory.ts';

/**
 * Deletes an object, and the directories that this leaves empty; does nothing when there is no such
 * object.
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
      // Elsewhere than its path says, it is not one of our objects.
      if (!(await root.isContained(directory))) return;
      throwIfAborted(options?.signal);
      await fileSystem.unlink(path);
    } catch (error) {
      if (!isErrno(error, ...absenceErrnos) && !(await isDirectory(fileSystem, path, error))) {
        throw error;
      }
    }
    // Even when the object was gone: who deleted it may have died before this.
    await root.removeEmpty(directory);
  });
}

/**
 * Tells whether unlinking failed because a directory has that name: Linux says EISDIR, other
 * systems EPERM.
 */
async function isDirectory(fileSystem: FileSystem, path: string, error: unknown): Promise<boolean> {
  if (isErrno(error, 'EISDIR')) return true;
  return isErrno(error, 'EPERM') && (await fileSystem.status(path)).kind === 'directory';
}

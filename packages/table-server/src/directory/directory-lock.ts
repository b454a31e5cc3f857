import { join } from 'node:path';
import { QuireError } from '@quire/core';
import { isErrno } from '@quire/core/process';
import { tryLockFile } from '@quire/streams';

/**
 * Keeps the directory of a table server for this one, until it is disposed of, or its process ends.
 *
 * @throws INVALID_SETTING when another server has it, or nothing can be written to it
 */
export async function lockDirectory(root: string): Promise<AsyncDisposable> {
  const lock = await tryLock(join(root, '.lock'), root);
  if (lock !== undefined) return lock;
  throw new QuireError(
    'INVALID_SETTING',
    `${root} is open in another table server: each needs a directory of its own.`,
  );
}

async function tryLock(path: string, root: string): Promise<AsyncDisposable | undefined> {
  try {
    return await tryLockFile(path);
  } catch (error) {
    if (!isErrno(error, 'EACCES', 'EPERM', 'EROFS')) throw error;
    const message = `${root} cannot be written: a table server needs a directory that its user may write to.`;
    throw new QuireError('INVALID_SETTING', message, { cause: error });
  }
}

import { type FileHandle, open } from 'node:fs/promises';
import { join } from 'node:path';
import { QuireError } from '@quire/core';
import { tryLock } from 'fs-native-extensions';
import { isErrno } from './replace-file.ts';

/**
 * Keeps the directory of a table server for this one, until it is disposed of. The lock is the
 * operating system's own: it ends with its process, however that ends.
 *
 * @throws INVALID_SETTING when another server has it, or nothing can be written to it
 */
export async function lockDirectory(root: string): Promise<AsyncDisposable> {
  const file = await openLock(root);
  if (tryLock(file.fd)) return { [Symbol.asyncDispose]: () => file.close() };
  await file.close();
  throw new QuireError(
    'INVALID_SETTING',
    `${root} is open in another table server: each needs a directory of its own.`,
  );
}

async function openLock(root: string): Promise<FileHandle> {
  try {
    return await open(join(root, '.lock'), 'a');
  } catch (error) {
    if (!isErrno(error, 'EACCES', 'EPERM', 'EROFS')) throw error;
    const message = `${root} cannot be written: a table server needs a directory that its user may write to.`;
    throw new QuireError('INVALID_SETTING', message, { cause: error });
  }
}

import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { QuireError } from '@quire/core';
import { tryLock } from 'fs-native-extensions';

/**
 * Keeps the directory of a table server for this one, until it is disposed of. The lock is the operating system's own: it ends with its
 * process, however that ends.
 *
 * @throws INVALID_SETTING when another server has it
 */
export async function lockDirectory(root: string): Promise<AsyncDisposable> {
  const file = await open(join(root, '.lock'), 'a');
  if (tryLock(file.fd)) return { [Symbol.asyncDispose]: () => file.close() };
  await file.close();
  throw new QuireError('INVALID_SETTING', `${root} is open in another table server: each needs a directory of its own.`);
}

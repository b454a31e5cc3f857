import { open } from 'node:fs/promises';

/**
 * Opens a file, creating it if it is missing, and locks it for this process until it is disposed.
 * Returns undefined if another process, or another part of this one, has the lock. The operating
 * system releases the lock when the process ends, in any way.
 */
export async function tryLockFile(path: string): Promise<AsyncDisposable | undefined> {
  // Loaded only by writers: readers need no native code.
  const { tryLock } = await import('fs-native-extensions');
  const file = await open(path, 'a');
  try {
    if (tryLock(file.fd)) return { [Symbol.asyncDispose]: () => file.close() };
  } catch (error) {
    await file.close();
    throw error;
  }
  await file.close();
  return undefined;
}

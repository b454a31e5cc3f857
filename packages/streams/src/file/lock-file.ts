import { open } from 'node:fs/promises';

/**
 * Opens a file, creating it when it is missing, and locks it for this process until it is disposed
 * of. Returns undefined when another process, or another part of this one, has the lock. The lock is
 * the operating system's own: it ends with its process, however that ends.
 */
export async function tryLockFile(path: string): Promise<AsyncDisposable | undefined> {
  // Loaded by those who lock: readers need no native code.
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

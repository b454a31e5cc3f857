import { open } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock } from '@quire/core';

const tryAgainMs = 5;

/**
 * Runs while nobody else writes to a topic, in this process or another. The lock is the operating system's own, on an open file: it ends
 * with its process, however that ends.
 */
export async function withTopicLock<T>(
  directory: string,
  { clock, signal }: { readonly clock: Clock; readonly signal: AbortSignal | undefined },
  run: () => Promise<T>,
): Promise<T> {
  // Loaded only by who writes: readers need no native code.
  const { tryLock } = await import('fs-native-extensions');
  const file = await open(join(directory, '.lock'), 'a');
  try {
    while (!tryLock(file.fd)) await clock.sleep(tryAgainMs, signal);
    return await run();
  } finally {
    await file.close();
  }
}

import { mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import {
  type Clock,
  type ObjectStore,
  QuireError,
  type Random,
  type RetryEvent,
  type StoreCall,
  withLimit,
  withObserver,
  withRetry,
  withTimeLimit,
} from '@quire/core';
import type { Settings } from '@quire/settings';
import { FileObjectStore } from '@quire/store-file';
import { MemoryObjectStore } from '@quire/store-memory';

export interface StoreSurroundings {
  readonly clock: Clock;
  readonly random: Random;
  /** Told of every call that reached the store, and of every one that will be tried again. */
  readonly onCall: (call: StoreCall) => void;
  readonly onRetry: (event: RetryEvent) => void;
}

/** Between two tries of a call, in milliseconds: the first time, and at most. */
const retryDelays = { delayMs: 50, delayMaxMs: 5000 };

/**
 * Opens the store that the settings name, with what protects its callers around it.
 *
 * @throws INVALID_SETTING when there is no such store yet, or its directory cannot be used
 */
export async function openStore(settings: Settings['store'], surroundings: StoreSurroundings): Promise<ObjectStore> {
  const { clock, random, onCall, onRetry } = surroundings;
  if (settings.protocol === 'memory') {
    return withObserver(new MemoryObjectStore({ sizeMaxBytes: settings.memoryBytesMax, clock }), onCall, clock);
  }
  const observed = withObserver(await openFileStore(settings, surroundings), onCall, clock);
  const timed = withTimeLimit(observed, { clock, callTimeoutMs: settings.timeoutMs, idleTimeoutMs: settings.timeoutMs });
  // Limits are inside of retries: a call that waits for its next try must not keep others from theirs.
  const limited = withLimit(timed, { concurrentMax: settings.concurrencyMax });
  return withRetry(limited, { clock, random, attemptsMax: settings.attemptsMax, ...retryDelays, onRetry });
}

async function openFileStore(settings: Settings['store'], { clock, random }: StoreSurroundings): Promise<ObjectStore> {
  const { protocol, fileLocation } = settings;
  if (protocol !== 'file') throw notBuiltYet(`engine.broker.pagination.protocol = ${protocol}`);
  if (fileLocation === undefined) throw new QuireError('INTERNAL', 'The settings name no directory for the file store.');
  const setting = 'engine.broker.pagination.file.data.dir';
  if (fileLocation.scheme !== 'file') throw notBuiltYet(`${setting} = ${fileLocation.uri}`);
  const root = fileLocation.path;
  try {
    // The store makes its root only below a directory that is there; a server makes what it was told to use.
    await mkdir(dirname(root), { recursive: true });
    return await FileObjectStore.open({ root, clock, random });
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new QuireError('INVALID_SETTING', `${setting} = ${root}: ${reason}`, { cause: error });
  }
}

function notBuiltYet(assignment: string): QuireError {
  return new QuireError(
    'INVALID_SETTING',
    `${assignment}: this store is not built yet; expected memory, or file with a local directory.`,
  );
}

import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { RequestId } from '@quire/core';
import type { BufferPool } from '../buffer-pool.ts';
import { GrowingFile, type GrowingResult } from './growing-result.ts';
import { growthFileName, prepareGrowthDirectory } from './growth-leftovers.ts';

/** @throws STORE_UNAVAILABLE when the file of the growing result cannot be made */
export type GrowResult = (requestId: RequestId) => Promise<GrowingResult>;

/** Makes growing results in a directory, which is prepared when the first one is made; by default that of the system for temporary files. */
export function growingFiles(pool: BufferPool, directory = tmpdir()): GrowResult {
  let prepared: Promise<void> | undefined;
  return async (requestId) => {
    await (prepared ??= prepareGrowthDirectory(directory));
    return GrowingFile.create(requestId, join(directory, growthFileName(requestId)), pool);
  };
}

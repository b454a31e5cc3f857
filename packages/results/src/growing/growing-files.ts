import { mkdir, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { RequestId } from '@quire/core';
import { processTag, stateOfOwner } from '@quire/core/process';
import type { BufferPool } from '../buffer-pool.ts';
import { GrowingFile, type GrowingResult } from './growing-result.ts';

/** @throws STORE_UNAVAILABLE when the file of the growing result cannot be made */
export type GrowResult = (requestId: RequestId) => Promise<GrowingResult>;

/**
 * Makes growing results in a directory, which is prepared when the first one is made; by default
 * that of the system for temporary files.
 */
export function growingFiles(pool: BufferPool, directory = tmpdir()): GrowResult {
  let prepared: Promise<void> | undefined;
  return async (requestId) => {
    await (prepared ??= prepareGrowthDirectory(directory));
    return GrowingFile.create(requestId, join(directory, growthFileName(requestId)), pool);
  };
}

const growthPattern = /^growing-([0-9a-f-]{36})\.([0-9a-f-]+)$/;

/**
 * Names the file of a growing result after it and the process that reads it, so that it can go as
 * soon as that one is dead.
 */
function growthFileName(requestId: RequestId): string {
  return `growing-${requestId}.${processTag()}`;
}

/**
 * Makes the directory for files of growing results, and removes those of processes that have
 * certainly ended: one that died in the moment between making its file and taking its name away.
 * Never fails: what cannot be done shows when the next file is made.
 */
async function prepareGrowthDirectory(directory: string): Promise<void> {
  await mkdir(directory, { recursive: true }).catch(() => undefined);
  for (const name of await readdir(directory).catch(() => [])) {
    const tag = growthPattern.exec(name)?.[2];
    if (tag === undefined || stateOfOwner(tag) !== 'dead') continue;
    await rm(join(directory, name), { force: true }).catch(() => undefined);
  }
}

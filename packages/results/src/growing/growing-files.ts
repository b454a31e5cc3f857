import { mkdir, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { RequestId } from '@quire/core';
import { processTag, stateOfOwner } from '@quire/core/process';
import { GrowingFile, type GrowingMemory, type GrowingResult } from './growing-result.ts';

/**
 * Creates the file of a growing result.
 *
 * @throws STORE_UNAVAILABLE when it cannot be created
 */
export type GrowResult = (requestId: RequestId) => Promise<GrowingResult>;

/**
 * Returns a function that creates growing results in a directory, by default the system's directory
 * for temporary files. The directory is prepared with the first one.
 */
export function growingFiles(memory: GrowingMemory, directory = tmpdir()): GrowResult {
  let prepared: Promise<void> | undefined;
  return async (requestId) => {
    await (prepared ??= prepareGrowthDirectory(directory));
    return GrowingFile.create(requestId, join(directory, growthFileName(requestId)), memory);
  };
}

const growthPattern = /^growing-([0-9a-f-]{36})\.([0-9a-f-]+)$/;

/**
 * Returns a file name that identifies the result and the process that reads it, so that the file
 * can be deleted once that process is dead.
 */
function growthFileName(requestId: RequestId): string {
  return `growing-${requestId}.${processTag()}`;
}

/**
 * Creates the directory for files of growing results, and removes those of dead processes, which
 * died between creating a file and unlinking it. Never fails: the creation of the next file reports
 * any problem.
 */
async function prepareGrowthDirectory(directory: string): Promise<void> {
  await mkdir(directory, { recursive: true }).catch(() => undefined);
  for (const name of await readdir(directory).catch(() => [])) {
    const tag = growthPattern.exec(name)?.[2];
    if (tag === undefined || stateOfOwner(tag) !== 'dead') continue;
    await rm(join(directory, name), { force: true }).catch(() => undefined);
  }
}

import { type FileHandle, mkdir, open, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { RequestId } from '@quire/core';
import { processTag, stateOfOwner } from '@quire/core/process';
import { GrowingFile, type GrowingMemory, type GrowingResult } from './growing-result.ts';

/**
 * Creates a growing result. If its file cannot be created, its rows can be read only once the
 * result is stored.
 */
export type GrowResult = (requestId: RequestId) => Promise<GrowingResult>;

/**
 * Returns a function that creates growing results in a directory, by default the system's directory
 * for temporary files. The directory is prepared with the first one, and again if it is missing.
 */
export function growingFiles(memory: GrowingMemory, directory = tmpdir()): GrowResult {
  let prepared: Promise<void> | undefined;
  return async (requestId) => {
    const path = join(directory, growthFileName(requestId));
    await (prepared ??= prepareGrowthDirectory(directory));
    let file = await createFile(path);
    if (file === undefined) {
      // Programs that clean up temporary files may remove the directory.
      await prepareGrowthDirectory(directory);
      file = await createFile(path);
    }
    return new GrowingFile(requestId, { path, file, memory });
  };
}

async function createFile(path: string): Promise<FileHandle | undefined> {
  return open(path, 'wx+', 0o600).catch(() => undefined);
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
 * died between creating a file and unlinking it. Never fails: the next file then cannot be created.
 */
async function prepareGrowthDirectory(directory: string): Promise<void> {
  await mkdir(directory, { recursive: true }).catch(() => undefined);
  for (const name of await readdir(directory).catch(() => [])) {
    const tag = growthPattern.exec(name)?.[2];
    if (tag === undefined || stateOfOwner(tag) !== 'dead') continue;
    await rm(join(directory, name), { force: true }).catch(() => undefined);
  }
}

import { mkdir, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { RequestId } from '@quire/core';
import { processTag, stateOfOwner } from '@quire/core/process';

const growthPattern = /^growing-([0-9a-f-]{36})\.([0-9a-f-]+)$/;

/** Names the file of a growing result after it and the process that reads it, so that it can go as soon as that one is dead. */
export function growthFileName(requestId: RequestId): string {
  return `growing-${requestId}.${processTag()}`;
}

/**
 * Makes the directory for files of growing results, and removes those of processes that have certainly ended: one that died in the moment
 * between making its file and taking its name away. Never fails: what cannot be done shows when the next file is made.
 */
export async function prepareGrowthDirectory(directory: string): Promise<void> {
  await mkdir(directory, { recursive: true }).catch(() => undefined);
  for (const name of await readdir(directory).catch(() => [])) {
    const tag = growthPattern.exec(name)?.[2];
    if (tag === undefined || stateOfOwner(tag) !== 'dead') continue;
    await rm(join(directory, name), { force: true }).catch(() => undefined);
  }
}

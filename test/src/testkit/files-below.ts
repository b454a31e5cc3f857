import type { Dirent } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { isMissingFile } from '@quire/core/process';

/**
 * Returns the paths of all files below a directory, also while others create and delete in it.
 *
 * @throws Error with the code `ENOENT` when the directory itself does not exist
 */
export async function filesBelow(directory: string): Promise<string[]> {
  const entries = await entriesBelow(directory);
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
}

/**
 * Returns all files and directories below a directory, also while others create and delete in it.
 *
 * @throws Error with the code `ENOENT` when the directory itself does not exist
 */
export async function entriesBelow(directory: string): Promise<Dirent[]> {
  const entries = await readdir(directory, { withFileTypes: true });
  const below = await Promise.all(
    entries
      .filter((entry) => entry.isDirectory())
      // One that has been deleted since has nothing below it. Node's recursive list fails there.
      .map(({ name }) => entriesBelow(join(directory, name)).catch(noneIfGone)),
  );
  return [...entries, ...below.flat()];
}

function noneIfGone(error: unknown): Dirent[] {
  if (isMissingFile(error)) return [];
  throw error;
}

import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { pidOfTag, stateOfOwner } from '@quire/core/process';

/** Begins the name of a spill directory; the tag of its process and a random end follow: `duckdb-<tag>.<random>`. */
export const spillPrefix = 'duckdb-';
const spillPattern = /^duckdb-([0-9a-f-]+)\.\w+$/;

/**
 * Removes the spill directories of engines whose process has certainly ended; with a process id, of that one only. An engine does so
 * when it opens; call it also when you have just seen one die.
 *
 * Never fails: what cannot be removed now goes the next time. Links are not followed.
 */
export async function removeDeadSpills(directory: string, { pid }: { readonly pid?: number } = {}): Promise<void> {
  const entries = await readdir(directory, { withFileTypes: true }).catch(() => []);
  for (const entry of entries) {
    const tag = spillPattern.exec(entry.name)?.[1];
    if (tag === undefined || !entry.isDirectory() || stateOfOwner(tag) !== 'dead') continue;
    if (pid !== undefined && pidOfTag(tag) !== pid) continue;
    await rm(join(directory, entry.name), { recursive: true, force: true }).catch(() => undefined);
  }
}

import { mkdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { isErrno } from '@quire/core/process';
import { namesIn } from '../directory/table-directory.ts';

const namePattern = /^(\d{1,16})\.(.+)$/;

/** Returns the name of a file in the trash: the time of its move, and its former name. */
export function trashName(nowMs: number, file: string): string {
  return `${Math.floor(nowMs)}.${file}`;
}

/**
 * Creates a trash directory if it is missing, but not its parents: where a disk is no longer
 * mounted, they must stay missing.
 */
export async function makeTrash(folder: string): Promise<void> {
  try {
    await mkdir(folder, { mode: 0o750 });
  } catch (error) {
    if (!isErrno(error, 'EEXIST')) throw error;
  }
}

/**
 * Deletes files that have been in a trash directory for longer than the retention, or all of them
 * if there is none. Paths are relative to the root.
 *
 * @returns the deleted files and their reasons
 */
export async function emptyTrash(
  root: string,
  folder: string,
  { retentionMs, nowMs }: { readonly retentionMs: number | undefined; readonly nowMs: number },
): Promise<readonly { readonly path: string; readonly reason: string }[]> {
  const deleted: { path: string; reason: string }[] = [];
  for (const name of await namesIn(join(root, folder))) {
    const [, time, file = ''] = namePattern.exec(name) ?? [];
    if (time === undefined) continue;
    if (retentionMs !== undefined && nowMs - Number(time) < retentionMs) {
      // A time from a clock that was ahead must not keep the file forever.
      if (Number(time) > nowMs) {
        await rename(join(root, folder, name), join(root, folder, trashName(nowMs, file)));
      }
      continue;
    }
    await rm(join(root, folder, name), { recursive: true, force: true });
    const reason =
      retentionMs === undefined
        ? 'the trash was emptied'
        : 'its time in the trash, engine.tables.trash.retention, is over';
    deleted.push({ path: `${folder}/${name}`, reason });
  }
  return deleted;
}

import { rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { namesIn } from '../directory/table-directory.ts';

const namePattern = /^(\d{1,16})\.(.+)$/;

/** The name of a file in the trash: since when it is there, and how it was called. */
export function trashName(nowMs: number, file: string): string {
  return `${Math.floor(nowMs)}.${file}`;
}

/**
 * Deletes what has been in a trash for longer than its retention; without one, everything. Paths
 * are from the root.
 *
 * @returns what was deleted
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
      // A clock that was ahead must not keep it for ever.
      if (Number(time) > nowMs) {
        await rename(join(root, folder, name), join(root, folder, trashName(nowMs, file)));
      }
      continue;
    }
    await rm(join(root, folder, name), { recursive: true, force: true });
    const reason =
      retentionMs === undefined
        ? 'the trash was emptied'
        : 'it was in the trash for as long as engine.tables.trash.retention says';
    deleted.push({ path: `${folder}/${name}`, reason });
  }
  return deleted;
}

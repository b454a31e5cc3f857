import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { PageReader, type PageTarget } from '../http/page-reader.ts';
import type { StoredQuery } from '../quire/stored-query.ts';

/** The bytes of pages as files, each named by its offset. */
export async function writePages(
  { server }: StoredQuery,
  directory: string,
  offsets: readonly number[],
  targets: readonly PageTarget[],
): Promise<void> {
  await mkdir(directory);
  await using reader = new PageReader(server.url);
  for (const [index, target] of targets.entries()) {
    await writeFile(join(directory, String(offsets[index])), await reader.readBytes(target));
  }
}

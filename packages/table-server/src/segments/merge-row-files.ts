import { join } from 'node:path';
import type { RowFile } from './manifest.ts';
import { readRowFile } from './read-row-file.ts';
import { RowFileWriter } from './row-file-writer.ts';
import type { TableShape } from './table-columns.ts';

/** Writes the rows of several files of a directory into a new one there, in their order; the caller makes it count. */
export async function mergeRowFiles(
  files: readonly RowFile[],
  { directory, file, shape }: { readonly directory: string; readonly file: string; readonly shape: TableShape },
): Promise<RowFile> {
  await using writer = await RowFileWriter.create(join(directory, file), file, shape);
  for (const each of files) {
    const path = join(directory, each.file);
    if (await writer.takeOver(path, each)) continue;
    for await (const rows of readRowFile(path, each, shape)) await writer.write(rows);
  }
  return await writer.finish();
}

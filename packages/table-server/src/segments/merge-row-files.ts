import type { NewFile, ServedTable } from '../served-table.ts';
import type { RowFile } from './manifest.ts';
import { readRowFile } from './read-row-file.ts';
import { RowFileWriter } from './row-file-writer.ts';
import type { TableShape } from './table-columns.ts';

/** Writes the rows of several files of a table into a new one, in their order; the caller makes it count, and disposes of `slot` then. */
export async function mergeRowFiles(
  files: readonly RowFile[],
  slot: NewFile,
  { table, shape }: { readonly table: ServedTable; readonly shape: TableShape },
): Promise<RowFile> {
  await using writer = await RowFileWriter.create(slot.path, slot.file, shape);
  for (const file of files) {
    const path = table.pathOf(file.file);
    if (await writer.takeOver(path, file)) continue;
    for await (const rows of readRowFile(path, file, shape)) await writer.write(rows);
  }
  return await writer.finish();
}

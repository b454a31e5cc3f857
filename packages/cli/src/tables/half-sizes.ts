import type { FileTable, TableSize } from '@quire/client';

/**
 * The size of a half of a table. A table over files of the settings has files instead of segments.
 */
export interface HalfSize extends TableSize {
  readonly fileCount?: number;
}

/** Returns the halves with the size of the files, if it is a table over files of the settings. */
export function withFileSizes(
  halves: readonly TableSize[],
  files: FileTable | undefined,
): readonly HalfSize[] {
  if (files === undefined) return halves;
  const { rowCount, sizeBytes, fileCount } = files;
  return halves.map((half) => ({ ...half, rowCount, sizeBytes, fileCount }));
}

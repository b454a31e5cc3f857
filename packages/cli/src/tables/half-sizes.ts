import type { FileTable, QuireAdminClient, TableSize } from '@quire/client';
import { isQuireError } from '@quire/core';

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

/** A half that is set aside, with the reason instead of its size. */
export interface DamagedHalf extends Pick<TableSize, 'tableNameWithType' | 'type'> {
  readonly problem: string;
}

/**
 * Returns the halves of a table with their sizes, and those that are set aside with their problems;
 * none if the table has been deleted since it was listed.
 */
export async function readHalves(
  client: QuireAdminClient,
  rawName: string,
  options: { readonly signal: AbortSignal },
): Promise<readonly (TableSize | DamagedHalf)[]> {
  try {
    return await client.readTableSizes(rawName, options);
  } catch (error) {
    if (isQuireError(error, 'TABLE_NOT_FOUND')) return [];
    if (!isQuireError(error, 'TABLE_DAMAGED', 'RECORD_DAMAGED')) throw error;
  }
  // The other half may be intact.
  const halves = [];
  for (const type of ['OFFLINE', 'REALTIME'] as const) {
    halves.push(...(await readHalf(client, rawName, type, options)));
  }
  return halves;
}

async function readHalf(
  client: QuireAdminClient,
  rawName: string,
  type: TableSize['type'],
  options: { readonly signal: AbortSignal },
): Promise<readonly (TableSize | DamagedHalf)[]> {
  const tableNameWithType = `${rawName}_${type}`;
  try {
    const halves = await client.readTableSizes(tableNameWithType, options);
    return halves.map((half) => ({ ...half, tableNameWithType }));
  } catch (error) {
    if (isQuireError(error, 'TABLE_NOT_FOUND')) return [];
    if (!isQuireError(error, 'TABLE_DAMAGED', 'RECORD_DAMAGED')) throw error;
    return [{ tableNameWithType, type, problem: error.message }];
  }
}

import { open } from 'node:fs/promises';
import {
  type ColumnChunk,
  type FileMetaData,
  parquetMetadataAsync,
  type RowGroup,
  type SchemaElement,
} from 'hyparquet';

/**
 * The minimum number of rows of a group that is copied; smaller ones are merged, because many small
 * groups slow down queries.
 */
const rowsOfGroupMin = 8_192;

/** A row group as stored in a file. */
export interface StoredRowGroup {
  readonly bytes: Uint8Array;
  /** The position of the bytes in their file, to which the offsets of `group` are relative. */
  readonly startOffset: number;
  readonly group: RowGroup;
}

/**
 * Reads the row groups of a file so that they can be copied unchanged. Returns undefined if the
 * columns differ or the groups are small: then the rows must be written again.
 */
export async function readRowGroups(
  path: string,
  schema: readonly SchemaElement[],
): Promise<readonly StoredRowGroup[] | undefined> {
  const handle = await open(path);
  try {
    const { size } = await handle.stat();
    const read = async (start: number, end: number): Promise<Uint8Array<ArrayBuffer>> => {
      const bytes = new Uint8Array(end - start);
      await handle.read(bytes, 0, bytes.byteLength, start);
      return bytes;
    };
    const file = {
      byteLength: size,
      slice: async (start: number, end = size) => (await read(start, end)).buffer,
    };
    const metadata = await parquetMetadataAsync(file, { parsers, geoparquet: false });
    if (!isSameSchema(metadata, schema)) return undefined;
    if (metadata.row_groups.some(({ num_rows: count }) => Number(count) < rowsOfGroupMin)) {
      return undefined;
    }
    const groups: StoredRowGroup[] = [];
    for (const group of metadata.row_groups) {
      const spans = group.columns.flatMap(spanOf);
      const [startOffset, endOffset] = [
        Math.min(...spans.map(({ start }) => start)),
        Math.max(...spans.map(({ end }) => end)),
      ];
      groups.push({ bytes: await read(startOffset, endOffset), startOffset, group });
    }
    return groups;
  } finally {
    await handle.close();
  }
}

/**
 * Returns the metadata of a group at its new position. Its page indexes, which are at the end of
 * the file, are dropped.
 */
export function movedRowGroup({ group, startOffset }: StoredRowGroup, toOffset: number): RowGroup {
  const { file_offset: fileOffset } = group;
  const distance = toOffset - startOffset;
  return {
    ...group,
    ...(fileOffset !== undefined && { file_offset: fileOffset + BigInt(distance) }),
    columns: group.columns.map((column) => movedColumn(column, distance)),
  };
}

/** Returns the metadata of a column that moves by a number of bytes, without its page indexes. */
export function movedColumn(
  { file_path: _path, meta_data: meta, file_offset: fileOffset }: ColumnChunk,
  distance: number,
): ColumnChunk {
  if (meta === undefined) return { file_offset: fileOffset };
  const moved = (offset: bigint): bigint => offset + BigInt(distance);
  const { dictionary_page_offset: dictionary, statistics } = meta;
  return {
    file_offset: fileOffset === 0n ? 0n : moved(fileOffset),
    meta_data: {
      ...meta,
      data_page_offset: moved(meta.data_page_offset),
      ...(dictionary !== undefined && { dictionary_page_offset: moved(dictionary) }),
      ...(statistics !== undefined && { statistics: exactOnly(statistics) }),
    },
  };
}

type Statistics = NonNullable<NonNullable<ColumnChunk['meta_data']>['statistics']>;

/**
 * Keeps only exact bounds: the writer marks each bound that it does not truncate itself as exact,
 * so bounds that were already truncated are left out.
 */
function exactOnly(statistics: Statistics): Statistics {
  const isExact =
    statistics.is_max_value_exact !== false && statistics.is_min_value_exact !== false;
  return isExact
    ? statistics
    : { ...(statistics.null_count !== undefined && { null_count: statistics.null_count }) };
}

function spanOf({
  meta_data: meta,
}: ColumnChunk): readonly { readonly start: number; readonly end: number }[] {
  if (meta === undefined) return [];
  const start = Number(meta.dictionary_page_offset ?? meta.data_page_offset);
  return [{ start, end: start + Number(meta.total_compressed_size) }];
}

function isSameSchema({ schema: stored }: FileMetaData, schema: readonly SchemaElement[]): boolean {
  const described = (elements: readonly SchemaElement[]): string =>
    JSON.stringify(
      elements.map(
        ({
          name,
          type,
          converted_type: converted,
          repetition_type: repetition,
          num_children: children,
        }) => [name, type, converted, repetition, children],
      ),
    );
  return described(stored) === described(schema);
}

/**
 * Parsers that return column bounds as bytes and times as numbers, so that they are written back
 * unchanged.
 */
const parsers = {
  stringFromBytes: (bytes: Uint8Array) => bytes,
  timestampFromMilliseconds: (milliseconds: bigint) => milliseconds,
};

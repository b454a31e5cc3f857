import { zstdCompressSync } from 'node:zlib';
import type { ColumnMetaData, SchemaElement } from 'hyparquet';
import { ByteWriter } from 'hyparquet-writer';

/** The values of one column of a row group, as they are stored in its pages. */
export interface EncodedValues {
  /** The number of rows, including those without a value. */
  readonly rowCount: number;
  /** 1 for each row with a value, 0 for the others; undefined if all have one. */
  readonly levels: Uint8Array | undefined;
  /** The distinct values in plain encoding, if the pages have indexes of them. */
  readonly dictionary: { readonly bytes: Uint8Array; readonly count: number } | undefined;
  readonly pages: readonly PageValues[];
  /** The bounds of the values; undefined without values. */
  readonly min: Bound | undefined;
  readonly max: Bound | undefined;
}

/** The values of consecutive rows: in plain encoding, or indexes of the dictionary. */
export interface PageValues {
  readonly rowCount: number;
  readonly bytes: Uint8Array;
}

export type Bound = number | bigint | Uint8Array;

/** Types and encodings, as in the format (https://parquet.apache.org/docs/file-format/metadata). */
const pageTypes = { dictionary: 2, dataV2: 3 } as const;
const encodings = { plain: 0, dictionary: 8 } as const;

/**
 * Writes a column of optional single values to a file: its pages, compressed by zstd. Returns its
 * metadata.
 */
export function writePages(
  output: ByteWriter,
  { name, type = 'BYTE_ARRAY' }: SchemaElement,
  { rowCount, levels, dictionary, pages, min, max }: EncodedValues,
): ColumnMetaData {
  const startOffset = output.offset;
  let uncompressedBytes = 0;
  if (dictionary !== undefined) {
    const compressed = zstdCompressSync(dictionary.bytes);
    uncompressedBytes += dictionary.bytes.byteLength - compressed.byteLength;
    writeHeader(output, {
      type: pageTypes.dictionary,
      bytes: dictionary.bytes.byteLength,
      compressedBytes: compressed.byteLength,
      field: 7,
      members: [dictionary.count, encodings.plain],
    });
    output.appendBytes(compressed);
  }
  const dataOffset = output.offset;
  let nullCount = 0;
  let row = 0;
  for (const page of pages) {
    const levelBytes = encodeLevels(levels?.subarray(row, row + page.rowCount), page.rowCount);
    const pageNullCount = countNulls(levels, row, row + page.rowCount);
    const compressed = zstdCompressSync(page.bytes);
    uncompressedBytes += page.bytes.byteLength - compressed.byteLength;
    const encoding = dictionary === undefined ? encodings.plain : encodings.dictionary;
    writeHeader(output, {
      type: pageTypes.dataV2,
      bytes: levelBytes.byteLength + page.bytes.byteLength,
      compressedBytes: levelBytes.byteLength + compressed.byteLength,
      field: 8,
      members: [page.rowCount, pageNullCount, page.rowCount, encoding, levelBytes.byteLength, 0],
    });
    output.appendBytes(levelBytes);
    output.appendBytes(compressed);
    nullCount += pageNullCount;
    row += page.rowCount;
  }
  const compressedSize = output.offset - startOffset;
  return {
    type,
    encodings: dictionary === undefined ? ['PLAIN'] : ['PLAIN', 'RLE_DICTIONARY'],
    path_in_schema: [name],
    codec: 'ZSTD',
    num_values: BigInt(rowCount),
    total_compressed_size: BigInt(compressedSize),
    total_uncompressed_size: BigInt(compressedSize + uncompressedBytes),
    data_page_offset: BigInt(dataOffset),
    ...(dictionary !== undefined && { dictionary_page_offset: BigInt(startOffset) }),
    statistics: {
      null_count: BigInt(nullCount),
      ...(min !== undefined && { min_value: min }),
      ...(max !== undefined && { max_value: max }),
    },
  };
}

/**
 * Writes the header of a page in Thrift's compact protocol: all of its members are integers, and
 * those of its type are in a structure.
 */
function writeHeader(
  output: ByteWriter,
  page: {
    readonly type: number;
    readonly bytes: number;
    readonly compressedBytes: number;
    /** The number of the field that contains the structure. */
    readonly field: number;
    readonly members: readonly number[];
  },
): void {
  const [integer, structure, stop] = [0x05, 0x0c, 0];
  for (const value of [page.type, page.bytes, page.compressedBytes]) {
    output.appendUint8(0x10 | integer); // the next field
    output.appendZigZag(value);
  }
  output.appendUint8(((page.field - 3) << 4) | structure);
  for (const value of page.members) {
    output.appendUint8(0x10 | integer);
    output.appendZigZag(value);
  }
  output.appendUint8(stop);
  output.appendUint8(stop);
}

/** Encodes the levels of rows; all are 1 if there are none. */
function encodeLevels(levels: Uint8Array | undefined, rowCount: number): Uint8Array {
  const writer = new ByteWriter();
  if (levels?.includes(0) === true) {
    appendBitPacked(writer, levels, 1);
  } else {
    writer.appendVarInt(rowCount << 1); // a run
    writer.appendUint8(1);
  }
  return writer.getBytes();
}

function countNulls(levels: Uint8Array | undefined, start: number, end: number): number {
  let count = 0;
  for (let row = start; levels !== undefined && row < end; row += 1) {
    if (levels[row] === 0) count += 1;
  }
  return count;
}

/** Encodes indexes of a dictionary with this number of values. */
export function encodeIndexes(indexes: Int32Array, valueCount: number): Uint8Array {
  const bitWidth = valueCount < 2 ? 0 : 32 - Math.clz32(valueCount - 1);
  const writer = new ByteWriter(16 + Math.ceil((indexes.length * bitWidth) / 8));
  writer.appendUint8(bitWidth);
  if (bitWidth === 0) writer.appendVarInt(indexes.length << 1);
  else appendBitPacked(writer, indexes, bitWidth);
  return writer.getBytes();
}

/** Appends integers of a few bits each, as one run whose length is a multiple of eight. */
function appendBitPacked(
  writer: ByteWriter,
  values: Uint8Array | Int32Array,
  bitWidth: number,
): void {
  const groupCount = Math.ceil(values.length / 8);
  writer.appendVarInt((groupCount << 1) | 1);
  const bytes = new Uint8Array(groupCount * bitWidth);
  let [bits, bitCount, at] = [0, 0, 0];
  for (let index = 0; index < values.length; index += 1) {
    const value = values[index] ?? 0;
    // At most 7 bits are left, so that they and a value of up to 24 bits fit into 31.
    bits |= value << bitCount;
    bitCount += bitWidth;
    while (bitCount >= 8) {
      bytes[at] = bits & 0xff;
      at += 1;
      bits >>>= 8;
      bitCount -= 8;
    }
  }
  if (bitCount > 0) bytes[at] = bits;
  writer.appendBytes(bytes);
}

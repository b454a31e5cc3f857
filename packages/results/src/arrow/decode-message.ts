import { Data, DataType, type Field, makeData, type Schema, Type } from 'apache-arrow';
import { isQuireError, QuireError } from '@quire/core';
import { BatchHeader } from './batch-header.ts';
import { decompressBuffer } from './buffer-codec.ts';
import type { ColumnBatch } from './column-batch.ts';
import { byteWidthOf } from './column-type.ts';

const prefixBytes = 8;

/**
 * Decodes one record batch message; the columns are laid over `bytes`, not copied, so `bytes` must not change afterwards.
 *
 * Every row of it has its values within `bytes`: the encoders rely on it, whose memory others use as well.
 *
 * @throws RESULT_CORRUPT when the bytes are not a record batch of this schema, or one of fewer than `rowCountMin` rows
 */
export function decodeBatchMessage(schema: Schema, bytes: Uint8Array, rowCountMin = 0): ColumnBatch {
  try {
    const aligned = bytes.byteOffset % 8 === 0 ? bytes : bytes.slice();
    const metadataBytes = new DataView(aligned.buffer, aligned.byteOffset).getInt32(4, true);
    const header = new BatchHeader(aligned.subarray(prefixBytes, prefixBytes + metadataBytes));
    if (header.rowCount < rowCountMin) throw tooShort();
    const source = { header, body: aligned.subarray(prefixBytes + metadataBytes) };
    return { rowCount: header.rowCount, columns: schema.fields.map((field) => decodeColumn(field, source, header.rowCount)) };
  } catch (error) {
    if (isQuireError(error)) throw error;
    throw new QuireError('RESULT_CORRUPT', 'A stored record batch cannot be decoded.', { cause: error });
  }
}

interface ColumnSource {
  readonly header: BatchHeader;
  readonly body: Uint8Array;
}

/** The bits of a column without nulls. */
const noBits = new Uint8Array(0);

/** The mirror of `assembleColumn`, of a column that has `lengthMin` rows at least. */
function decodeColumn(field: Field, source: ColumnSource, lengthMin: number): Data {
  const type = field.type as DataType;
  const { header } = source;
  header.takeNode();
  const { length, nullCount } = header;
  if (length < lengthMin) throw tooShort();
  if (DataType.isNull(type)) return makeData({ type, length });
  const bits = nextBuffer(source, nullCount === 0 ? 0 : Math.ceil(length / 8));
  const nullBitmap = nullCount === 0 ? noBits : bits;
  const shared = { length, nullCount, nullBitmap };

  const byteWidth = DataType.isBool(type) ? 1 / 8 : byteWidthOf(type);
  if (byteWidth !== undefined) {
    const values = arrayOver(type, nextBuffer(source, Math.ceil(length * byteWidth)));
    return new Data(type, 0, length, nullCount, buffersOf(undefined, values, nullBitmap));
  }
  if (DataType.isStruct(type)) {
    const children = type.children.map((child) => decodeColumn(child, source, length));
    return makeData({ type, ...shared, children });
  }
  if (DataType.isFixedSizeList(type)) {
    return makeData({ type, ...shared, child: decodeColumn(firstChild(type), source, length * type.listSize) });
  }
  const isLarge = DataType.isLargeUtf8(type) || DataType.isLargeBinary(type) || DataType.isLargeList(type);
  const valueOffsets = orderedOffsets(nextBuffer(source, (length + 1) * (isLarge ? 8 : 4)), isLarge, length);
  const end = Number(valueOffsets[length]);
  if (DataType.isList(type) || DataType.isMap(type) || DataType.isLargeList(type)) {
    return makeData({ type, ...shared, valueOffsets, child: decodeColumn(firstChild(type), source, end) } as Parameters<
      typeof makeData
    >[0]);
  }
  const values = nextBuffer(source, end);
  return new Data(type, 0, length, nullCount, buffersOf(valueOffsets, values, nullBitmap));
}

/** The values of a type of one size; as `makeData` lays them over their bytes, which takes three times as long to find out how. */
function arrayOver({ ArrayType }: DataType, { buffer, byteOffset, byteLength }: Uint8Array): ArrayBufferView {
  const { BYTES_PER_ELEMENT } = ArrayType as { readonly BYTES_PER_ELEMENT: number };
  const Values = ArrayType as new (buffer: ArrayBufferLike, byteOffset: number, length: number) => ArrayBufferView;
  return new Values(buffer, byteOffset, Math.floor(byteLength / BYTES_PER_ELEMENT));
}

/** The buffers of a column, each at the place of its `BufferType`: an array, as `makeData` makes it, costs less than names. */
function buffersOf(
  valueOffsets: ArrayBufferView | undefined,
  values: ArrayBufferView,
  nullBitmap: Uint8Array,
): ConstructorParameters<typeof Data>[4] {
  return [valueOffsets, values, nullBitmap] as unknown as ConstructorParameters<typeof Data>[4];
}

/** The next buffer, of that many bytes at least. */
function nextBuffer({ header, body }: ColumnSource, sizeBytesMin: number): Uint8Array {
  const stored = header.takeBuffer(body);
  const buffer = header.compression === undefined ? stored : plain(decompressBuffer(stored, header.compression));
  if (buffer.byteLength < sizeBytesMin) throw tooShort();
  return buffer;
}

/** Not a `Buffer`, whose slices are not copies. */
function plain({ buffer, byteOffset, byteLength }: Uint8Array): Uint8Array {
  return new Uint8Array(buffer, byteOffset, byteLength);
}

/** The offsets of `length` rows. @throws RESULT_CORRUPT when one leads back, or before the first value */
function orderedOffsets({ buffer, byteOffset }: Uint8Array, isLarge: boolean, length: number): Int32Array | BigInt64Array {
  const offsets = isLarge ? new BigInt64Array(buffer, byteOffset, length + 1) : new Int32Array(buffer, byteOffset, length + 1);
  let last: number | bigint = 0;
  let isOrdered = true;
  for (let row = 0; row <= length; row += 1) {
    const next = offsets[row] ?? 0;
    isOrdered &&= last <= next;
    last = next;
  }
  if (!isOrdered) throw new QuireError('RESULT_CORRUPT', 'A stored record batch has offsets that lead out of it.');
  return offsets;
}

function tooShort(): QuireError {
  return new QuireError('RESULT_CORRUPT', 'A stored record batch holds fewer values than its rows have.');
}

function firstChild(type: DataType): Field {
  const child = (type.children as readonly Field[])[0];
  if (child === undefined) throw new QuireError('RESULT_CORRUPT', `The stored type ${Type[type.typeId]} lacks its child.`);
  return child;
}

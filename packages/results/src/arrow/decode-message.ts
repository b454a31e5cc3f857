import { Data, DataType, type Field, makeData, type Schema, Type } from 'apache-arrow';
import { QuireError } from '@quire/core';
import type { BatchHeader } from './batch-header.ts';
import { decompressBufferSync } from './buffer-codec.ts';
import type { ColumnBatch } from './column-batch.ts';
import { byteWidthOf } from './column-type.ts';
import { openBatch, plainBuffers, refusingDamage } from './stored-batch.ts';

/**
 * Decodes one record batch message. The columns are views of `bytes`, so `bytes` must not change
 * afterwards. Compressed buffers are decompressed on this thread; asynchronous callers use
 * `decodeCompressed`.
 *
 * The values of every row are within `bytes`: the encoders rely on that, because their memory also
 * contains other data.
 *
 * @throws RESULT_CORRUPT when the bytes are not a record batch of this schema, or one with fewer
 *   than `rowCountMin` rows
 */
export function decodeBatchMessage(
  schema: Schema,
  bytes: Uint8Array,
  rowCountMin = 0,
): ColumnBatch {
  return refusingDamage(() => {
    const { header, body, codec } = openBatch(bytes.byteOffset % 8 === 0 ? bytes : bytes.slice());
    const nextBuffer = (): Uint8Array => {
      const buffer = header.takeBuffer(body);
      return codec === undefined ? buffer : decompressBufferSync(buffer, codec);
    };
    return decodeColumns(schema, { header, nextBuffer }, rowCountMin);
  });
}

/**
 * Decodes a message with compressed buffers as `decodeBatchMessage` does, and decompresses large
 * ones on other threads. `bytes` must not change until the promise is settled.
 */
export async function decodeCompressed(
  schema: Schema,
  bytes: Uint8Array,
  rowCountMin = 0,
): Promise<ColumnBatch> {
  const aligned = bytes.byteOffset % 8 === 0 ? bytes : bytes.slice();
  const { header, buffers } = await plainBuffers(aligned);
  const rest = buffers.values();
  const nextBuffer = (): Uint8Array => {
    const { value } = rest.next();
    if (value === undefined) {
      throw new QuireError(
        'RESULT_CORRUPT',
        'A stored record batch has fewer columns than its schema.',
      );
    }
    return value;
  };
  return refusingDamage(() => decodeColumns(schema, { header, nextBuffer }, rowCountMin));
}

function decodeColumns(schema: Schema, source: ColumnSource, rowCountMin: number): ColumnBatch {
  const { rowCount } = source.header;
  if (rowCount < rowCountMin) throw tooShort();
  return { rowCount, columns: schema.fields.map((field) => decodeColumn(field, source, rowCount)) };
}

interface ColumnSource {
  readonly header: BatchHeader;
  /** Takes the next buffer, decompressed. */
  readonly nextBuffer: () => Uint8Array;
}

/** The validity bitmap of a column without nulls. */
const noBits = new Uint8Array(0);

/** Decodes a column of at least `lengthMin` rows: the inverse of `assembleColumn`. */
function decodeColumn(field: Field, source: ColumnSource, lengthMin: number): Data {
  const type = field.type as DataType;
  const { header } = source;
  header.takeNode();
  const { length, nullCount } = header;
  if (length < lengthMin) throw tooShort();
  if (DataType.isNull(type)) return makeData({ type, length });
  const bits = bufferOf(source, nullCount === 0 ? 0 : Math.ceil(length / 8));
  const nullBitmap = nullCount === 0 ? noBits : bits;
  const shared = { length, nullCount, nullBitmap };

  const byteWidth = DataType.isBool(type) ? 1 / 8 : byteWidthOf(type);
  if (byteWidth !== undefined) {
    const values = arrayOver(type, bufferOf(source, Math.ceil(length * byteWidth)));
    return new Data(type, 0, length, nullCount, buffersOf(undefined, values, nullBitmap));
  }
  if (DataType.isStruct(type)) {
    const children = type.children.map((child) => decodeColumn(child, source, length));
    return makeData({ type, ...shared, children });
  }
  if (DataType.isFixedSizeList(type)) {
    return makeData({
      type,
      ...shared,
      child: decodeColumn(firstChild(type), source, length * type.listSize),
    });
  }
  const isLarge =
    DataType.isLargeUtf8(type) || DataType.isLargeBinary(type) || DataType.isLargeList(type);
  const valueOffsets = orderedOffsets(
    bufferOf(source, (length + 1) * (isLarge ? 8 : 4)),
    isLarge,
    length,
  );
  const end = Number(valueOffsets[length]);
  if (DataType.isList(type) || DataType.isMap(type) || DataType.isLargeList(type)) {
    return makeData({
      type,
      ...shared,
      valueOffsets,
      child: decodeColumn(firstChild(type), source, end),
    } as Parameters<typeof makeData>[0]);
  }
  const values = bufferOf(source, end);
  return new Data(type, 0, length, nullCount, buffersOf(valueOffsets, values, nullBitmap));
}

/**
 * Returns the values of a fixed-width type over their bytes, as `makeData` does, which takes three
 * times as long to choose the array type.
 */
function arrayOver(
  { ArrayType }: DataType,
  { buffer, byteOffset, byteLength }: Uint8Array,
): ArrayBufferView {
  const { BYTES_PER_ELEMENT } = ArrayType as { readonly BYTES_PER_ELEMENT: number };
  const Values = ArrayType as new (
    buffer: ArrayBufferLike,
    byteOffset: number,
    length: number,
  ) => ArrayBufferView;
  return new Values(buffer, byteOffset, Math.floor(byteLength / BYTES_PER_ELEMENT));
}

/**
 * Returns the buffers of a column, each at the index of its `BufferType`. An array, which
 * `makeData` also creates, is cheaper than named properties.
 */
function buffersOf(
  valueOffsets: ArrayBufferView | undefined,
  values: ArrayBufferView,
  nullBitmap: Uint8Array,
): ConstructorParameters<typeof Data>[4] {
  return [valueOffsets, values, nullBitmap] as unknown as ConstructorParameters<typeof Data>[4];
}

/** Returns the next buffer, which has at least that many bytes. */
function bufferOf({ nextBuffer }: ColumnSource, sizeBytesMin: number): Uint8Array {
  const buffer = nextBuffer();
  if (buffer.byteLength < sizeBytesMin) throw tooShort();
  return buffer;
}

/**
 * Returns the offsets of `length` rows. @throws RESULT_CORRUPT when one decreases or is negative
 */
function orderedOffsets(
  { buffer, byteOffset }: Uint8Array,
  isLarge: boolean,
  length: number,
): Int32Array | BigInt64Array {
  const offsets = isLarge
    ? new BigInt64Array(buffer, byteOffset, length + 1)
    : new Int32Array(buffer, byteOffset, length + 1);
  let last: number | bigint = 0;
  let isOrdered = true;
  for (let row = 0; row <= length; row += 1) {
    const next = offsets[row] ?? 0;
    isOrdered &&= last <= next;
    last = next;
  }
  if (!isOrdered) {
    throw new QuireError(
      'RESULT_CORRUPT',
      'A stored record batch has offsets that point outside it.',
    );
  }
  return offsets;
}

function tooShort(): QuireError {
  return new QuireError('RESULT_CORRUPT', 'A stored record batch has fewer values than rows.');
}

function firstChild(type: DataType): Field {
  const child = (type.children as readonly Field[])[0];
  if (child === undefined) {
    throw new QuireError('RESULT_CORRUPT', `The stored type ${Type[type.typeId]} has no child.`);
  }
  return child;
}

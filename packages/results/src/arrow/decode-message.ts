import { Data, DataType, type Field, makeData, type Schema, Type } from 'apache-arrow';
import { QuireError } from '@quire/core';
import type { BatchHeader } from './batch-header.ts';
import { decompressBufferSync } from './buffer-codec.ts';
import type { ColumnBatch } from './column-batch.ts';
import { byteWidthOf } from './column-type.ts';
import { openBatch, plainBuffers, refusingDamage } from './stored-batch.ts';

/**
 * Decodes one record batch message; the columns are laid over `bytes`, not copied, so `bytes` must
 * not change afterwards. Compressed buffers are decompressed on this thread: those who can wait
 * call `decodeCompressed`.
 *
 * Every row of it has its values within `bytes`: the encoders rely on it, whose memory others use
 * as well.
 *
 * @throws RESULT_CORRUPT when the bytes are not a record batch of this schema, or one of fewer than
 * `rowCountMin` rows
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
 * As `decodeBatchMessage`, of a message with compressed buffers, which other threads decompress
 * where they are large. `bytes` must not change before the promise is settled.
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
  /** Takes the next buffer, plain. */
  readonly nextBuffer: () => Uint8Array;
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
 * The values of a type of one size; as `makeData` lays them over their bytes, which takes three
 * times as long to find out how.
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
 * The buffers of a column, each at the place of its `BufferType`: an array, as `makeData` makes it,
 * costs less than names.
 */
function buffersOf(
  valueOffsets: ArrayBufferView | undefined,
  values: ArrayBufferView,
  nullBitmap: Uint8Array,
): ConstructorParameters<typeof Data>[4] {
  return [valueOffsets, values, nullBitmap] as unknown as ConstructorParameters<typeof Data>[4];
}

/** The next buffer, of that many bytes at least. */
function bufferOf({ nextBuffer }: ColumnSource, sizeBytesMin: number): Uint8Array {
  const buffer = nextBuffer();
  if (buffer.byteLength < sizeBytesMin) throw tooShort();
  return buffer;
}

/**
 * The offsets of `length` rows. @throws RESULT_CORRUPT when one leads back, or before the first
 * value
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
      'A stored record batch has offsets that lead out of it.',
    );
  }
  return offsets;
}

function tooShort(): QuireError {
  return new QuireError(
    'RESULT_CORRUPT',
    'A stored record batch holds fewer values than its rows have.',
  );
}

function firstChild(type: DataType): Field {
  const child = (type.children as readonly Field[])[0];
  if (child === undefined) {
    throw new QuireError('RESULT_CORRUPT', `The stored type ${Type[type.typeId]} lacks its child.`);
  }
  return child;
}

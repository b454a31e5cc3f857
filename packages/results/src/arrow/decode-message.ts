import { type Data, DataType, type Field, makeData, type Schema, Type } from 'apache-arrow';
import { type BufferRegion, type FieldNode, Message } from 'apache-arrow/ipc/metadata/message';
import { isQuireError, QuireError } from '@quire/core';
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
    const message = Message.decode(aligned.subarray(prefixBytes, prefixBytes + metadataBytes));
    if (!message.isRecordBatch()) throw new QuireError('RESULT_CORRUPT', 'A stored message is not a record batch.');
    const header = message.header();
    const body = aligned.subarray(prefixBytes + metadataBytes);
    const compression = header.compression?.type;
    const source: ColumnSource = {
      nodes: header.nodes.values(),
      buffers: header.buffers.values(),
      read: ({ offset, length }) => {
        const buffer = body.subarray(offset, offset + length);
        return compression === undefined ? buffer : decompressBuffer(buffer, compression);
      },
    };
    if (header.length < rowCountMin) throw tooShort();
    return { rowCount: header.length, columns: schema.fields.map((field) => decodeColumn(field, source, header.length)) };
  } catch (error) {
    if (isQuireError(error)) throw error;
    throw new QuireError('RESULT_CORRUPT', 'A stored record batch cannot be decoded.', { cause: error });
  }
}

interface ColumnSource {
  readonly nodes: Iterator<FieldNode>;
  readonly buffers: Iterator<BufferRegion>;
  read(region: BufferRegion): Uint8Array;
}

/** The mirror of `assembleColumn`, of a column that has `lengthMin` rows at least. */
function decodeColumn(field: Field, source: ColumnSource, lengthMin: number): Data {
  const type = field.type as DataType;
  const { length, nullCount } = take(source.nodes);
  if (length < lengthMin) throw tooShort();
  if (DataType.isNull(type)) return makeData({ type, length });
  const nextBuffer = (sizeBytesMin: number): Uint8Array => {
    const buffer = source.read(take(source.buffers));
    if (buffer.byteLength < sizeBytesMin) throw tooShort();
    return buffer;
  };
  const validity = nextBuffer(nullCount === 0 ? 0 : (length + 7) >> 3);
  const shared = { length, nullCount, nullBitmap: nullCount === 0 ? undefined : validity };

  if (DataType.isBool(type)) return makeData({ type, ...shared, data: nextBuffer((length + 7) >> 3) });
  const byteWidth = byteWidthOf(type);
  if (byteWidth !== undefined) {
    return makeData({ type, ...shared, data: nextBuffer(length * byteWidth) } as Parameters<typeof makeData>[0]);
  }
  if (DataType.isStruct(type)) {
    const children = type.children.map((child) => decodeColumn(child, source, length));
    return makeData({ type, ...shared, children });
  }
  if (DataType.isFixedSizeList(type)) {
    return makeData({ type, ...shared, child: decodeColumn(firstChild(type), source, length * type.listSize) });
  }
  const isLarge = DataType.isLargeUtf8(type) || DataType.isLargeBinary(type) || DataType.isLargeList(type);
  const valueOffsets = nextBuffer((length + 1) * (isLarge ? 8 : 4));
  const end = endOfValues(valueOffsets, isLarge, length);
  if (DataType.isList(type) || DataType.isMap(type) || DataType.isLargeList(type)) {
    return makeData({ type, ...shared, valueOffsets, child: decodeColumn(firstChild(type), source, end) } as Parameters<
      typeof makeData
    >[0]);
  }
  return makeData({ type, ...shared, valueOffsets, data: nextBuffer(end) } as unknown as Parameters<typeof makeData>[0]);
}

/** How many values the offsets of the rows lead to. @throws RESULT_CORRUPT when one leads back, or before the first value */
function endOfValues({ buffer, byteOffset }: Uint8Array, isLarge: boolean, length: number): number {
  const offsets = isLarge ? new BigInt64Array(buffer, byteOffset, length + 1) : new Int32Array(buffer, byteOffset, length + 1);
  const [first = 0] = offsets;
  let isOrdered = first >= 0;
  for (let row = 0; row < length; row += 1) isOrdered &&= (offsets[row] ?? 0) <= (offsets[row + 1] ?? 0);
  if (!isOrdered) throw new QuireError('RESULT_CORRUPT', 'A stored record batch has offsets that lead out of it.');
  return Number(offsets[length]);
}

function tooShort(): QuireError {
  return new QuireError('RESULT_CORRUPT', 'A stored record batch holds fewer values than its rows have.');
}

function firstChild(type: DataType): Field {
  const child = (type.children as readonly Field[])[0];
  if (child === undefined) throw new QuireError('RESULT_CORRUPT', `The stored type ${Type[type.typeId]} lacks its child.`);
  return child;
}

function take<T>(iterator: Iterator<T>): T {
  const next = iterator.next();
  if (next.done === true) throw new QuireError('RESULT_CORRUPT', 'A stored record batch has fewer columns than its schema.');
  return next.value;
}

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
 * @throws RESULT_CORRUPT when the bytes are not a record batch of this schema
 */
export function decodeBatchMessage(schema: Schema, bytes: Uint8Array): ColumnBatch {
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
    return { rowCount: header.length, columns: schema.fields.map((field) => decodeColumn(field, source)) };
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

/** The mirror of `assembleColumn`. */
function decodeColumn(field: Field, source: ColumnSource): Data {
  const type = field.type as DataType;
  const { length, nullCount } = take(source.nodes);
  if (DataType.isNull(type)) return makeData({ type, length });
  const validity = source.read(take(source.buffers));
  const shared = { length, nullCount, nullBitmap: nullCount === 0 ? undefined : validity };
  const nextBuffer = (): Uint8Array => source.read(take(source.buffers));

  if (DataType.isBool(type)) return makeData({ type, ...shared, data: nextBuffer() });
  if (byteWidthOf(type) !== undefined) return makeData({ type, ...shared, data: nextBuffer() } as Parameters<typeof makeData>[0]);
  if (DataType.isStruct(type)) {
    const children = type.children.map((child) => decodeColumn(child, source));
    return makeData({ type, ...shared, children });
  }
  if (DataType.isFixedSizeList(type)) return makeData({ type, ...shared, child: decodeColumn(firstChild(type), source) });
  const valueOffsets = nextBuffer();
  if (DataType.isList(type) || DataType.isMap(type) || DataType.isLargeList(type)) {
    return makeData({ type, ...shared, valueOffsets, child: decodeColumn(firstChild(type), source) } as Parameters<
      typeof makeData
    >[0]);
  }
  return makeData({ type, ...shared, valueOffsets, data: nextBuffer() } as unknown as Parameters<typeof makeData>[0]);
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

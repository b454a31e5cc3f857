import {
  Bool,
  type Data,
  DateDay,
  Decimal,
  Field,
  Float64,
  Int64,
  LargeUtf8,
  List,
  Schema,
  Utf8,
} from 'apache-arrow';
import { Message } from 'apache-arrow/ipc/metadata/message';
import { isQuireError } from '@quire/core';
import { expect, test } from 'vitest';
import { BatchHeader } from '../src/arrow/batch-header.ts';
import { type Compression, compressionTypes } from '../src/arrow/buffer-codec.ts';
import { decodeBatchMessage } from '../src/arrow/decode-message.ts';
import { encodeBatchMessage, encodeSchemaMessage } from '../src/arrow/encode-message.ts';
import { columnOf, listColumnOf, textColumnOf } from './column-builder.ts';

const isNull = (row: number): boolean => row % 3 === 1;

function columnsOf(rowCount: number): Data[] {
  const texts = Array.from({ length: rowCount }, (_, row) => `text ${row}`);
  const offsets = Int32Array.from({ length: rowCount + 1 }, (_, row) => row);
  const days = columnOf(new DateDay(), rowCount, new Int32Array(rowCount).fill(20_000));
  return [
    columnOf(new Int64(), rowCount, new BigInt64Array(rowCount).fill(-7n), isNull),
    columnOf(new Decimal(2, 18, 128), rowCount, new Uint32Array(rowCount * 4).fill(9)),
    columnOf(new Bool(), rowCount, new Uint8Array((rowCount >> 3) + 1).fill(0xa5), isNull),
    columnOf(new Float64(), rowCount, new Float64Array(rowCount).fill(0.1)),
    textColumnOf(new Utf8(), texts, isNull),
    textColumnOf(new LargeUtf8(), texts),
    listColumnOf(new List(new Field('item', new DateDay(), true)), rowCount, days, offsets, isNull),
  ];
}

function messageOf(rowCount: number, compression: Compression, columnCount = 7) {
  const columns = columnsOf(rowCount).slice(0, columnCount);
  const schema = new Schema(columns.map(({ type }, index) => new Field(`c${index}`, type, true)));
  const { bytes } = encodeBatchMessage(
    schema,
    [{ batch: { rowCount, columns }, start: 0, end: rowCount }],
    compression,
  );
  return {
    schema,
    columns,
    bytes,
    metadata: bytes.subarray(8, 8 + new DataView(bytes.buffer).getInt32(4, true)),
  };
}

test.each([
  [0, 'none', 7],
  [1, 'none', 0],
  [1, 'none', 1],
  [5, 'zstd', 7],
  [1000, 'lz4', 7],
  [1000, 'none', 7],
] as const)(
  'of %i rows, with compression %s, the header of %i columns says what the reader of apache-arrow reads',
  (rowCount, compression, columnCount) => {
    const { metadata } = messageOf(rowCount, compression, columnCount);
    const expected = Message.decode(metadata).header() as ReturnType<Message<3>['header']>;
    const header = new BatchHeader(metadata);
    expect(header.rowCount).toBe(expected.length);
    expect(header.compression).toBe(expected.compression?.type);
    expect(header.compression).toBe(
      compression === 'none' ? undefined : compressionTypes[compression],
    );
    for (const { length, nullCount } of expected.nodes) {
      header.takeNode();
      expect([header.length, header.nullCount]).toEqual([length, nullCount]);
    }
    const body = new Uint8Array(200_000);
    for (const { offset, length } of expected.buffers) {
      const buffer = header.takeBuffer(body);
      expect([buffer.byteOffset, buffer.byteLength]).toEqual([offset, length]);
    }
    expect(() => header.takeNode()).toThrow(expect.objectContaining({ code: 'RESULT_CORRUPT' }));
    expect(() => header.takeBuffer(body)).toThrow(
      expect.objectContaining({ code: 'RESULT_CORRUPT' }),
    );
  },
);

test.each(['none', 'zstd', 'lz4'] as const)(
  'columns that were stored with compression %s are the columns again',
  (compression) => {
    const { schema, columns, bytes } = messageOf(1000, compression);
    const decoded = decodeBatchMessage(schema, bytes, 1000).columns;
    for (const [index, column] of columns.entries()) {
      const { length, nullCount, values, type } = decoded[index] as Data;
      expect([length, nullCount, type]).toEqual([1000, column.nullCount, column.type]);
      expect((values as object | undefined)?.constructor).toBe(
        (column.values as object | undefined)?.constructor,
      );

      for (const row of [0, 1, 2, 500, 999]) {
        expect(decoded[index]?.getValid(row)).toBe(column.getValid(row));
        expect((values as ArrayLike<unknown> | undefined)?.[row]).toEqual(
          (column.values as ArrayLike<unknown> | undefined)?.[row],
        );
        expect(decoded[index]?.valueOffsets?.[row]).toEqual(column.valueOffsets?.[row]);
      }
    }
  },
);

function outcomeOf(decode: () => unknown): string {
  try {
    decode();
    return 'read';
  } catch (error) {
    return isQuireError(error) ? error.code : String(error);
  }
}

test('metadata that is cut off, another message or spoilt anywhere is refused, or read within its bytes', () => {
  const { schema, bytes, metadata } = messageOf(5, 'none');
  const schemaMessage = encodeSchemaMessage(schema).bytes;
  const isCorrupt = expect.objectContaining({ code: 'RESULT_CORRUPT' });
  expect(() => decodeBatchMessage(schema, schemaMessage)).toThrow(isCorrupt);
  expect(() => decodeBatchMessage(schema, new Uint8Array(0))).toThrow(isCorrupt);
  for (let length = 0; length < 8 + metadata.length; length += 1) {
    expect(() => decodeBatchMessage(schema, bytes.slice(0, length), 5)).toThrow(isCorrupt);
  }
  for (let at = 8; at < 8 + metadata.length; at += 1) {
    for (const byte of [0, 1, 0x7f, 0x80, 0xff]) {
      const spoilt = bytes.slice();
      spoilt[at] = byte;
      expect(outcomeOf(() => decodeBatchMessage(schema, spoilt, 5))).toMatch(
        /^(read|RESULT_CORRUPT)$/,
      );
    }
  }
});

import {
  Binary,
  Bool,
  type DataType,
  Field,
  FixedSizeList,
  Float64,
  Int32,
  List,
  Schema,
  Utf8,
} from 'apache-arrow';
import fc from 'fast-check';
import { isQuireError } from '@quire/core';
import { expect, test } from 'vitest';
import { decodeBatchMessage } from '../src/arrow/decode-message.ts';
import { encodeBatchMessage } from '../src/arrow/encode-message.ts';
import { encodeArrowStream } from '../src/encode/arrow-stream.ts';
import { encodeText } from '../src/encode/text-rows.ts';
import { columnOf, listColumnOf, textColumnOf } from './column-builder.ts';

const rowCount = 40;
const isNull = (row: number): boolean => row % 5 === 0;
const texts = Array.from({ length: rowCount }, (_, row) => 'plain'.repeat(row % 4));
const numbers = columnOf(
  new Int32(),
  rowCount * 2,
  Int32Array.from({ length: rowCount * 2 }, (_, row) => row),
);
const offsets = Int32Array.from({ length: rowCount + 1 }, (_, row) => row * 2);
const item = (type: DataType): Field => new Field('item', type, true);
const columns = [
  textColumnOf(new Utf8(), texts, isNull),
  textColumnOf(new Binary(), texts),
  columnOf(new Float64(), rowCount, new Float64Array(rowCount).fill(1.5), isNull),
  columnOf(new Bool(), rowCount, new Uint8Array(rowCount / 8)),
  listColumnOf(new List(item(new Int32())), rowCount, numbers, offsets, isNull),
  listColumnOf(new FixedSizeList(2, item(new Int32())), rowCount, numbers, undefined, isNull),
];
const schema = new Schema(columns.map(({ type }, index) => new Field(`c${index}`, type, true)));
const { bytes: message, metadataBytes } = encodeBatchMessage(
  schema,
  [{ batch: { rowCount, columns }, start: 0, end: rowCount }],
  'none',
);

/**
 * The lengths of columns and the positions of their buffers in the metadata: pairs of 64-bit
 * integers (format/Message.fbs).
 */
const places = [...pairsFrom([rowCount, 8], 8), ...pairsFrom([0, 5], 17), ...wordsOfBody()];

function pairsFrom(first: readonly number[], count: number): number[] {
  const bytes = Buffer.from(message.buffer, 0, metadataBytes);
  const at = bytes.lastIndexOf(Buffer.from(BigInt64Array.from(first, BigInt).buffer));
  expect(at).toBeGreaterThan(0);
  return Array.from({ length: count * 2 }, (_, index) => at + index * 8);
}

function wordsOfBody(): number[] {
  return Array.from(
    { length: (message.byteLength - metadataBytes) >> 2 },
    (_, index) => metadataBytes + index * 4,
  );
}

const secret = 'TOPSECRET';

/** Fills all memory that encoders share with rows of another caller. */
async function encodeSecrets(): Promise<void> {
  const column = textColumnOf(
    new Utf8(),
    Array.from({ length: 2000 }, () => secret.repeat(20)),
  );
  const batches = async function* () {
    yield {
      batch: { rowCount: column.length, columns: [column] },
      rows: { start: 0, end: column.length },
    };
  };
  const secrets = new Schema([new Field('c', new Utf8(), true)]);
  for await (const chunk of encodeText('json', {
    schema: secrets,
    batches: batches(),
    pool: undefined,
  })) {
    void chunk;
  }
}

/** Returns a message in lent memory, followed by bytes of another caller. */
function amidSecrets(bytes: Uint8Array): Uint8Array {
  const memory = new Uint8Array(65_536).fill(secret.charCodeAt(0));
  memory.set(bytes);
  return memory.subarray(0, bytes.byteLength);
}

/** Returns the text of a batch in all formats, or its error. */
async function textsOf(hostile: Uint8Array, end: number): Promise<string> {
  const rows = { start: 0, end };
  const decoded = async function* () {
    yield { batch: decodeBatchMessage(schema, hostile, end), rows };
  };
  const stored = async function* () {
    yield {
      planned: {
        index: 0,
        bytes: { start: 0, end: 0 },
        checksum: 0,
        rows,
        rowCountMax: rowCount + 1,
      },
      message: hostile,
    };
  };
  const formats = [
    () => encodeText('json', { schema, batches: decoded(), pool: undefined }),
    () => encodeText('ndjson', { schema, batches: decoded(), pool: undefined }),
    () => encodeText('csv', { schema, batches: decoded(), pool: undefined }),
    () => encodeArrowStream(schema, stored(), {}, undefined),
  ];
  const all: string[] = [];
  for (const encode of formats) {
    try {
      all.push(Buffer.concat(await Array.fromAsync(encode())).toString('latin1'));
    } catch (error) {
      if (!isQuireError(error, 'RESULT_CORRUPT')) throw error;
      all.push('refused');
    }
  }
  return all.join('|');
}

test('a batch that lies about where its values are is refused, or gives its own bytes, never those of others', async () => {
  await encodeSecrets();
  const value = fc.oneof(
    fc.integer(),
    fc.integer({ min: -64, max: 2000 }),
    fc.integer({ min: 0, max: 70_000 }),
  );
  const change = fc.record({ at: fc.constantFrom(...places), value });
  await fc.assert(
    fc.asyncProperty(
      fc.array(change, { minLength: 1, maxLength: 4 }),
      fc.integer({ min: 1, max: rowCount }),
      async (changes, end) => {
        const hostile = amidSecrets(message);
        const view = new DataView(hostile.buffer);
        for (const { at, value } of changes) view.setInt32(at, value, true);
        const text = await textsOf(hostile, end);
        expect(text).not.toContain('SECRET');
        expect(text).not.toContain(Buffer.from(secret).toString('hex'));
        expect(text).not.toContain('TTTTTTTT');
      },
    ),
    { numRuns: 1500 },
  );
});

const bodyOf = (change: (words: Int32Array) => void): Uint8Array => {
  const hostile = amidSecrets(message);
  change(new Int32Array(hostile.buffer, metadataBytes, (message.byteLength - metadataBytes) >> 2));
  return hostile;
};
/** The offsets of the first column follow the 8 bytes of its validity. */
const firstOffset = 2;

test.each([
  ['whose text ends before it begins', (words: Int32Array) => (words[firstOffset + 3] = 50_000)],
  ['whose text begins before the first', (words: Int32Array) => (words[firstOffset] = -8)],
  [
    'whose last text ends behind the last byte',
    (words: Int32Array) => (words[firstOffset + rowCount] = 50_000),
  ],
])('a batch %s is refused', (_, change) => {
  expect(() => decodeBatchMessage(schema, bodyOf(change))).toThrow(
    expect.objectContaining({ code: 'RESULT_CORRUPT' }),
  );
});

test('a batch of fewer rows than its commit record says is refused', () => {
  expect(decodeBatchMessage(schema, message, rowCount).rowCount).toBe(rowCount);
  expect(() => decodeBatchMessage(schema, message, rowCount + 1)).toThrow(
    expect.objectContaining({
      code: 'RESULT_CORRUPT',
      message: 'A stored record batch has fewer values than rows.',
    }),
  );
});

import {
  Binary,
  type Data,
  Field,
  Int32,
  List,
  makeData,
  Schema,
  Struct,
  Utf8,
} from 'apache-arrow';
import { expect, test } from 'vitest';
import { BufferPool } from '../src/buffer-pool.ts';
import { type CellFormat, csvFormat, jsonFormat } from '../src/encode/cell-format.ts';
import { ChunkBuffer } from '../src/encode/chunk-buffer.ts';
import { RowEncoder } from '../src/encode/row-encoder.ts';
import { encodeTextSync } from '../src/encode/text-rows.ts';
import { columnOf, listColumnOf, textColumnOf } from './column-builder.ts';

const rowCount = 5000;

function numbersOf(factor: number): Data {
  return columnOf(
    new Int32(),
    rowCount,
    Int32Array.from({ length: rowCount }, (_, row) => row * factor),
  );
}

function textsOf(name: string): Data {
  return textColumnOf(
    new Utf8(),
    Array.from({ length: rowCount }, (_, row) => `${name} ${row} "`),
  );
}

/** Creates lists of lists, which are preformatted before they are staged. */
function nestedOf(start: number): Data {
  const inner = new List(new Field('item', new Int32(), true));
  const offsets = Int32Array.from({ length: rowCount + 1 }, (_, row) => row);
  const items = columnOf(
    new Int32(),
    rowCount,
    Int32Array.from({ length: rowCount }, (_, row) => start + row),
  );
  const lists = listColumnOf(inner, rowCount, items, offsets, () => false);
  return listColumnOf(
    new List(new Field('item', inner, true)),
    rowCount,
    lists,
    offsets,
    (row) => row % 9 === 0,
  );
}

/**
 * Returns the rows of a batch as pieces of text, each copied on arrival, before other callers run.
 */
function* piecesOf(columns: readonly Data[], start: number): Generator<string> {
  const schema = new Schema(columns.map(({ type }, index) => new Field(`c${index}`, type, true)));
  const text = (ascii: string): Uint8Array => Buffer.from(ascii);
  const cellPrefixes = columns.map((_, index) => text(index === 0 ? '[' : ','));
  const frame = {
    head: text(''),
    cellPrefixes,
    separatorBytes: 0,
    rowSuffix: text(']\n'),
    tail: text(''),
  };
  for (const piece of new RowEncoder(schema, frame, jsonFormat).encode(columns, {
    start,
    end: rowCount,
  })) {
    yield Buffer.from(piece).toString();
  }
}

test('batches that are encoded by turns, piece by piece, have the rows that they have alone', () => {
  const batches = [
    [numbersOf(3), textsOf('a')],
    [textsOf('b'), numbersOf(-7), textsOf('ü')],
    [nestedOf(100), numbersOf(1)],
  ];
  const starts = [0, 77, 1];
  const alone = batches.map((columns, index) => Array.from(piecesOf(columns, starts[index] ?? 0)));
  for (const pieces of alone) expect(pieces.length).toBeGreaterThan(3);
  const turns = batches.map((columns, index) => ({
    pieces: piecesOf(columns, starts[index] ?? 0),
    text: '',
  }));
  for (let left = turns; left.length > 0;) {
    left = left.filter((turn) => {
      const next = turn.pieces.next();
      turn.text += next.value ?? '';
      return next.done !== true;
    });
  }
  expect(turns.map(({ text }) => text)).toEqual(alone.map((pieces) => pieces.join('')));
  expect(turns[0]?.text.split('\n')[4999]).toBe(String.raw`[14997,"a 4999 \""]`);
});

/** Encodes a text, the same as bytes, in a struct and in a list, and a null. */
function* longRow(
  text: string,
  formatOf: (fields: readonly Field[]) => CellFormat,
): Generator<Buffer> {
  const bytes = Buffer.from(text).toString('latin1');
  const texts = textColumnOf(new Utf8(), [bytes]);
  const child = new Field('item', new Utf8(), true);
  const columns = [
    texts,
    textColumnOf(new Binary(), [bytes]),
    makeData({ type: new Struct([child]), length: 1, children: [texts] }),
    listColumnOf(new List(child), 1, texts, Int32Array.of(0, 1), () => false),
    textColumnOf(new Utf8(), [bytes], () => true),
  ];
  const fields = columns.map(({ type }, index) => new Field(`c${index}`, type, true));
  const comma = Buffer.from(',');
  const nothing = Buffer.from('');
  const frame = {
    head: nothing,
    cellPrefixes: fields.map((_, index) => (index === 0 ? nothing : comma)),
    separatorBytes: 0,
    rowSuffix: nothing,
    tail: nothing,
  };
  const encoder = new RowEncoder(new Schema(fields), frame, formatOf(fields));
  for (const piece of encoder.encode(columns, { start: 0, end: 1 })) yield Buffer.from(piece);
}

test('a row of long values is written in pieces, which are as long as those of their source', () => {
  const text = `${'\u0001"ü,'.repeat(100_000)}end`;
  const inner = JSON.stringify({ item: text });
  const hex = Buffer.from(text).toString('hex');
  const json = [...longRow(text, () => jsonFormat)];
  expect(JSON.parse(`[${Buffer.concat(json).toString()}]`)).toEqual([
    text,
    hex,
    inner,
    [text],
    null,
  ]);
  const csv = [...longRow(text, csvFormat)];
  const quoted = (cell: string): string => `"${cell.replaceAll('"', '""')}"`;
  expect(
    Buffer.concat(csv).toString() ===
      [quoted(text), hex, quoted(inner), quoted(JSON.stringify([text])), ''].join(','),
  ).toBe(true);
  // A list is one piece, because it is written before its width is known.
  const lengths = json.map(({ length }) => length).toSorted((one, other) => other - one);
  expect(lengths.length).toBeGreaterThan(20);
  expect(lengths[1]).toBeLessThanOrEqual(64 * 1024 * 6 + 2);
  expect(Math.max(...csv.map(({ length }) => length))).toBeLessThanOrEqual(64 * 1024 * 2 + 2);
});

test('a row without columns is an empty array in JSON and an empty object in NDJSON', () => {
  const page = {
    schema: new Schema([]),
    batches: [
      { batch: { rowCount: 3, columns: [] }, rows: { start: 0, end: 3 } },
      { batch: { rowCount: 1, columns: [] }, rows: { start: 0, end: 1 } },
    ],
  };
  const textOf = (format: 'json' | 'ndjson') =>
    Buffer.from(encodeTextSync(format, page)).toString();
  expect(textOf('json')).toBe('[[],[],[],[]]');
  expect(textOf('ndjson')).toBe('{}\n{}\n{}\n{}\n');
});

test('chunks are large after the first one, but not while many are lent, nor when they are for keeps', () => {
  const sizesOf = (pool: BufferPool | undefined): number[] => {
    const chunks = new ChunkBuffer(pool);
    const sizes = chunks.append(new Uint8Array(1_500_000)).map(({ length }) => length);
    chunks.abandon();
    return sizes;
  };
  const pool = new BufferPool();
  expect(sizesOf(pool)).toEqual([131_072, 524_288, 524_288]);
  const lease = pool.lease(5_000_000);
  expect(sizesOf(pool)).toEqual(Array.from({ length: 11 }, () => 131_072));
  pool.release(lease);
  expect(sizesOf(pool)).toEqual([131_072, 524_288, 524_288]);
  expect(sizesOf(undefined)).toEqual(Array.from({ length: 11 }, () => 131_072));
});

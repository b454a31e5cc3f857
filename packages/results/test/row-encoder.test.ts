import { type Data, Field, Int32, List, Schema, Utf8 } from 'apache-arrow';
import { expect, test } from 'vitest';
import { BufferPool } from '../src/buffer-pool.ts';
import { jsonFormat } from '../src/encode/cell-format.ts';
import { ChunkBuffer } from '../src/encode/chunk-buffer.ts';
import { RowEncoder } from '../src/encode/row-encoder.ts';
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

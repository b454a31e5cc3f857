import { ManualClock, SeededRandom } from '@quire/core/testing';
import { readObject } from '@quire/core';
import { MemoryObjectStore } from '@quire/core/memory';
import {
  Field,
  Int32,
  List,
  RecordBatch,
  Schema,
  Struct,
  Utf8,
  type Data,
  makeData,
} from 'apache-arrow';
import { expect, test } from 'vitest';
import type { Compression } from '../src/arrow/buffer-codec.ts';
import { type ArrowBatch, ResultStore } from '../src/index.ts';
import { columnOf, listColumnOf, textColumnOf } from './column-builder.ts';

const schema = new Schema([
  new Field('n', new Int32(), true),
  new Field('s', new Utf8(), true),
  new Field('l', new List(new Field('item', new Int32(), true)), true),
]);

function columnsOf(start: number, rowCount: number): Data[] {
  const isNull = (row: number): boolean => (start + row) % 7 === 0;
  const numbers = Int32Array.from({ length: rowCount * 2 }, (_, row) => start + row);
  const texts = Array.from({ length: rowCount }, (_, row) => `text of row ${start + row}`);
  const offsets = Int32Array.from({ length: rowCount + 1 }, (_, row) => row * 2);
  const elements = columnOf(new Int32(), rowCount * 2, numbers.slice());
  return [
    columnOf(new Int32(), rowCount, numbers.slice(0, rowCount), isNull),
    textColumnOf(new Utf8(), texts, isNull),
    listColumnOf(schema.fields[2]!.type, rowCount, elements, offsets, isNull),
  ];
}

function overwrite({ values, valueOffsets, nullBitmap, children }: Data): void {
  for (const buffer of [values, valueOffsets, nullBitmap] as (Uint8Array | undefined)[]) {
    buffer?.fill(0x5a);
  }
  for (const child of children) overwrite(child);
}

/**
 * Returns a data file whose batches have these row counts; batches that can be released lose their
 * content when they are.
 */
async function stored(
  rowCounts: readonly number[],
  compression: Compression,
  released?: number[],
): Promise<Buffer> {
  const store = new MemoryObjectStore({ sizeMaxBytes: 1e8 });
  const results = new ResultStore({
    store,
    brokerId: 'Broker_a_1',
    expirationMs: 1000,
    expirationMaxMs: 1000,
    clock: new ManualClock({ nowMs: 1_000_000 }),
    random: new SeededRandom(1),
    compression,
  });
  async function* batches(): AsyncGenerator<ArrowBatch> {
    let start = 0;
    for (const [index, rowCount] of rowCounts.entries()) {
      const children = columnsOf(start, rowCount);
      const data = makeData({
        type: new Struct(schema.fields),
        length: rowCount,
        nullCount: 0,
        children,
      });
      const batch: ArrowBatch = new RecordBatch(schema, data);
      const release = (): void => {
        released?.push(index);
        for (const child of children) overwrite(child);
      };
      yield released === undefined ? batch : { data: batch.data, [Symbol.dispose]: release };
      start += rowCount;
    }
  }
  const { entry } = await results.create({ schema, batches: batches() }, { owner: 'ana' });
  return Buffer.from(await readObject(store, entry.dataKey));
}

test.each(['none', 'lz4', 'zstd'] as const)(
  'batches are released once each, as soon as all their rows are encoded and not before: %s',
  async (compression) => {
    const rowCounts = [1, 5000, 17, 0, 4096, 30_000, 2, 2048, 2048, 9000, 1];
    const released: number[] = [];

    const file = await stored(rowCounts, compression, released);

    expect(Buffer.compare(file, await stored(rowCounts, compression))).toBe(0);
    expect(released).toEqual([...rowCounts.keys()].filter((index) => rowCounts[index] !== 0));
  },
);

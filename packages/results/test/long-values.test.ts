import { Readable } from 'node:stream';
import { MiB } from '@quire/core';
import { MemoryObjectStore } from '@quire/core/memory';
import { ManualClock } from '@quire/core/testing';
import { type Data, Field, List, makeData, RecordBatch, Schema, Struct, Utf8 } from 'apache-arrow';
import { expect, test } from 'vitest';
import { until } from '../../../test/src/testkit/until.ts';
import { PageThreads, ResultStore } from '../src/index.ts';
import { poolOf } from '../src/threads/page-threads.ts';
import { listColumnOf, textColumnOf } from './column-builder.ts';

const text = textColumnOf(new Utf8(), ['x'.repeat(9_000_000)]);
const list = new List(new Field('item', new Utf8(), true));
const listOfText = listColumnOf(list, 1, text, Int32Array.of(0, 1), () => false);

/** Encodes a page of one value as JSON, where a thread is free. */
async function encode(value: Data): Promise<{ lengths: readonly number[]; partCount: number }> {
  const clock = new ManualClock();
  await using threads = new PageThreads({ countMax: 1, clock });
  const store = new MemoryObjectStore({ sizeMaxBytes: 1e8 });
  const expiration = { expirationMs: 1e9, expirationMaxMs: 1e9 };
  await using results = new ResultStore({
    ...expiration,
    store,
    brokerId: 'b',
    pageThreads: threads,
    clock,
  });
  const schema = new Schema([new Field('x', value.type, false)]);
  const row = makeData({ type: new Struct(schema.fields), children: [value] });
  const batches = Readable.from([new RecordBatch(schema, row)]);
  const result = await results.create({ schema, batches }, { owner: 'o' });
  await until(() => poolOf(threads).hasCapacity(), 'a thread has started');
  const lengths: number[] = [];
  for await (const chunk of result.page({ offset: 0, rowCount: 1 }).encode('json')) {
    lengths.push(chunk.byteLength);
  }
  return { lengths, partCount: threads.status.partCount };
}

test('a text of 9 MB is encoded in the main thread, in pieces, because a thread keeps its whole output', async () => {
  const { lengths, partCount } = await encode(text);
  expect(partCount).toBe(0);
  expect(lengths.reduce((sum, length) => sum + length)).toBe(9_000_006);
  expect(Math.max(...lengths)).toBeLessThan(MiB);
});

test('a list of 9 MB is encoded in a thread, because it is written as a whole', async () => {
  const { lengths, partCount } = await encode(listOfText);
  expect(partCount).toBe(1);
  expect(lengths.reduce((sum, length) => sum + length)).toBe(9_000_008);
});

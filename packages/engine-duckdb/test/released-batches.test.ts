import type { Data, RecordBatch } from 'apache-arrow';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type CellText, cellText } from './cell-text.ts';
import { TestEngine } from './test-engine.ts';

let db: TestEngine;
beforeAll(async () => {
  db = await TestEngine.open();
});
afterAll(() => db[Symbol.asyncDispose]());

const some = (sql: string): string => `CASE WHEN i % 3 > 0 THEN ${sql} END`;
/** Columns of every kind of layout, all with nulls. */
const everyLayout = `SELECT i, i % 3 = 0 AS flag, array_value(i, i + 1, NULL) AS elements, ${[
  `CAST(i % 100 AS TINYINT)`,
  `CAST(i AS DECIMAL(4, 0))`,
  `CAST(i AS DECIMAL(9, 2))`,
  `CAST(i AS DECIMAL(18, 3))`,
  `CAST(i AS HUGEINT)`,
  `CAST(i / 7 AS DOUBLE)`,
  `CAST(i AS BOOLEAN)`,
  `make_timestamp(i * 1000000)`,
  `CAST(md5(CAST(i AS VARCHAR)) AS UUID)`,
  `'short ' || i`,
  `'a text that is too long for its record ' || i`,
  `repeat('ab', CAST(i % 12 AS INTEGER))`,
  `encode('bytes of row ' || i)`,
  `INTERVAL (i) MINUTE`,
  `range(i % 5)`,
  `['text of a list ' || i, NULL, '']`,
  `{'a': i, 'b': 'member ' || i, 'c': i % 2 = 0}`,
  `MAP {'key of the row': i, 'another': NULL}`,
  `[[{'deep': 'a text in a struct in a list in a list ' || i}], NULL]`,
]
  .map((sql, index) => `${some(sql)} AS c${index}`)
  .join(', ')} FROM range(2500) AS t(i)`;

function textsOf(batch: RecordBatch): CellText[][] {
  return Array.from({ length: batch.numRows }, (_, row) =>
    batch.data.children.map((column) => cellText(column, row)),
  );
}

/** Bytes of texts and offsets, at any depth, and of all other buffers. */
function bytesOf({ values, valueOffsets, nullBitmap, children }: Data): {
  texts: number;
  others: number;
} {
  const sizeOf = (buffer: unknown): number =>
    (buffer as ArrayBufferView | undefined)?.byteLength ?? 0;
  const isText = (valueOffsets as Int32Array | undefined) !== undefined;
  let texts = isText ? sizeOf(values) + sizeOf(valueOffsets) : 0;
  let others = sizeOf(nullBitmap) + (isText ? 0 : sizeOf(values));
  for (const child of children.map(bytesOf)) {
    texts += child.texts;
    others += child.others;
  }
  return { texts, others };
}

test('a batch that is released gives back the memory of its texts, where its chunk takes little, and nothing of others', async () => {
  const expected = (await db.answer(everyLayout)).rows();
  await using execution = await db.execute(everyLayout);
  const found: CellText[][] = [];
  const batches: RecordBatch[] = [];
  for await (const batch of execution.batches) {
    batches.push(batch);
    found.push(...textsOf(batch));
    const before = bytesOf(batch.data);
    (batch as RecordBatch & Disposable)[Symbol.dispose]();
    const isSmall = batch.numRows < 2048;
    expect(bytesOf(batch.data)).toEqual(isSmall ? { ...before, texts: 0 } : before);
  }

  expect(found).toEqual(expected);
  expect(batches.map(({ numRows }) => numRows)).toEqual([2048, 452]);
  expect(textsOf(batches[0]!)).toEqual(expected.slice(0, 2048));
});

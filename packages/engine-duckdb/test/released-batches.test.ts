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
/** Columns of every kind of layout, nulls in all of them. */
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
  return Array.from({ length: batch.numRows }, (_, row) => batch.data.children.map((column) => cellText(column, row)));
}

function buffersOf({ values, valueOffsets, nullBitmap, children }: Data): ArrayBufferView[] {
  const own = [values, valueOffsets, nullBitmap] as (ArrayBufferView | undefined)[];
  return [...own.filter((buffer) => buffer !== undefined), ...children.flatMap(buffersOf)];
}

test('a batch that is released gives back its own memory, and nothing of others', async () => {
  const expected = (await db.answer(everyLayout)).rows();
  const found: CellText[][] = [];
  const kept: { texts: string; batch: RecordBatch }[] = [];
  await using execution = await db.execute(everyLayout);
  for await (const batch of execution.batches) {
    const texts = textsOf(batch);
    found.push(...texts);
    if (kept.length === 0) {
      kept.push({ texts: JSON.stringify(texts), batch });
      continue;
    }
    (batch as RecordBatch & Disposable)[Symbol.dispose]();
    expect(batch.data.children.flatMap(buffersOf).every(({ byteLength }) => byteLength === 0)).toBe(true);
  }

  expect(found).toEqual(expected);
  expect(found).toHaveLength(2500);
  expect(JSON.stringify(textsOf(kept[0]!.batch))).toBe(kept[0]?.texts);
});

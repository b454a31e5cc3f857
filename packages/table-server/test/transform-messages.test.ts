import { type JsonValue, systemClock } from '@quire/core';
import type { PipelineRow, PlainRowReader, SourceValue } from '@quire/tables';
import { expect, test } from 'vitest';
import { packMessages } from '../src/consumption/packed-messages.ts';
import { transformMessages } from '../src/consumption/transform-messages.ts';

const schema = { schemaName: 'a', metricFieldSpecs: [{ name: 'n', dataType: 'INT' }] };

/** Returns the values of `n`, in order, and the bad messages. */
async function transform(texts: readonly (string | null)[], ingestionConfig: JsonValue) {
  const values: SourceValue[] = [];
  let plainCount = 0;
  const sink = {
    isFull: false,
    flush: () => Promise.resolve(),
    take: ({ fields }: PipelineRow) => void values.push(fields['n'] ?? null),
    takePlain: (row: PlainRowReader) => {
      plainCount += 1;
      values.push(row.valueAt(0));
    },
  };
  const messages = texts.map((text, index) => ({
    offset: 10 * index,
    value: text === null ? null : Buffer.from(text),
  }));
  const bad = await transformMessages(packMessages(messages), {
    config: { tableName: 'a', ingestionConfig },
    schema,
    clock: systemClock,
    sink,
  });
  return { ...bad, values, plainCount };
}

test('a bad message is told of behind however many that the filter leaves out', async () => {
  const texts = Array.from({ length: 2_001 }, (_, n) =>
    JSON.stringify({ n: n === 2_000 ? 'many' : n }),
  );
  const filterConfig = { filterFunction: "strcmp(n, 'many') != 0" };
  const { values, stoppedAt } = await transform(texts, { filterConfig });
  expect(values).toEqual([]);
  expect(stoppedAt).toMatchObject({ offset: 20_000 });
});

test('plain messages and others keep their order', async () => {
  const texts = ['{"n":1}', '{"n":"2"}', '{"n":3}', '{"n":[4]}', '{"n":5,"n":6}', '{"n":7}'];
  expect(await transform(texts, {})).toEqual({
    values: [1, 2, 3, 4, 6, 7],
    plainCount: 3,
    skipped: [],
    stoppedAt: undefined,
  });
});

const bad = ['{"n":1}', null, '{"n":', '{"n":"x"}', '[]', '{"n":2}'];

test('the first bad message stops at those before it', async () => {
  expect(await transform(bad, {})).toMatchObject({
    values: [1],
    skipped: [],
    stoppedAt: { offset: 10, problem: 'has no value' },
  });
});

test('bad messages are skipped if errors are continued', async () => {
  const { values, skipped, stoppedAt } = await transform(bad, { continueOnError: true });
  expect({ values, stoppedAt }).toEqual({ values: [1, 0, 2], stoppedAt: undefined });
  expect(skipped.map(({ offset }) => offset)).toEqual([10, 20, 40]);
  expect(skipped[1]?.problem).toMatch(/^is not JSON: /);
});

import { systemClock } from '@quire/core';
import { expect, test } from 'vitest';
import { transformMessages } from '../src/consumption/transform-messages.ts';

test('a bad message is told of behind however many that the filter leaves out', async () => {
  const messages = Array.from({ length: 2_001 }, (_, n) => ({
    offset: n,
    value: Buffer.from(JSON.stringify({ n: n === 2_000 ? 'many' : n })),
  }));
  const { rows, stoppedAt } = await transformMessages(messages, {
    config: {
      tableName: 'a',
      ingestionConfig: { filterConfig: { filterFunction: "strcmp(n, 'many') != 0" } },
    },
    schema: { schemaName: 'a', metricFieldSpecs: [{ name: 'n', dataType: 'INT' }] },
    clock: systemClock,
  });
  expect(rows).toEqual([]);
  expect(stoppedAt).toMatchObject({ offset: 2_000 });
});

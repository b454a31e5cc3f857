import { expect, test } from 'vitest';
import { column, run } from '../run.ts';

const times = [column('day', 'LONG', { format: '1:DAYS:EPOCH' })];
const checked = { rowTimeValueCheck: true };

test('times outside 1971 to 2070 fail the row', async () => {
  const { rows, dropped } = await run([{ day: 19_782 }, { day: 1 }], {
    times,
    timeColumnName: 'day',
    ingestion: checked,
  });
  expect(rows.map(({ fields }) => fields)).toEqual([{ day: 19_782 }]);
  expect(dropped.map(({ step, reason }) => [step, reason])).toEqual([
    ['timeCheck', '1970-01-02T00:00:00.000Z is outside the years 1971 to 2070.'],
  ]);
});

test('times out of range become the present time, where errors are passed over', async () => {
  const ingestion = { ...checked, continueOnError: true };
  const { rows } = await run([{ day: 90_000_000 }], { times, timeColumnName: 'day', ingestion });
  expect(
    rows.map(({ fields, nullFields, isIncomplete }) => [fields, nullFields, isIncomplete]),
  ).toEqual([[{ day: Date.UTC(2026, 0, 1) / 86_400_000 }, ['day'], true]]);
});

test('times are not looked at unless the config says so', async () => {
  const { rows } = await run([{ day: 1 }], { times, timeColumnName: 'day' });
  expect(rows.map(({ fields }) => fields)).toEqual([{ day: 1 }]);
});

test('a format that cannot be read is a finding', async () => {
  const { findings } = await run([], {
    times: [column('day', 'LONG', { format: 'DAYS' })],
    timeColumnName: 'day',
    ingestion: checked,
  });
  expect(findings.map(({ path, code }) => [path, code])).toEqual([
    ['/dateTimeFieldSpecs/0/format', 'PIPELINE_TIME_FORMAT'],
  ]);
});

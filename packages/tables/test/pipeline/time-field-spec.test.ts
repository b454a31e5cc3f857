import { ManualClock } from '@quire/core/testing';
import { expect, test } from 'vitest';
import type { TimeFieldSpecPart } from '../../src/pipeline/column-spec.ts';
import { runPipeline } from '../../src/pipeline/run-pipeline.ts';

async function timeOf(row: Record<string, number>, timeFieldSpec: TimeFieldSpecPart) {
  const { rows, findings } = await runPipeline([row], {
    config: {},
    schema: { timeFieldSpec },
    clock: new ManualClock(),
  });
  expect(findings).toEqual([]);
  return rows[0]?.fields;
}

test('the time column of an old schema has the name of its granularity', async () => {
  const incomingGranularitySpec = {
    name: 'day',
    timeType: 'DAYS',
    timeFormat: 'EPOCH',
    timeUnitSize: 1,
  };
  expect(await timeOf({ day: 3 }, { incomingGranularitySpec })).toEqual({ day: 3 });
});

test('the time column is made from the incoming column where the outgoing one has another name', async () => {
  const incomingGranularitySpec = { name: 'the hour', timeType: 'HOURS' };
  expect(
    await timeOf(
      { 'the hour': 49 },
      { incomingGranularitySpec, outgoingGranularitySpec: { name: 'day', timeType: 'DAYS' } },
    ),
  ).toEqual({
    day: 2,
  });
  const outgoingGranularitySpec = {
    name: 'day',
    timeType: 'DAYS',
    timeFormat: 'SIMPLE_DATE_FORMAT:yyyyMMdd',
  };
  expect(
    await timeOf(
      { 'the hour': 49 },
      { dataType: 'STRING', incomingGranularitySpec, outgoingGranularitySpec },
    ),
  ).toEqual({
    day: '19700103',
  });
});

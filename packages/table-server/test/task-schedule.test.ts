import { isQuireError } from '@quire/core';
import { ManualClock } from '@quire/core/testing';
import { Cron } from 'croner';
import { afterEach, expect, test, vi } from 'vitest';
import { parseSchedule } from '../src/task-schedule.ts';
import { batch, config, finder, generation, schema, startMs, useInputs } from './task-server.ts';
import { TestServer } from './test-server.ts';

useInputs();
afterEach(() => vi.restoreAllMocks());

/** The first three runs after 10 PM on Saturday 2026-11-28, as Quartz 2.5.2 computes them. */
const runs: readonly (readonly [string, readonly string[]])[] = [
  ['0 0 12 ? * 1', ['2026-11-29 12:00', '2026-12-06 12:00', '2026-12-13 12:00']],
  ['0 0 12 ? * 2', ['2026-11-30 12:00', '2026-12-07 12:00', '2026-12-14 12:00']],
  ['0 0 12 ? * 7', ['2026-12-05 12:00', '2026-12-12 12:00', '2026-12-19 12:00']],
  ['0 0 12 ? * MON', ['2026-11-30 12:00', '2026-12-07 12:00', '2026-12-14 12:00']],
  ['0 0 12 ? * MON-FRI', ['2026-11-30 12:00', '2026-12-01 12:00', '2026-12-02 12:00']],
  ['0 0 12 ? * FRI-MON', ['2026-11-29 12:00', '2026-11-30 12:00', '2026-12-04 12:00']],
  ['0 0 12 ? * 6-2', ['2026-11-29 12:00', '2026-11-30 12:00', '2026-12-04 12:00']],
  ['0 0 12 ? * 2-6/2', ['2026-11-30 12:00', '2026-12-02 12:00', '2026-12-04 12:00']],
  ['0 0 12 ? * L', ['2026-12-05 12:00', '2026-12-12 12:00', '2026-12-19 12:00']],
  ['0 0 12 ? * 6L', ['2026-12-25 12:00', '2027-01-29 12:00', '2027-02-26 12:00']],
  ['0 0 12 ? * FRIL', ['2026-12-25 12:00', '2027-01-29 12:00', '2027-02-26 12:00']],
  ['0 0 12 ? * 2#1', ['2026-12-07 12:00', '2027-01-04 12:00', '2027-02-01 12:00']],
  ['0 0 12 ? * MON#2', ['2026-12-14 12:00', '2027-01-11 12:00', '2027-02-08 12:00']],
  ['0 0 12 ? * 2#5', ['2026-11-30 12:00', '2027-03-29 12:00', '2027-05-31 12:00']],
  ['0 0/10 * * * ?', ['2026-11-28 22:10', '2026-11-28 22:20', '2026-11-28 22:30']],
  ['0 5/15 * * * ?', ['2026-11-28 22:05', '2026-11-28 22:20', '2026-11-28 22:35']],
  ['0 /10 * * * ?', ['2026-11-28 22:10', '2026-11-28 22:20', '2026-11-28 22:30']],
  ['0 0/0 * * * ?', ['2026-11-28 23:00', '2026-11-29 00:00', '2026-11-29 01:00']],
  ['0 50-10/7 * * * ?', ['2026-11-28 22:04', '2026-11-28 22:50', '2026-11-28 22:57']],
  ['*/7 * * * * ?', ['2026-11-28 22:00:07', '2026-11-28 22:00:14', '2026-11-28 22:00:21']],
  ['0 0 22-2 * * ?', ['2026-11-28 23:00', '2026-11-29 00:00', '2026-11-29 01:00']],
  ['0 0 22-2/2 * * ?', ['2026-11-29 00:00', '2026-11-29 02:00', '2026-11-29 22:00']],
  ['0 0 12 L * ?', ['2026-11-30 12:00', '2026-12-31 12:00', '2027-01-31 12:00']],
  ['0 0 12 LW * ?', ['2026-11-30 12:00', '2026-12-31 12:00', '2027-01-29 12:00']],
  ['0 0 12 L-3 * ?', ['2026-12-28 12:00', '2027-01-28 12:00', '2027-02-25 12:00']],
  ['0 0 12 L-27 2 ?', ['2027-02-01 12:00', '2028-02-02 12:00', '2029-02-01 12:00']],
  ['0 0 12 15W * ?', ['2026-12-15 12:00', '2027-01-15 12:00', '2027-02-15 12:00']],
  ['0 0 12 1W,15W * ?', ['2026-12-01 12:00', '2026-12-15 12:00', '2027-01-01 12:00']],
  ['0 0 12 31W * ?', ['2026-12-31 12:00', '2027-01-29 12:00', '2027-03-31 12:00']],
  ['0 0 12 10,L * ?', ['2026-11-30 12:00', '2026-12-10 12:00', '2026-12-31 12:00']],
  ['0 0 0 28-3 * ?', ['2026-11-29 00:00', '2026-11-30 00:00', '2026-12-01 00:00']],
  ['0 0 0 1/5 * ?', ['2026-12-01 00:00', '2026-12-06 00:00', '2026-12-11 00:00']],
  ['0 0 0 1 NOV-FEB ?', ['2026-12-01 00:00', '2027-01-01 00:00', '2027-02-01 00:00']],
  ['0 0 0 1 3/4 ?', ['2027-03-01 00:00', '2027-07-01 00:00', '2027-11-01 00:00']],
  ['0 0 0 ? JAN,JUN *', ['2027-01-01 00:00', '2027-01-02 00:00', '2027-01-03 00:00']],
  ['0 0 12 * * ? 2027', ['2027-01-01 12:00', '2027-01-02 12:00', '2027-01-03 12:00']],
  ['0 0 12 1 1 ? 2027/2', ['2027-01-01 12:00', '2029-01-01 12:00', '2031-01-01 12:00']],
  ['0 0 12 1 1 ? 2027-2035/3', ['2027-01-01 12:00', '2030-01-01 12:00', '2033-01-01 12:00']],
  ['0 0 12 1 1 ? 2027,2029', ['2027-01-01 12:00', '2029-01-01 12:00']],
  ['0 0 12 * * ? 2020', []],
];

test.each(runs)('the schedule %s is due when Quartz is', (schedule, expected) => {
  const cron = parseSchedule(schedule);
  const given = cron.nextRuns(3, new Date('2026-11-28T22:00:00Z'));
  expect(given).toEqual(
    expected.map((time) => new Date(`${time.replace(' ', 'T')}${time.length < 17 ? ':00' : ''}Z`)),
  );
});

test.each([
  '0 0 12 L-28 * ?',
  '0 0 12 L-3W * ?',
  '0 0 12 L-3,10 * ?',
  '0 0 12 LW,3 * ?',
  '0 0 12 0W * ?',
  '0 0 12 ? * 2#1,4',
  '0 0 12 ? * MON-FRI/2',
  '0 0 12 ? * MONX',
  '0 0 12 1 1 ? 0',
  '0 0 12 * *',
])('the schedule %s is not supported', (schedule) => {
  expect(() => parseSchedule(schedule)).toThrow(Error);
});

test('a schedule that cannot be followed is reported once for each table', async () => {
  const clock = new ManualClock({ nowMs: startMs });
  const failures: unknown[] = [];
  await using server = await TestServer.open({
    finder,
    clock,
    onTaskFailed: (error) => failures.push(isQuireError(error) ? error.code : error),
  });
  const tables = ['sales', 'sold'];
  for (const schemaName of tables) {
    await server.engine.createSchema({ ...schema, schemaName });
    await server.engine.createTable({
      ...config({ [generation]: { schedule: '0 0 12 * * ?' } }, batch()),
      tableName: `${schemaName}_OFFLINE`,
    });
  }
  // As for a table of an earlier release: creating one with such a schedule is refused now.
  vi.spyOn(Cron.prototype, 'nextRun').mockImplementation(() => {
    throw new Error('It is not supported.');
  });
  // The schedules of tasks, upkeep and the scrub sleep.
  for (let second = 0; second < 5; second += 1) {
    await clock.untilSleeping(3);
    await clock.advance(1_000);
  }
  await clock.untilSleeping(3);
  expect(failures).toEqual(['INVALID_SETTING', 'INVALID_SETTING']);
});

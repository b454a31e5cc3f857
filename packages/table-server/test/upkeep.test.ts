import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { ManualClock } from '@quire/core/testing';
import { expect, test } from 'vitest';
import { TableDirectory } from '../src/directory/table-directory.ts';
import { planRetention } from '../src/upkeep/upkeep.ts';
import { Garbage } from '../src/upkeep/garbage.ts';
import { flightsConfig, flightsSchema, jsonLines, openEngine, TestServer } from './test-server.ts';

test('retention removes segments whose newest row is older, and no other', () => {
  const segment = (segmentName: string, maxTimeMs: number | null) => ({
    segmentName,
    maxTimeMs,
    minTimeMs: 0,
    file: '',
    rowCount: 1,
    sizeBytes: 1,
    checksum: '0',
    columnNames: [],
    digits: {},
    malformedColumnNames: [],
    createdMs: 0,
    committedMs: 0,
    stream: null,
    custom: {},
  });
  const segments = [segment('old', 899), segment('edge', 900), segment('timeless', null), segment('new', 1_000)];
  expect(planRetention(segments, 100, 1_000)).toEqual(['old']);
});

test('retention goes by the time of the clock: an hour back removes nothing, a day ahead what is too old by then, once', async () => {
  const nowMs = Date.UTC(2026, 0, 10);
  const clock = new ManualClock({ nowMs });
  await using server = await TestServer.open({ clock });
  const { engine } = server;
  await engine.createSchema(flightsSchema);
  const segmentsConfig = { timeColumnName: 'ts', retentionTimeUnit: 'DAYS', retentionTimeValue: '2' };
  await engine.createTable({ ...flightsConfig, segmentsConfig });
  for (const hours of [0, 36]) {
    const rows = [{ carrier: `${hours} hours`, ts: nowMs - hours * 3_600_000 }];
    const source = { kind: 'bytes', name: 'rows.jsonl', body: jsonLines(rows) } as const;
    await engine.ingest({ tableNameWithType: 'flights_OFFLINE', source, batchConfig: {} });
  }
  const carriers = async () => (await server.rows('SELECT carrier FROM flights ORDER BY ts')).map(({ carrier }) => carrier);
  /** A round of upkeep; its end is when it sleeps again, beside the schedules of tasks. */
  const round = async () => {
    await clock.untilSleeping(2);
    await clock.advance(10_000);
    await clock.untilSleeping(2);
  };
  clock.stepWallClock(-3_600_000);
  await round();
  expect(await carriers()).toEqual(['36 hours', '0 hours']);
  clock.stepWallClock(86_400_000 + 3_600_000);
  await round();
  expect(await carriers()).toEqual(['0 hours']);
  clock.stepWallClock(-86_400_000);
  await round();
  expect(await carriers()).toEqual(['0 hours']);
});

test('a file that no table names any more stays for the grace of queries, and then goes', async () => {
  await using server = await TestServer.open();
  const { engine, directory } = server;
  await engine.createSchema(flightsSchema);
  await engine.createTable(flightsConfig);
  const source = () =>
    ({ kind: 'bytes', name: 'rows.jsonl', body: jsonLines([{ carrier: 'A', ts: 1_700_000_000_000 }]) }) as const;
  const { segmentNames } = await engine.ingest({ tableNameWithType: 'flights_OFFLINE', source: source(), batchConfig: {} });
  await engine.ingest({ tableNameWithType: 'flights_OFFLINE', source: source(), batchConfig: {} });
  await engine.deleteSegment('flights_OFFLINE', segmentNames[0] ?? '');
  await engine[Symbol.asyncDispose]();
  const [tableId = ''] = await readdir(join(directory, 'data'));
  const files = async () => (await readdir(join(directory, 'data', tableId))).filter((name) => name.endsWith('.parquet'));
  expect(await files()).toHaveLength(2);

  const clock = new ManualClock();
  const named = (await files()).filter((name) => !name.startsWith(segmentNames[0] ?? '-'));
  const table = { record: { tableId }, namedFiles: () => named, isHeld: () => false };
  const garbage = new Garbage(new TableDirectory(directory), clock);
  expect(await garbage.collect([table], 1_000)).toBe(0);
  // A query may still read it, whatever the clock on the wall says.
  clock.stepWallClock(86_400_000);
  expect(await garbage.collect([table], 1_000)).toBe(0);
  clock.stepWallClock(-86_400_000 - 3_600_000);
  await clock.advance(999);
  expect(await garbage.collect([table], 1_000)).toBe(0);
  await clock.advance(1);
  expect(await garbage.collect([table], 1_000)).toBe(1);
  expect(await files()).toEqual(named);
  // Without any table, all of its directory is garbage.
  expect(await garbage.collect([], 0)).toBe(1);
  expect(await readdir(join(directory, 'data'))).toEqual([]);
});

test('a directory is open in one server at a time', async () => {
  await using server = await TestServer.open();
  const second = openEngine(server.directory);
  await expect(second).rejects.toMatchObject({ code: 'INVALID_SETTING' });
  await expect(second).rejects.toThrow('is open in another table server');
});

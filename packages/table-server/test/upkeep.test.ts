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

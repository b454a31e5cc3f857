import { renameSync } from 'node:fs';
import {
  type FileHandle,
  open as openFile,
  readdir,
  readFile,
  rename,
  writeFile,
} from 'node:fs/promises';
import { join } from 'node:path';
import { ManualClock, SeededRandom } from '@quire/core/testing';
import { expect, onTestFinished, test, vi } from 'vitest';
import type { EmbeddedTableEngine } from '../src/index.ts';
import { DiskSpace } from '../src/directory/disk-space.ts';
import { Records } from '../src/directory/records.ts';
import { TableDirectory, type TableRecord } from '../src/directory/table-directory.ts';
import { ServedTable } from '../src/served-table.ts';
import { planRetention, Upkeep } from '../src/upkeep/upkeep.ts';
import { type CollectOptions, Garbage, type GarbageEvent } from '../src/upkeep/garbage.ts';
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
  const segments = [
    segment('old', 899),
    segment('edge', 900),
    segment('timeless', null),
    segment('new', 1_000),
  ];
  expect(planRetention(segments, 100, 1_000)).toEqual(['old']);
});

test('retention goes by the time of the clock: an hour back removes nothing, a day ahead what is too old by then, once', async () => {
  const nowMs = Date.UTC(2026, 0, 10);
  const clock = new ManualClock({ nowMs });
  await using server = await TestServer.open({ clock });
  const { engine } = server;
  await engine.createSchema(flightsSchema);
  const segmentsConfig = {
    timeColumnName: 'ts',
    retentionTimeUnit: 'DAYS',
    retentionTimeValue: '2',
  };
  await engine.createTable({ ...flightsConfig, segmentsConfig });
  for (const hours of [0, 36]) {
    const rows = [{ carrier: `${hours} hours`, ts: nowMs - hours * 3_600_000 }];
    const source = { kind: 'bytes', name: 'rows.jsonl', body: jsonLines(rows) } as const;
    await engine.ingest({ tableNameWithType: 'flights_OFFLINE', source, batchConfig: {} });
  }
  const carriers = async () =>
    (await server.rows('SELECT carrier FROM flights ORDER BY ts')).map(({ carrier }) => carrier);
  /**
   * A round of upkeep; it has ended when it sleeps again, in addition to the schedules of tasks and
   * the scrub.
   */
  const round = async () => {
    await clock.untilSleeping(3);
    await clock.advance(10_000);
    await clock.untilSleeping(3);
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

const table = 'flights_OFFLINE';

/** Applies the retention of two old segments, and deletes something at the same time. */
async function retainBeside(
  act: (engine: EmbeddedTableEngine) => Promise<void>,
): Promise<{ readonly failures: readonly unknown[]; readonly segmentCount: number }> {
  const nowMs = Date.UTC(2026, 0, 10);
  const clock = new ManualClock({ nowMs });
  const failures: unknown[] = [];
  const onUpkeepFailed = (error: unknown): number => failures.push(error);
  await using server = await TestServer.open({ clock, onUpkeepFailed });
  const { engine } = server;
  await engine.createSchema(flightsSchema);
  const retention = { retentionTimeUnit: 'DAYS', retentionTimeValue: '2' };
  const segmentsConfig = { timeColumnName: 'ts', ...retention };
  await engine.createTable({ ...flightsConfig, segmentsConfig });
  for (const carrier of ['A', 'B']) {
    const body = jsonLines([{ carrier, ts: nowMs }]);
    const source = { kind: 'bytes', name: 'rows.jsonl', body } as const;
    await engine.ingest({ tableNameWithType: 'flights_OFFLINE', source, batchConfig: {} });
  }
  vi.spyOn(DiskSpace.prototype, 'free').mockImplementationOnce(async (free) => {
    await act(engine);
    return free();
  });
  clock.stepWallClock(3 * 86_400_000);
  await clock.untilSleeping(3);
  await clock.advance(10_000);
  await clock.untilSleeping(3);
  const tables = await engine.listTables();
  const segmentCount = tables.length === 0 ? 0 : (await engine.listSegments(table)).length;
  return { failures, segmentCount };
}

test('retention removes the other segments when one of them is deleted at the same time', async () => {
  const deleteFirst = async (engine: EmbeddedTableEngine): Promise<void> => {
    const [first] = await engine.listSegments(table);
    await engine.deleteSegment(table, first?.segmentName ?? '');
  };
  expect(await retainBeside(deleteFirst)).toEqual({ failures: [], segmentCount: 0 });
});

test('retention of a table that is deleted at the same time is not a failure', async () => {
  expect(await retainBeside((engine) => engine.deleteTable(table))).toMatchObject({ failures: [] });
});

/**
 * A table of two segments, one of which was deleted, and the collection of its garbage in virtual
 * time.
 */
async function openGarbage() {
  const server = await TestServer.open();
  const { engine, directory: root } = server;
  await engine.createSchema(flightsSchema);
  await engine.createTable(flightsConfig);
  const ingest = () => {
    const body = jsonLines([{ carrier: 'A', ts: 1_700_000_000_000 }]);
    return engine.ingest({
      tableNameWithType: 'flights_OFFLINE',
      source: { kind: 'bytes', name: 'rows.jsonl', body },
      batchConfig: {},
    });
  };
  const {
    segmentNames: [deleted = ''],
  } = await ingest();
  await ingest();
  await engine.deleteSegment('flights_OFFLINE', deleted);
  await engine[Symbol.asyncDispose]();
  const clock = new ManualClock({ nowMs: 1_700_000_000_000 });
  const directory = new TableDirectory(root);
  const random = new SeededRandom(1);
  const records = new Records({ random });
  const record = (await records.read<TableRecord>(directory.table('flights_OFFLINE')))!;
  const open = () =>
    ServedTable.open(record, { directory, records, clock, random, instanceName: '' });
  const events: GarbageEvent[] = [];
  const garbage = new Garbage({ directory, clock, onEvent: (event) => events.push(event) });
  const data = (name = '') => directory.data(record.tableId, name);
  const files = async (folder = data()) =>
    (await readdir(folder)).filter((name) => name.endsWith('.parquet'));
  const collect = async (table?: ServedTable, options: Partial<CollectOptions> = {}) =>
    garbage.collect(table === undefined ? [] : [table], {
      graceMs: 1_000,
      retentionMs: 86_400_000,
      setAside: [],
      keepsAnnounced: false,
      ...options,
    });
  return {
    server,
    directory,
    records,
    record,
    clock,
    open,
    garbage,
    events,
    data,
    files,
    collect,
    deleted,
  };
}

test('a file that no manifest names any more stays for the grace of queries, then in the trash, and then goes; each step has its reason', async () => {
  const { server, record, clock, open, events, data, files, collect, deleted } =
    await openGarbage();
  await using _server = server;
  const table = await open();
  const named = (await files()).filter((name) => !name.startsWith(deleted));
  const [unnamed = ''] = (await files()).filter((name) => name.startsWith(deleted));
  const nothing = { trashedCount: 0, deletedCount: 0 };
  expect(await collect(table)).toEqual(nothing);
  // A query may still read it, whatever the wall clock shows.
  clock.stepWallClock(86_400_000);
  expect(await collect(table)).toEqual(nothing);
  clock.stepWallClock(-86_400_000 - 3_600_000);
  await clock.advance(999);
  expect(await collect(table)).toEqual(nothing);
  await clock.advance(1);
  expect(await collect(table)).toEqual({ trashedCount: 1, deletedCount: 0 });
  expect(await files()).toEqual(named);
  expect(await readdir(data('trash'))).toEqual([`${clock.nowMs()}.${unnamed}`]);
  const path = `data/${record.tableId}/${unnamed}`;
  const reason = `segment ${deleted} was deleted by a call`;
  expect(events).toEqual([{ path, action: 'moved to the trash', reason }]);
  // The next change of the manifest removes it.
  await table.segments.change({});
  expect(table.segments.manifest.retired).toEqual([]);
  await clock.advance(86_399_999);
  expect(await collect(table)).toEqual(nothing);
  await clock.advance(1);
  expect(await collect(table)).toEqual({ trashedCount: 0, deletedCount: 1 });
  expect(await readdir(data('trash'))).toEqual([]);
  expect(events.at(-1)).toMatchObject({
    action: 'deleted',
    reason: expect.stringContaining('engine.tables.trash.retention'),
  });
});

test('a file that nothing explains is kept and named, whatever it is called', async () => {
  const { server, record, clock, open, garbage, data, files, collect } = await openGarbage();
  await using _server = server;
  const table = await open();
  const strange = [
    'flights_OFFLINE_1_ab.0123456789ab.parquet',
    'flights__0__3__20260101T0000Z.0123456789ab.parquet',
    'notes.txt',
  ];
  for (const name of strange) await writeFile(data(name), 'rows');
  await writeFile(data('flights_OFFLINE_2_cd.writing'), '');
  await writeFile(data('flights_OFFLINE_2_cd.0123456789ab.parquet'), 'half');
  await collect(table);
  await clock.advance(1_000);
  // The deleted segment, and the file that was being written.
  expect(await collect(table, { retentionMs: 0 })).toEqual({ trashedCount: 2, deletedCount: 2 });
  expect(garbage.unexplained).toEqual(strange.map((name) => `data/${record.tableId}/${name}`));
  expect((await readdir(data())).filter((name) => strange.includes(name))).toEqual(
    strange.toSorted(),
  );
  expect(await files()).toHaveLength(3);
  await collect(table);
  expect(await readdir(data())).not.toContain('flights_OFFLINE_2_cd.writing');
});

test('a record that is being written is not a piece of garbage, however long its disk takes; a staged file of a process that died is one', async () => {
  const { server, directory, records, record, clock, open, events, data, collect } =
    await openGarbage();
  await using _server = server;
  const table = await open();
  // The disk takes long for the first two files that are synced: the two records.
  const gate = Promise.withResolvers<void>();
  await using probe = await openFile(data('probe'), 'w');
  const sync = vi.spyOn(Object.getPrototypeOf(probe) as FileHandle, 'sync');
  onTestFinished(() => sync.mockRestore());
  const written = [directory.taskProgress(record.tableId), directory.task('Task_1')];
  for (const _ of written) sync.mockImplementationOnce(() => gate.promise);
  const writes = written.map((file) => records.replace(file, { isNew: true }));
  await expect.poll(() => sync).toHaveBeenCalledTimes(written.length);
  const dead = ['tasks/.staged-01', `data/${record.tableId}/.staged-02`];
  for (const path of dead) await writeFile(join(directory.root, path), 'half');
  await collect(table);
  await clock.advance(1_000);
  await collect(table);
  gate.resolve();
  await Promise.all(writes);
  const staged = events.filter(({ reason }) => reason === 'a record was not fully written');
  expect(staged.map(({ path }) => path)).toEqual(dead);
  for (const file of written) expect(await records.read(file)).toEqual({ isNew: true });
});

test('a directory that goes away during a collection is not created again, and nothing in it is logged as moved', async () => {
  const { server, directory, clock, open, data } = await openGarbage();
  await using _server = server;
  const table = await open();
  await writeFile(data('flights_OFFLINE_2_cd.writing'), '');
  await writeFile(data('flights_OFFLINE_2_cd.0123456789ab.parquet'), 'half');
  const away = `${directory.root}-away`;
  const events: GarbageEvent[] = [];
  const failures: unknown[] = [];
  const garbage = new Garbage({
    directory,
    clock,
    onEvent: (event) => {
      events.push(event);
      if (events.length === 1) renameSync(directory.root, away);
    },
    onFailed: async (error) => void failures.push(error),
  });
  const collect = () =>
    garbage.collect([table], {
      graceMs: 1_000,
      retentionMs: 86_400_000,
      setAside: [],
      keepsAnnounced: false,
    });
  await collect();
  await clock.advance(1_000);
  expect(await collect()).toEqual({ trashedCount: 1, deletedCount: 0 });
  expect([events, failures]).toEqual([
    [expect.objectContaining({ action: 'moved to the trash' })],
    [expect.objectContaining({ code: 'ENOENT' })],
  ]);
  await expect(readdir(directory.root)).rejects.toThrow('ENOENT');

  await rename(away, directory.root);
  await collect();
  await clock.advance(1_000);
  expect(await collect()).toEqual({ trashedCount: 1, deletedCount: 0 });
});

test('all of a table goes by way of the trash once it was deleted; without its record it is kept and named', async () => {
  const { server, directory, records, record, clock, garbage, events, data, collect } =
    await openGarbage();
  await using _server = server;
  const elsewhere = join(directory.root, 'elsewhere.json');
  await rename(directory.table('flights_OFFLINE').path, elsewhere);
  await collect();
  await clock.advance(1_000);
  expect(await collect()).toEqual({ trashedCount: 0, deletedCount: 0 });
  expect(garbage.unexplained).toEqual([`data/${record.tableId}`]);
  await rename(elsewhere, directory.table('flights_OFFLINE').path);
  await records.move(directory.table('flights_OFFLINE'), directory.deleted(record.tableId).path);
  expect(await collect()).toEqual({ trashedCount: 1, deletedCount: 0 });
  expect(events).toEqual([
    {
      path: `data/${record.tableId}`,
      action: 'moved to the trash',
      reason: 'the table flights_OFFLINE was deleted',
    },
  ]);
  await expect(readdir(data())).rejects.toMatchObject({ code: 'ENOENT' });
  expect(await collect(undefined, { retentionMs: 0 })).toEqual({
    trashedCount: 0,
    deletedCount: 1,
  });
  expect(await readdir(directory.folder('trash'))).toEqual([]);
});

test('a directory is open in one server at a time', async () => {
  await using server = await TestServer.open();
  const second = openEngine(server.directory);
  await expect(second).rejects.toMatchObject({ code: 'INVALID_SETTING' });
  await expect(second).rejects.toThrow('is open in another table server');
});

test('a directory that cannot be created is refused by the name of its setting', async () => {
  await using server = await TestServer.open();
  const path = join(server.directory, '.lock', 'tables');
  await expect(openEngine(path)).rejects.toMatchObject({
    code: 'INVALID_SETTING',
    message: expect.stringContaining(`engine.tables.data.dir = ${path}: ENOTDIR`) as unknown,
  });
});

test.each(['when tables are opened', 'when garbage is collected'])(
  'a directory that goes away during a round, %s, is reported once, as missing',
  async (moment) => {
    const { server, directory, clock, open } = await openGarbage();
    await using _server = server;
    const table = await open();
    const away = `${directory.root}-away`;
    const goAway = async (): Promise<never> => {
      await rename(directory.root, away);
      return readFile(directory.manifest(table.record.tableId).path) as Promise<never>;
    };
    const isOpening = moment === 'when tables are opened';
    if (!isOpening) vi.spyOn(table, 'readConsuming').mockImplementation(goAway);
    const reports: unknown[] = [];
    const upkeep = new Upkeep({
      directory,
      clock,
      registry: {
        tables: [table],
        setAside: new Map(),
        reopen: async () => (isOpening ? goAway() : undefined),
      },
      space: new DiskSpace(directory.root),
      otherRecords: () => [],
      hasDamagedTasks: () => false,
      graceMs: () => 1_000,
      trashRetentionMs: () => 1_000,
      onFailed: (error) => reports.push(error),
      onDiskProblem: (problem) => reports.push(problem),
    });
    await clock.untilSleeping();
    await upkeep[Symbol.asyncDispose]();
    await rename(away, directory.root);
    expect(reports).toEqual([expect.stringMatching(/is missing: nothing/)]);
  },
);

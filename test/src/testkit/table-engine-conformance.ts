import { type ErrorCode, isQuireError } from '@quire/core';
import type { TableConfigDocument, TableSchemaDocument, TaskRecord } from '@quire/core/table-engine';
import { describe, expect, test, vi } from 'vitest';
import type { OpenTableEngineFixture, TableEngineFixture } from './table-engine-fixture.ts';

const schema: TableSchemaDocument = {
  schemaName: 'visits',
  dimensionFieldSpecs: [{ name: 'page', dataType: 'STRING' }],
  metricFieldSpecs: [{ name: 'n', dataType: 'INT' }],
  dateTimeFieldSpecs: [{ name: 'ts', dataType: 'LONG', format: 'EPOCH|MILLISECONDS|1', granularity: 'MILLISECONDS|1' }],
};
const wider: TableSchemaDocument = {
  ...schema,
  dimensionFieldSpecs: [
    { name: 'page', dataType: 'STRING' },
    { name: 'user', dataType: 'STRING' },
  ],
};
const offline: TableConfigDocument = {
  tableName: 'visits_OFFLINE',
  tableType: 'OFFLINE',
  segmentsConfig: { timeColumnName: 'ts', replication: '1' },
};
const startMs = 1_767_225_600_000;
const patience = { timeout: 60_000, interval: 50 };

function realtime({ streamConfig }: TableEngineFixture): TableConfigDocument {
  return {
    tableName: 'visits_REALTIME',
    tableType: 'REALTIME',
    segmentsConfig: { timeColumnName: 'ts', replication: '1' },
    ingestionConfig: { streamIngestionConfig: { streamConfigMaps: [streamConfig] } },
  };
}

function visits(count: number, first = 0): readonly object[] {
  return Array.from({ length: count }, (_, index) => ({ page: 'home', n: first + index, ts: startMs + first + index }));
}

/** Rows as an upload of JSON lines. */
function upload(rows: readonly object[], name = 'visits.jsonl') {
  const body = async function* (): AsyncGenerator<Uint8Array> {
    yield Buffer.from(rows.map((row) => `${JSON.stringify(row)}\n`).join(''));
  };
  const source = { kind: 'bytes', name, body: body() } as const;
  return { tableNameWithType: 'visits_OFFLINE', source, batchConfig: { inputFormat: 'jsonl' } };
}

/** The code that a call is refused with; undefined when it is not. */
async function codeOf(call: Promise<unknown>): Promise<ErrorCode | undefined> {
  try {
    await call;
    return undefined;
  } catch (error) {
    if (!isQuireError(error)) throw error;
    return error.code;
  }
}

/** What `TableEngine` promises, for any engine. */
export function describeTableEngine(
  name: string,
  open: OpenTableEngineFixture,
  { hasTasks = true }: { readonly hasTasks?: boolean } = {},
): void {
  describe(`${name}: schemas`, () => {
    test('are created once, read back, widened and deleted', async () => {
      await using fixture = await open();
      const { engine } = fixture;
      await engine.createSchema(schema);
      expect(await codeOf(engine.createSchema(schema))).toBe('SCHEMA_EXISTS');
      expect(await engine.listSchemas()).toContain('visits');
      expect(await engine.readSchema('visits')).toMatchObject(schema);
      await engine.updateSchema(wider);
      expect(await engine.readSchema('visits')).toMatchObject(wider);
      await engine.deleteSchema('visits');
      expect(await codeOf(engine.readSchema('visits'))).toBe('SCHEMA_NOT_FOUND');
      expect(await codeOf(engine.updateSchema(schema))).toBe('SCHEMA_NOT_FOUND');
      expect(await codeOf(engine.deleteSchema('visits'))).toBe('SCHEMA_NOT_FOUND');
    });

    test('of a table in use lose no column, and are not deleted', async () => {
      await using fixture = await open();
      const { engine } = fixture;
      await engine.createSchema(wider);
      await engine.createTable(offline);
      expect(await codeOf(engine.updateSchema(schema))).toBe('TABLE_INVALID');
      expect(await codeOf(engine.deleteSchema('visits'))).toBe('SCHEMA_IN_USE');
      expect(await engine.readSchema('visits')).toMatchObject(wider);
    });
  });

  describe(`${name}: tables`, () => {
    test('are created once, with their schema, and deleted without it', async () => {
      await using fixture = await open();
      const { engine } = fixture;
      expect(await codeOf(engine.createTable(offline))).toBe('SCHEMA_NOT_FOUND');
      await engine.createSchema(schema);
      expect(await engine.createTable(offline)).toMatchObject({ tableNameWithType: 'visits_OFFLINE' });
      expect(await codeOf(engine.createTable(offline))).toBe('TABLE_EXISTS');
      expect(await engine.listTables()).toContainEqual({
        tableNameWithType: 'visits_OFFLINE',
        type: 'OFFLINE',
        isReadOnly: false,
      });
      const table = await engine.readTable('visits_OFFLINE');
      expect(table).toMatchObject({ type: 'OFFLINE', config: { tableName: 'visits_OFFLINE' }, schema: { schemaName: 'visits' } });
      await engine.deleteTable('visits_OFFLINE');
      expect(await codeOf(engine.readTable('visits_OFFLINE'))).toBe('TABLE_NOT_FOUND');
      expect(await codeOf(engine.deleteTable('visits_OFFLINE'))).toBe('TABLE_NOT_FOUND');
      expect(await engine.readSchema('visits')).toMatchObject({ schemaName: 'visits' });
    });

    test('that are not valid are refused with findings, and leave nothing', async () => {
      await using fixture = await open();
      const { engine } = fixture;
      await engine.createSchema(schema);
      const noStream = { tableName: 'visits', tableType: 'REALTIME', segmentsConfig: { timeColumnName: 'ts' } };
      await expect(engine.createTable(noStream)).rejects.toMatchObject({ code: 'TABLE_INVALID', findings: expect.anything() });
      const abroad = { ...offline, tenants: { broker: 'DefaultTenant', server: 'Nowhere' } };
      expect(await codeOf(engine.createTable(abroad))).toBe('TENANT_NOT_FOUND');
      expect((await engine.listTables()).filter(({ tableNameWithType }) => tableNameWithType.startsWith('visits'))).toEqual([]);
    });
  });

  describe(`${name}: segments`, () => {
    test('hold the rows of a file at once, or none of them, and can be deleted', async () => {
      await using fixture = await open();
      const { engine } = fixture;
      await engine.createSchema(schema);
      await engine.createTable(offline);
      const { segmentNames, rowCount } = await engine.ingest(upload(visits(5)));
      expect(rowCount).toBe(5);
      await vi.waitUntil(async () => (await fixture.count('visits')) === 5, patience);
      expect(await engine.countRows('visits_OFFLINE')).toBe(5);
      expect(await engine.listSegments('visits_OFFLINE')).toMatchObject(
        segmentNames.map((segmentName) => ({ segmentName, state: 'COMMITTED', rowCount: 5, stream: null })),
      );
      expect(await codeOf(engine.ingest(upload([...visits(2), { n: 'many' }])))).toBe('INGESTION_FAILED');
      expect(await engine.listSegments('visits_OFFLINE')).toHaveLength(1);
      expect(await codeOf(engine.deleteSegment('visits_OFFLINE', 'other'))).toBe('SEGMENT_NOT_FOUND');
      await engine.deleteSegment('visits_OFFLINE', segmentNames[0] ?? '');
      await vi.waitUntil(async () => (await fixture.count('visits')) === 0, patience);
    });

    test('are asked of tables that are there', async () => {
      await using fixture = await open();
      const { engine } = fixture;
      expect(await codeOf(engine.listSegments('visits_OFFLINE'))).toBe('TABLE_NOT_FOUND');
      expect(await codeOf(engine.countRows('visits_OFFLINE'))).toBe('TABLE_NOT_FOUND');
      expect(await codeOf(engine.ingest(upload(visits(1))))).toBe('TABLE_NOT_FOUND');
    });
  });

  describe(`${name}: streams`, () => {
    test('are consumed, committed on demand, paused and resumed, each message once', async () => {
      await using fixture = await open();
      const { engine } = fixture;
      await engine.createSchema(schema);
      await fixture.append(0, visits(4));
      await fixture.append(1, visits(3, 10));
      await engine.createTable(realtime(fixture));
      await vi.waitUntil(async () => (await fixture.count('visits')) === 7, patience);
      await vi.waitUntil(async () => {
        const { partitions, isReady } = await engine.readConsumption('visits_REALTIME');
        return isReady && partitions.length === 2 && partitions.every(({ lagMessages }) => lagMessages === 0);
      }, patience);
      const { jobId } = await engine.forceCommit('visits_REALTIME');
      await vi.waitUntil(async () => (await engine.readForceCommit(jobId)).pendingSegmentNames.length === 0, patience);
      expect(await engine.pauseConsumption('visits_REALTIME')).toMatchObject({ isPaused: true });
      expect(await engine.pauseConsumption('visits_REALTIME')).toMatchObject({ isPaused: true });
      expect(await codeOf(engine.forceCommit('visits_REALTIME'))).toBe('CONFLICT');
      await fixture.append(0, visits(2, 4));
      expect(await engine.resumeConsumption('visits_REALTIME')).toMatchObject({ isPaused: false });
      await vi.waitUntil(async () => (await fixture.count('visits')) === 9, patience);
    });

    test('begin paused when the table is made so', async () => {
      await using fixture = await open();
      const { engine } = fixture;
      await engine.createSchema(schema);
      await fixture.append(0, visits(4));
      await engine.createTable(realtime(fixture), { isPaused: true });
      expect(await engine.readConsumption('visits_REALTIME')).toMatchObject({ isPaused: true });
      await engine.resumeConsumption('visits_REALTIME');
      await vi.waitUntil(async () => (await fixture.count('visits')) === 4, patience);
    });

    test('are asked of tables that have one', async () => {
      await using fixture = await open();
      const { engine } = fixture;
      await engine.createSchema(schema);
      await engine.createTable(offline);
      expect(await codeOf(engine.readConsumption('visits_OFFLINE'))).toBe('UNSUPPORTED');
      expect(await codeOf(engine.pauseConsumption('visits_REALTIME'))).toBe('TABLE_NOT_FOUND');
      expect(await codeOf(engine.readForceCommit('none'))).toBe('JOB_NOT_FOUND');
      expect(await codeOf(engine.readRebalance('none'))).toBe('JOB_NOT_FOUND');
    });
  });

  describe.skipIf(!hasTasks)(`${name}: tasks`, () => {
    describeTasks(open);
  });

  test(`${name}: the cluster has tenants and servers, and the table names its own`, async () => {
    await using fixture = await open();
    const { engine } = fixture;
    const { serverTenants, brokerTenants } = await engine.listTenants();
    expect([serverTenants, brokerTenants]).toEqual([
      expect.arrayContaining(['DefaultTenant']),
      expect.arrayContaining(['DefaultTenant']),
    ]);
    expect((await engine.listInstances()).map(({ kind }) => kind)).toContain('SERVER');
  });
}

const taskType = 'SegmentGenerationAndPushTask';

/** Tasks that load files: every engine has these. */
function describeTasks(open: OpenTableEngineFixture): void {
  /** A table that asks for such tasks, of a directory without files. */
  const openLoading = async (): Promise<TableEngineFixture> => {
    const fixture = await open();
    await fixture.engine.createSchema(schema);
    const batchConfigMaps = [
      { inputDirURI: filesOf(fixture).directoryUri, includeFileNamePattern: 'glob:**/*.csv', inputFormat: 'csv' },
    ];
    await fixture.engine.createTable({
      ...offline,
      ingestionConfig: {
        batchIngestionConfig: { segmentIngestionType: 'APPEND', segmentIngestionFrequency: 'DAILY', batchConfigMaps },
      },
      task: { taskTypeConfigsMap: { [taskType]: { maxAttemptsPerTask: '1' } } },
    });
    return fixture;
  };
  const table = { taskType, tableNameWithType: 'visits_OFFLINE' };
  const schedule = async ({ engine }: TableEngineFixture): Promise<string> => {
    const { scheduled, skipped, errors } = await engine.scheduleTasks(table);
    expect({ scheduled, skipped, errors }).toMatchObject({ scheduled: [{ ...table }], skipped: [], errors: [] });
    return scheduled[0]?.taskName ?? '';
  };
  const ended = ({ engine }: TableEngineFixture, taskName: string): Promise<TaskRecord> =>
    vi.waitFor(async () => {
      const task = await engine.readTask(taskName);
      expect(task.finishedMs).not.toBeNull();
      return task;
    }, patience);
  const fileOf = (rows: readonly string[]): string => ['page,n,ts', ...rows].map((row) => `${row}\n`).join('');

  test('are scheduled for what there is to do, run, listed and read with their subtasks', async () => {
    await using fixture = await openLoading();
    const { engine } = fixture;
    expect(await engine.listTaskTypes()).toContain(taskType);
    const idle = await engine.scheduleTasks(table);
    expect(idle).toMatchObject({ scheduled: [], skipped: [{ ...table, reason: expect.any(String) }], errors: [] });
    await filesOf(fixture).write('a.csv', fileOf([`home,1,${startMs}`, `home,2,${startMs}`]));
    await filesOf(fixture).write('b.csv', fileOf([`home,3,${startMs}`]));
    const taskName = await schedule(fixture);
    const task = await ended(fixture, taskName);
    expect(task).toMatchObject({ ...table, taskName, state: 'COMPLETED', trigger: 'MANUAL_TRIGGER' });
    expect(task.subtasks.map(({ state, subtaskId }) => [state, subtaskId])).toEqual([
      ['COMPLETED', `${taskName}_0`],
      ['COMPLETED', `${taskName}_1`],
    ]);
    expect((await engine.listTasks(table)).map((each) => each.taskName)).toEqual([taskName]);
    await vi.waitUntil(async () => (await fixture.count('visits')) === 3, patience);
    expect((await engine.scheduleTasks(table)).scheduled).toEqual([]);
  });

  test('that fail say why, leave nothing, and can be done again', async () => {
    await using fixture = await openLoading();
    await filesOf(fixture).write('a.csv', fileOf([`home,1,${startMs}`]));
    await filesOf(fixture).write('b.csv', fileOf([`home,many,${startMs}`]));
    const { state, subtasks } = await ended(fixture, await schedule(fixture));
    expect([state, subtasks[1]?.state, subtasks[1]?.info]).toEqual(['FAILED', 'TASK_ERROR', expect.stringContaining('many')]);
    expect(await fixture.engine.listSegments('visits_OFFLINE')).toEqual([]);
    await filesOf(fixture).write('b.csv', fileOf([`home,2,${startMs}`]));
    expect((await ended(fixture, await schedule(fixture))).state).toBe('COMPLETED');
    await vi.waitUntil(async () => (await fixture.count('visits')) === 2, patience);
  });

  test('are made of a config of their own, under a name that there is once', async () => {
    await using fixture = await openLoading();
    const { engine } = fixture;
    await filesOf(fixture).write('a.csv', fileOf([`home,1,${startMs}`]));
    const configs = { inputDirURI: filesOf(fixture).directoryUri, includeFileNamePattern: 'glob:a.csv', inputFormat: 'csv' };
    const { taskName } = await engine.executeTask({ ...table, taskName: 'own', configs });
    expect(taskName).toBe(`Task_${taskType}_own`);
    expect(await ended(fixture, taskName)).toMatchObject({ state: 'COMPLETED', trigger: 'ADHOC_TRIGGER' });
    expect(await codeOf(engine.executeTask({ ...table, taskName: 'own', configs }))).toBe('TASK_EXISTS');
    const nothing = { ...configs, includeFileNamePattern: 'glob:none.csv' };
    expect(await codeOf(engine.executeTask({ ...table, configs: nothing }))).toBe('TABLE_INVALID');
  });

  test('wait while their queue is stopped, and can be cancelled; what has ended cannot', async () => {
    await using fixture = await openLoading();
    const { engine } = fixture;
    await filesOf(fixture).write('a.csv', fileOf([`home,1,${startMs}`]));
    await engine.stopTaskQueue(taskType);
    expect(await engine.readTaskQueue(taskType)).toBe('STOPPED');
    const waiting = await schedule(fixture);
    expect((await engine.readTask(waiting)).finishedMs).toBeNull();
    await engine.cancelTask(waiting);
    expect(await ended(fixture, waiting)).toMatchObject({ state: 'ABORTED' });
    expect(await codeOf(engine.cancelTask(waiting))).toBe('CONFLICT');
    const later = await schedule(fixture);
    await engine.resumeTaskQueue(taskType);
    expect(await engine.readTaskQueue(taskType)).toBe('RUNNING');
    expect((await ended(fixture, later)).state).toBe('COMPLETED');
    expect((await engine.listTasks(table)).map(({ taskName }) => taskName)).toEqual([later, waiting]);
    await vi.waitUntil(async () => (await fixture.count('visits')) === 1, patience);
  });

  test('are asked of types, tables and names that are there', async () => {
    await using fixture = await open();
    const { engine } = fixture;
    const type = { taskType: 'NoSuchTask' };
    expect(await codeOf(engine.scheduleTasks(type))).toBe('TASK_TYPE_NOT_FOUND');
    expect(await codeOf(engine.scheduleTasks(table))).toBe('TABLE_NOT_FOUND');
    expect(await codeOf(engine.executeTask({ ...table, ...type, configs: {} }))).toBe('TASK_TYPE_NOT_FOUND');
    expect(await codeOf(engine.executeTask({ ...table, configs: {} }))).toBe('TABLE_NOT_FOUND');
    expect(await codeOf(engine.listTasks(type))).toBe('TASK_TYPE_NOT_FOUND');
    expect(await codeOf(engine.readTaskQueue('NoSuchTask'))).toBe('TASK_TYPE_NOT_FOUND');
    expect(await codeOf(engine.stopTaskQueue('NoSuchTask'))).toBe('TASK_TYPE_NOT_FOUND');
    expect(await codeOf(engine.readTask(`Task_${taskType}_none`))).toBe('TASK_NOT_FOUND');
    expect(await codeOf(engine.cancelTask(`Task_${taskType}_none`))).toBe('TASK_NOT_FOUND');
  });
}

function filesOf({ files }: TableEngineFixture): NonNullable<TableEngineFixture['files']> {
  if (files === undefined) throw new Error('The fixture has no place for files.');
  return files;
}

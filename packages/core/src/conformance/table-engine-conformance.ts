import { expect, vi } from 'vitest';
import { type CaseLimits, casesOf, describeCases } from './conformance-case.ts';
import {
  codeOf,
  offline,
  patience,
  realtime,
  schema,
  untilCounted,
  upload,
  visits,
  wider,
} from './table-documents.ts';
import type { OpenTableEngineFixture, TableEngineCase } from './table-engine-fixture.ts';
import { taskCases } from './task-conformance.ts';

/** The options of `describeTableEngine`. */
export interface TableEngineConformanceOptions extends CaseLimits {
  /** True to include the cases for tasks. Default: true. */
  readonly hasTasks?: boolean;
}

/**
 * Tests an engine against every sentence of the port `TableEngine`. A new engine is passed to this
 * function.
 */
export function describeTableEngine(
  name: string,
  open: OpenTableEngineFixture,
  options: TableEngineConformanceOptions = {},
): void {
  describeCases(name, tableEngineCases(options), open, options);
}

/** Returns one case for each sentence of the port `TableEngine`, for other test runners. */
export function tableEngineCases({
  hasTasks = true,
}: TableEngineConformanceOptions = {}): readonly TableEngineCase[] {
  return [
    ...schemaCases,
    ...tableCases,
    ...segmentCases,
    ...streamCases,
    ...(hasTasks ? taskCases : []),
    ...clusterCases,
  ];
}

const schemaCases: readonly TableEngineCase[] = casesOf<OpenTableEngineFixture>(
  'schemas',
  (test) => {
    test('are created once, read back, widened and deleted', async (open) => {
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

    test('of a table in use lose no column and are not deleted', async (open) => {
      await using fixture = await open();
      const { engine } = fixture;
      await engine.createSchema(wider);
      await engine.createTable(offline);
      expect(await codeOf(engine.updateSchema(schema))).toBe('TABLE_INVALID');
      expect(await codeOf(engine.deleteSchema('visits'))).toBe('SCHEMA_IN_USE');
      expect(await engine.readSchema('visits')).toMatchObject(wider);
    });
  },
);

const tableCases: readonly TableEngineCase[] = casesOf<OpenTableEngineFixture>('tables', (test) => {
  test('are created once, with their schema, and deleted without it', async (open) => {
    await using fixture = await open();
    const { engine } = fixture;
    expect(await codeOf(engine.createTable(offline))).toBe('SCHEMA_NOT_FOUND');
    await engine.createSchema(schema);
    expect(await engine.createTable(offline)).toMatchObject({
      tableNameWithType: 'visits_OFFLINE',
    });
    expect(await codeOf(engine.createTable(offline))).toBe('TABLE_EXISTS');
    expect(await engine.listTables()).toContainEqual({
      tableNameWithType: 'visits_OFFLINE',
      type: 'OFFLINE',
      isReadOnly: false,
    });
    const table = await engine.readTable('visits_OFFLINE');
    expect(table).toMatchObject({
      type: 'OFFLINE',
      config: { tableName: 'visits_OFFLINE' },
      schema: { schemaName: 'visits' },
    });
    await engine.deleteTable('visits_OFFLINE');
    expect(await codeOf(engine.readTable('visits_OFFLINE'))).toBe('TABLE_NOT_FOUND');
    expect(await codeOf(engine.deleteTable('visits_OFFLINE'))).toBe('TABLE_NOT_FOUND');
    expect(await engine.readSchema('visits')).toMatchObject({ schemaName: 'visits' });
  });

  test('are checked with documents that are not stored, and nothing changes', async (open) => {
    await using fixture = await open();
    const { engine } = fixture;
    const context = { schema, otherConfig: undefined };
    expect(await engine.checkTable(offline, context)).toEqual(expect.any(Array));
    const abroad = { ...offline, tenants: { broker: 'DefaultTenant', server: 'Nowhere' } };
    expect(await codeOf(engine.checkTable(abroad, context))).toBe('TENANT_NOT_FOUND');
    expect(await codeOf(engine.readTable('visits_OFFLINE'))).toBe('TABLE_NOT_FOUND');
    expect(await codeOf(engine.readSchema('visits'))).toBe('SCHEMA_NOT_FOUND');
  });

  test('that are not valid are refused with findings, and leave nothing behind', async (open) => {
    await using fixture = await open();
    const { engine } = fixture;
    await engine.createSchema(schema);
    const noStream = {
      tableName: 'visits',
      tableType: 'REALTIME',
      segmentsConfig: { timeColumnName: 'ts' },
    };
    await expect(engine.createTable(noStream)).rejects.toMatchObject({
      code: 'TABLE_INVALID',
      findings: expect.anything(),
    });
    const abroad = { ...offline, tenants: { broker: 'DefaultTenant', server: 'Nowhere' } };
    expect(await codeOf(engine.createTable(abroad))).toBe('TENANT_NOT_FOUND');
    expect(
      (await engine.listTables()).filter(({ tableNameWithType }) =>
        tableNameWithType.startsWith('visits'),
      ),
    ).toEqual([]);
  });
});

const segmentCases: readonly TableEngineCase[] = casesOf<OpenTableEngineFixture>(
  'segments',
  (test) => {
    test('store the rows of a file completely or not at all, and can be deleted', async (open, context) => {
      await using fixture = await open();
      const { engine } = fixture;
      await engine.createSchema(schema);
      await engine.createTable(offline);
      const { segmentNames, rowCount } = await engine.ingest(upload(visits(5)));
      expect(rowCount).toBe(5);
      await untilCounted(fixture, 5, context);
      expect(await engine.countRows('visits_OFFLINE')).toBe(5);
      expect(await engine.listSegments('visits_OFFLINE')).toMatchObject(
        segmentNames.map((segmentName) => ({
          segmentName,
          state: 'COMMITTED',
          rowCount: 5,
          stream: null,
        })),
      );
      expect(await codeOf(engine.ingest(upload([...visits(2), { n: 'many' }])))).toBe(
        'INGESTION_FAILED',
      );
      expect(await engine.listSegments('visits_OFFLINE')).toHaveLength(1);
      expect(await codeOf(engine.deleteSegment('visits_OFFLINE', 'other'))).toBe(
        'SEGMENT_NOT_FOUND',
      );
      await engine.deleteSegment('visits_OFFLINE', segmentNames[0] ?? '');
      await untilCounted(fixture, 0, context);
    });

    test('require an existing table', async (open) => {
      await using fixture = await open();
      const { engine } = fixture;
      expect(await codeOf(engine.listSegments('visits_OFFLINE'))).toBe('TABLE_NOT_FOUND');
      expect(await codeOf(engine.countRows('visits_OFFLINE'))).toBe('TABLE_NOT_FOUND');
      expect(await codeOf(engine.ingest(upload(visits(1))))).toBe('TABLE_NOT_FOUND');
    });
  },
);

const streamCases: readonly TableEngineCase[] = casesOf<OpenTableEngineFixture>(
  'streams',
  (test) => {
    test('are consumed, committed on demand, paused and resumed, each message once', async (open, context) => {
      await using fixture = await open();
      const { engine } = fixture;
      await engine.createSchema(schema);
      await fixture.append(0, visits(4));
      await fixture.append(1, visits(3, 10));
      await engine.createTable(realtime(fixture));
      await untilCounted(fixture, 7, context);
      await vi.waitUntil(async () => {
        const { partitions, isReady } = await engine.readConsumption('visits_REALTIME');
        return (
          isReady &&
          partitions.length === 2 &&
          partitions.every(({ lagMessages }) => lagMessages === 0)
        );
      }, patience(context));
      const { partitions: consumed } = await engine.readConsumption('visits_REALTIME');
      expect(await engine.readPauseStatus('visits_REALTIME')).toMatchObject({
        isPaused: false,
        segmentNames: consumed.flatMap(({ segmentName }) => segmentName ?? []).toSorted(),
      });
      const { jobId } = await engine.forceCommit('visits_REALTIME');
      await vi.waitUntil(
        async () => (await engine.readForceCommit(jobId)).pendingSegmentNames.length === 0,
        patience(context),
      );
      expect(await engine.pauseConsumption('visits_REALTIME')).toMatchObject({ isPaused: true });
      expect(await engine.pauseConsumption('visits_REALTIME')).toMatchObject({ isPaused: true });
      expect(await codeOf(engine.forceCommit('visits_REALTIME'))).toBe('CONFLICT');
      await fixture.append(0, visits(2, 4));
      expect(await engine.resumeConsumption('visits_REALTIME')).toMatchObject({ isPaused: false });
      await untilCounted(fixture, 9, context);
    });

    test('start paused when the table is created so', async (open, context) => {
      await using fixture = await open();
      const { engine } = fixture;
      await engine.createSchema(schema);
      await fixture.append(0, visits(4));
      await engine.createTable(realtime(fixture), { isPaused: true });
      expect(await engine.readConsumption('visits_REALTIME')).toMatchObject({ isPaused: true });
      expect(await engine.readPauseStatus('visits_REALTIME')).toMatchObject({ isPaused: true });
      await engine.resumeConsumption('visits_REALTIME');
      await untilCounted(fixture, 4, context);
    });

    test('require a table that has a stream', async (open) => {
      await using fixture = await open();
      const { engine } = fixture;
      await engine.createSchema(schema);
      await engine.createTable(offline);
      expect(await codeOf(engine.readConsumption('visits_OFFLINE'))).toBe('UNSUPPORTED');
      expect(await codeOf(engine.readPauseStatus('visits_OFFLINE'))).toBe('UNSUPPORTED');
      expect(await codeOf(engine.pauseConsumption('visits_REALTIME'))).toBe('TABLE_NOT_FOUND');
      expect(await codeOf(engine.readForceCommit('none'))).toBe('JOB_NOT_FOUND');
      expect(await codeOf(engine.readRebalance('none'))).toBe('JOB_NOT_FOUND');
    });
  },
);

const clusterCases: readonly TableEngineCase[] = casesOf<OpenTableEngineFixture>(
  'the cluster',
  (test) => {
    test('has tenants and servers, and the table names its own', async (open) => {
      await using fixture = await open();
      const { engine } = fixture;
      const { serverTenants, brokerTenants } = await engine.listTenants();
      expect([serverTenants, brokerTenants]).toEqual([
        expect.arrayContaining(['DefaultTenant']),
        expect.arrayContaining(['DefaultTenant']),
      ]);
      expect((await engine.listInstances()).map(({ kind }) => kind)).toContain('SERVER');
    });
  },
);

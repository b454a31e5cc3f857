import { type ErrorCode, isQuireError, QuireError } from '@quire/core';
import type { TableEngine } from '@quire/core/table-engine';

/**
 * A mistake of authors of table engines: its effect, and the case of the conformance suite that
 * must catch it.
 */
export interface PlantedTableEngineBug {
  /** The mistake, as a predicate of the engine. */
  readonly name: string;
  /** The group and the title of the case, which states the broken guarantee. */
  readonly caughtBy: string;
  readonly plant: (engine: TableEngine) => Partial<TableEngine>;
}

const schemas = 'schemas: are created once, read back, widened and deleted';
const usedSchemas = 'schemas: of a table in use lose no column and are not deleted';
const tables = 'tables: are created once, with their schema, and deleted without it';
const invalidTables =
  'tables: that are not valid are refused with findings, and leave nothing behind';
const checkedTables = 'tables: are checked with documents that are not stored, and nothing changes';
const segments = 'segments: store the rows of a file completely or not at all, and can be deleted';
const missingTables = 'segments: require an existing table';
const streams = 'streams: are consumed, committed on demand, paused and resumed, each message once';
const otherTables = 'streams: require a table that has a stream';
const tasks =
  'tasks: are scheduled when there is work, run, and are listed and read with their subtasks';
const queues =
  'tasks: wait while their queue is stopped, and can be cancelled unless they have finished';

/** Waits for a call, and ignores a failure with this code. */
async function forgiving<T>(call: Promise<T>, code: ErrorCode, instead: T): Promise<T> {
  return call.catch((error: unknown) => {
    if (isQuireError(error, code)) return instead;
    throw error;
  });
}

export const plantedTableEngineBugs: readonly PlantedTableEngineBug[] = [
  {
    name: 'checks a config with the schema that is stored',
    caughtBy: checkedTables,
    plant: (engine) => ({
      checkTable: async (config, context) => {
        await engine.readSchema(context.schema.schemaName);
        return engine.checkTable(config, context);
      },
    }),
  },
  {
    name: 'creates a table to check its config',
    caughtBy: checkedTables,
    plant: (engine) => ({
      checkTable: async (config, context) => {
        const findings = await engine.checkTable(config, context);
        await engine.createSchema(context.schema);
        await engine.createTable(config);
        return findings;
      },
    }),
  },
  {
    name: 'replaces a schema that exists',
    caughtBy: schemas,
    plant: (engine) => ({
      createSchema: async (schema) =>
        engine.createSchema(schema).catch(() => engine.updateSchema(schema)),
    }),
  },
  {
    name: 'forgets the members of a schema that it has no use for',
    caughtBy: schemas,
    plant: (engine) => ({
      readSchema: async (name) => {
        const { schemaName, dimensionFieldSpecs = [] } = await engine.readSchema(name);
        return { schemaName, dimensionFieldSpecs };
      },
    }),
  },
  {
    name: 'makes the schema that it should update',
    caughtBy: schemas,
    plant: (engine) => ({
      updateSchema: async (schema) =>
        engine.updateSchema(schema).catch(() => engine.createSchema(schema)),
    }),
  },
  {
    name: 'deletes a schema that does not exist',
    caughtBy: schemas,
    plant: (engine) => ({
      deleteSchema: (name) => forgiving(engine.deleteSchema(name), 'SCHEMA_NOT_FOUND', undefined),
    }),
  },
  {
    name: 'takes a column from a schema that a table uses',
    caughtBy: usedSchemas,
    plant: (engine) => ({
      updateSchema: (schema) => forgiving(engine.updateSchema(schema), 'TABLE_INVALID', undefined),
    }),
  },
  {
    name: 'deletes a schema that a table uses',
    caughtBy: usedSchemas,
    plant: (engine) => ({
      deleteSchema: (name) => forgiving(engine.deleteSchema(name), 'SCHEMA_IN_USE', undefined),
    }),
  },
  {
    name: 'makes tables without a schema',
    caughtBy: tables,
    plant: (engine) => ({
      createTable: (config, options) =>
        forgiving(engine.createTable(config, options), 'SCHEMA_NOT_FOUND', {
          tableNameWithType: config.tableName,
          findings: [],
        }),
    }),
  },
  {
    name: 'lists tables without their type',
    caughtBy: tables,
    plant: (engine) => ({
      listTables: async () =>
        (await engine.listTables()).map((table) => ({
          ...table,
          tableNameWithType: table.tableNameWithType.replace(/_[A-Z]+$/, ''),
        })),
    }),
  },
  {
    name: 'deletes the schema with its table',
    caughtBy: tables,
    plant: (engine) => ({
      deleteTable: async (name) => {
        await engine.deleteTable(name);
        await engine.deleteSchema(name.replace(/_[A-Z]+$/, ''));
      },
    }),
  },
  {
    name: 'deletes a table that does not exist',
    caughtBy: tables,
    plant: (engine) => ({
      deleteTable: (name) => forgiving(engine.deleteTable(name), 'TABLE_NOT_FOUND', undefined),
    }),
  },
  {
    name: 'refuses a table without a finding',
    caughtBy: invalidTables,
    plant: (engine) => ({
      createTable: (config, options) =>
        engine.createTable(config, options).catch((error: unknown) => {
          throw isQuireError(error, 'TABLE_INVALID')
            ? new QuireError('TABLE_INVALID', 'The table is not valid.')
            : error;
        }),
    }),
  },
  {
    name: 'does not look at tenants',
    caughtBy: invalidTables,
    plant: (engine) => ({
      createTable: ({ tenants: _, ...config }, options) => engine.createTable(config, options),
    }),
  },
  {
    name: 'lists a table that it has refused',
    caughtBy: invalidTables,
    plant: (engine) => {
      const refused: string[] = [];
      return {
        createTable: (config, options) =>
          engine.createTable(config, options).catch((error: unknown) => {
            refused.push(config.tableName);
            throw error;
          }),
        listTables: async () => [
          ...(await engine.listTables()),
          ...refused.map(
            (tableNameWithType) =>
              ({ tableNameWithType, type: 'OFFLINE', isReadOnly: false }) as const,
          ),
        ],
      };
    },
  },
  {
    name: 'keeps the rows before one that it cannot take',
    caughtBy: segments,
    plant: (engine) => ({
      ingest: async (request) => {
        if (request.source.kind !== 'bytes') return engine.ingest(request);
        const chunks: Uint8Array[] = [];
        for await (const chunk of request.source.body) chunks.push(chunk);
        const text = Buffer.concat(chunks).toString();
        const body = async function* (): AsyncGenerator<Uint8Array> {
          yield Buffer.from(text.replace(/^.*"many".*\n/m, ''));
        };
        const ingested = await engine.ingest({
          ...request,
          source: { ...request.source, body: body() },
        });
        if (text.includes('"many"')) {
          throw new QuireError('INGESTION_FAILED', 'Row 3: many is not an INT.');
        }
        return ingested;
      },
    }),
  },
  {
    name: 'counts the rows of a table when it was made',
    caughtBy: segments,
    plant: () => ({ countRows: async () => 0 }),
  },
  {
    name: 'deletes segments some day',
    caughtBy: segments,
    plant: (engine) => ({
      deleteSegment: async (table, name) => {
        const names = (await engine.listSegments(table)).map(({ segmentName }) => segmentName);
        if (!names.includes(name)) await engine.deleteSegment(table, name);
      },
    }),
  },
  {
    name: 'deletes a segment that does not exist',
    caughtBy: segments,
    plant: (engine) => ({
      deleteSegment: (table, name) =>
        forgiving(engine.deleteSegment(table, name), 'SEGMENT_NOT_FOUND', undefined),
    }),
  },
  {
    name: 'lists no segments of a table that does not exist',
    caughtBy: missingTables,
    plant: (engine) => ({
      listSegments: (table) => forgiving(engine.listSegments(table), 'TABLE_NOT_FOUND', []),
    }),
  },
  {
    name: 'counts no rows of a table that does not exist',
    caughtBy: missingTables,
    plant: (engine) => ({
      countRows: (table) => forgiving(engine.countRows(table), 'TABLE_NOT_FOUND', 0),
    }),
  },
  {
    name: 'pauses a moment after it has said so',
    caughtBy: streams,
    plant: (engine) => ({ pauseConsumption: (table) => engine.readPauseStatus(table) }),
  },
  {
    name: 'says that it commits while it is paused',
    caughtBy: streams,
    plant: (engine) => ({
      forceCommit: async (table) => {
        const job = {
          jobId: 'none',
          tableNameWithType: table,
          submittedMs: 0,
          segmentNames: [],
          pendingSegmentNames: [],
        };
        return forgiving(engine.forceCommit(table), 'CONFLICT', job);
      },
    }),
  },
  {
    name: 'never ends a commit',
    caughtBy: streams,
    plant: (engine) => ({
      readForceCommit: async (jobId) => {
        const job = await engine.readForceCommit(jobId);
        return { ...job, pendingSegmentNames: job.segmentNames };
      },
    }),
  },
  {
    name: 'consumes a table that is made paused',
    caughtBy: 'streams: start paused when the table is created so',
    plant: (engine) => ({ createTable: (config) => engine.createTable(config) }),
  },
  {
    name: 'calls a paused table consuming',
    caughtBy: 'streams: start paused when the table is created so',
    plant: (engine) => ({
      readPauseStatus: async (table) => ({
        ...(await engine.readPauseStatus(table)),
        isPaused: false,
      }),
    }),
  },
  {
    name: 'reads no consumption of a table without a stream',
    caughtBy: otherTables,
    plant: (engine) => ({
      readConsumption: (table) =>
        forgiving(engine.readConsumption(table), 'UNSUPPORTED', {
          isPaused: false,
          changedMs: null,
          comment: null,
          partitions: [],
          isReady: true,
        }),
    }),
  },
  {
    name: 'takes a job that it does not know for a finished one',
    caughtBy: otherTables,
    plant: (engine) => ({
      readRebalance: (jobId) =>
        forgiving(engine.readRebalance(jobId), 'JOB_NOT_FOUND', {
          jobId,
          tableNameWithType: '',
          status: 'DONE',
          startedMs: 0,
          endedMs: 0,
          description: '',
          segmentsToMoveCount: 0,
          segmentsMovedCount: 0,
        }),
    }),
  },
  {
    name: 'does not say why it schedules nothing',
    caughtBy: tasks,
    plant: (engine) => ({
      scheduleTasks: async (options) => ({ ...(await engine.scheduleTasks(options)), skipped: [] }),
    }),
  },
  {
    name: 'forgets the subtasks of what has ended',
    caughtBy: tasks,
    plant: (engine) => ({
      readTask: async (name) => ({ ...(await engine.readTask(name)), subtasks: [] }),
    }),
  },
  {
    name: 'says of a task that failed that it is completed',
    caughtBy: 'tasks: that fail give the reason, leave nothing behind, and can be run again',
    plant: (engine) => ({
      readTask: async (name) => {
        const task = await engine.readTask(name);
        return task.state === 'FAILED' ? { ...task, state: 'COMPLETED' } : task;
      },
    }),
  },
  {
    name: 'makes a second task of a name',
    caughtBy: 'tasks: are created from a config of their own, under a unique name',
    plant: (engine) => ({
      executeTask: async (request) =>
        engine.executeTask(request).catch((error: unknown) => {
          if (!isQuireError(error, 'TASK_EXISTS')) throw error;
          return engine.executeTask({ ...request, taskName: `${request.taskName}-2` });
        }),
    }),
  },
  {
    name: 'gives out tasks of a stopped queue',
    caughtBy: queues,
    plant: () => ({ stopTaskQueue: async () => undefined }),
  },
  {
    name: 'cancels what has ended',
    caughtBy: queues,
    plant: (engine) => ({
      cancelTask: (name) => forgiving(engine.cancelTask(name), 'CONFLICT', undefined),
    }),
  },
  {
    name: 'lists no tasks of a type that does not exist',
    caughtBy: 'tasks: require existing types, tables and names',
    plant: (engine) => ({
      listTasks: (filter) => forgiving(engine.listTasks(filter), 'TASK_TYPE_NOT_FOUND', []),
    }),
  },
  {
    name: 'has no tenants',
    caughtBy: 'the cluster: has tenants and servers, and the table names its own',
    plant: () => ({ listTenants: async () => ({ brokerTenants: [], serverTenants: [] }) }),
  },
];

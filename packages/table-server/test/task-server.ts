import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type {
  TableConfigDocument,
  TableSchemaDocument,
  TaskRecord,
} from '@quire/core/table-engine';
import { createFileFinder, type FileFinder } from '@quire/tables';
import { afterEach, beforeEach } from 'vitest';
import { isFinal } from '../src/tasks/task-transitions.ts';
import { jsonLines, TestServer } from './test-server.ts';

/** Tasks on a running table server with real files, segments and queries. */

export const dayMs = 86_400_000;
export const startMs = Date.UTC(2026, 0, 1);
export const schema: TableSchemaDocument = {
  schemaName: 'sales',
  dimensionFieldSpecs: [{ name: 'shop', dataType: 'STRING' }],
  metricFieldSpecs: [
    { name: 'amount', dataType: 'LONG' },
    { name: 'least', dataType: 'INT' },
  ],
  dateTimeFieldSpecs: [
    { name: 'ts', dataType: 'LONG', format: 'EPOCH|MILLISECONDS|1', granularity: 'MILLISECONDS|1' },
  ],
};
export const generation = 'SegmentGenerationAndPushTask';
export const sums = 'SELECT count(*)::INT AS n, sum(amount)::INT AS amount FROM sales';

export let inputs: string;
export let finder: FileFinder;

/** Gives each test of a file a directory for files to load. */
export function useInputs(): void {
  beforeEach(async () => {
    inputs = await mkdtemp(join(tmpdir(), 'quire-inputs-'));
    finder = createFileFinder({ paths: [inputs], buckets: [] });
  });
  afterEach(() => rm(inputs, { recursive: true }));
}

export function config(task: object, extra: object = {}): TableConfigDocument {
  return {
    tableName: 'sales_OFFLINE',
    tableType: 'OFFLINE',
    segmentsConfig: { timeColumnName: 'ts', replication: '1' },
    task: { taskTypeConfigsMap: task },
    ...extra,
  } as TableConfigDocument;
}

export function batch(segmentIngestionType = 'APPEND'): object {
  const batchConfigMaps = [
    {
      inputDirURI: `file://${inputs}/`,
      includeFileNamePattern: 'glob:**/*.csv',
      inputFormat: 'csv',
    },
  ];
  return {
    ingestionConfig: {
      batchIngestionConfig: {
        segmentIngestionType,
        segmentIngestionFrequency: 'DAILY',
        batchConfigMaps,
      },
    },
  };
}

export async function openSales(
  document: TableConfigDocument,
  given: FileFinder = finder,
): Promise<TestServer> {
  const server = await TestServer.open({ finder: given });
  await server.engine.createSchema(schema);
  await server.engine.createTable(document);
  return server;
}

export async function addFile(
  name: string,
  rows: readonly (readonly [string, number, number, number])[],
): Promise<void> {
  await mkdir(join(inputs, 'deep'), { recursive: true });
  await writeFile(
    join(inputs, name),
    `shop,amount,least,ts\n${rows.map((row) => row.join(',')).join('\n')}\n`,
  );
}

export async function ingest(server: TestServer, rows: readonly object[]): Promise<void> {
  const source = { kind: 'bytes', name: 'rows.jsonl', body: jsonLines(rows) } as const;
  await server.engine.ingest({ tableNameWithType: 'sales_OFFLINE', source, batchConfig: {} });
}

export const sale = (shop: string, amount: number, ts: number) => ({
  shop,
  amount,
  least: amount,
  ts,
});

export async function ended(server: TestServer, taskName: string): Promise<TaskRecord> {
  return until(server, taskName, (task) => isFinal(task.state));
}

export async function until(
  server: TestServer,
  taskName: string,
  holds: (task: TaskRecord) => boolean,
): Promise<TaskRecord> {
  for (;;) {
    const task = await server.engine.readTask(taskName);
    if (holds(task)) return task;
    await new Promise((resolve) => setImmediate(resolve));
  }
}

export async function schedule(server: TestServer, taskType: string): Promise<string> {
  const { scheduled, skipped, errors } = await server.engine.scheduleTasks({ taskType });
  const taskName = scheduled[0]?.taskName;
  if (taskName === undefined) throw new Error(JSON.stringify({ skipped, errors }));
  return taskName;
}

export const reasonOf = async (server: TestServer, taskType: string, tableNameWithType?: string) =>
  (await server.engine.scheduleTasks({ taskType, tableNameWithType })).skipped[0]?.reason;

import { expect, vi } from 'vitest';
import { type ErrorCode, isQuireError } from '../errors.ts';
import type { TableConfigDocument, TableSchemaDocument } from '../table-engine/index.ts';
import type { CaseContext } from './conformance-case.ts';
import type { TableEngineFixture } from './table-engine-fixture.ts';

export const schema: TableSchemaDocument = {
  schemaName: 'visits',
  dimensionFieldSpecs: [{ name: 'page', dataType: 'STRING' }],
  metricFieldSpecs: [{ name: 'n', dataType: 'INT' }],
  dateTimeFieldSpecs: [
    { name: 'ts', dataType: 'LONG', format: 'EPOCH|MILLISECONDS|1', granularity: 'MILLISECONDS|1' },
  ],
};
export const wider: TableSchemaDocument = {
  ...schema,
  dimensionFieldSpecs: [
    { name: 'page', dataType: 'STRING' },
    { name: 'user', dataType: 'STRING' },
  ],
};
export const offline: TableConfigDocument = {
  tableName: 'visits_OFFLINE',
  tableType: 'OFFLINE',
  segmentsConfig: { timeColumnName: 'ts', replication: '1' },
};
export const startMs = 1_767_225_600_000;

/** The timeout and the interval with which a case polls for background work of an engine. */
export const patience = ({ patienceMs }: CaseContext) => ({ timeout: patienceMs, interval: 50 });

/** Waits until queries of the table find all rows; the error has the last count. */
export async function untilCounted(
  fixture: TableEngineFixture,
  rowCount: number,
  context: CaseContext,
): Promise<void> {
  await vi.waitFor(
    async () => expect(await fixture.count('visits')).toBe(rowCount),
    patience(context),
  );
}

export function realtime({ streamConfig }: TableEngineFixture): TableConfigDocument {
  return {
    tableName: 'visits_REALTIME',
    tableType: 'REALTIME',
    segmentsConfig: { timeColumnName: 'ts', replication: '1' },
    ingestionConfig: { streamIngestionConfig: { streamConfigMaps: [streamConfig] } },
  };
}

export function visits(count: number, first = 0): readonly object[] {
  return Array.from({ length: count }, (_, index) => ({
    page: 'home',
    n: first + index,
    ts: startMs + first + index,
  }));
}

/** Returns rows as an upload of JSON lines. */
export function upload(rows: readonly object[], name = 'visits.jsonl') {
  const body = async function* (): AsyncGenerator<Uint8Array> {
    yield Buffer.from(rows.map((row) => `${JSON.stringify(row)}\n`).join(''));
  };
  const source = { kind: 'bytes', name, body: body() } as const;
  return { tableNameWithType: 'visits_OFFLINE', source, batchConfig: { inputFormat: 'jsonl' } };
}

/** Returns the code of the error that a call is refused with; undefined if it succeeds. */
export async function codeOf(call: Promise<unknown>): Promise<ErrorCode | undefined> {
  try {
    await call;
    return undefined;
  } catch (error) {
    if (!isQuireError(error)) throw error;
    return error.code;
  }
}

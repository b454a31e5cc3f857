import type { RestreamResponse, TaskDebug } from '@quire/core/wire';
import { expectArray, expectInteger, expectObject, expectString } from './json-fields.ts';
import type { JsonValue } from './lossless-json.ts';

/** The size of one half of a table. */
export interface TableSize {
  readonly tableNameWithType: string;
  readonly type: 'OFFLINE' | 'REALTIME';
  readonly segmentCount: number;
  readonly sizeBytes: number;
  /** Rows of its segments; undefined from servers of older releases. */
  readonly rowCount?: number;
  /** Notices about unknown facts of its segments; omitted if there are none. */
  readonly notices?: readonly string[];
}

/** A table whose rows are files that the settings of a broker name. */
export interface FileTable {
  readonly tableName: string;
  /** Number of rows, counted when the broker started. */
  readonly rowCount: number;
  readonly sizeBytes: number;
  readonly fileCount: number;
}

/** Decodes the tables of files in a list of tables. @throws UNEXPECTED_RESPONSE */
export function decodeFileTables(value: JsonValue): readonly FileTable[] {
  const tables = expectArray(
    expectObject(value, 'list of tables')['fileTables'] ?? [],
    'fileTables',
  );
  return tables.map((each) => {
    const table = expectObject(each, 'table');
    return {
      tableName: expectString(table['tableName'], 'tableName'),
      rowCount: expectInteger(table['numRows'], 'numRows'),
      sizeBytes: expectInteger(table['sizeInBytes'], 'sizeInBytes'),
      fileCount: expectInteger(table['numFiles'], 'numFiles'),
    };
  });
}

/** A setting of a running server. */
export interface SettingInForce {
  readonly key: string;
  /** The value as in a file; `(secret)` for secrets, empty if it is not set. */
  readonly value: string;
  /** The source of the value: a line of the file, a variable, an option, the default. */
  readonly source: string;
  readonly isDefault: boolean;
}

/** Decodes settings. @throws UNEXPECTED_RESPONSE when they are not valid */
export function decodeSettings(value: JsonValue): readonly SettingInForce[] {
  const { settings } = expectObject(value, 'body');
  return expectArray(settings, 'settings').map((each) => {
    const setting = expectObject(each, 'setting');
    return {
      key: expectString(setting['key'], 'key'),
      value: expectString(setting['value'], 'value'),
      source: expectString(setting['source'], 'source'),
      isDefault: setting['isDefault'] === true,
    };
  });
}

/** Decodes a list of names. @throws UNEXPECTED_RESPONSE when it is not valid */
export function decodeNames(value: JsonValue | undefined, what: string): readonly string[] {
  return expectArray(value, what).map((name) => expectString(name, what));
}

/** Decodes the sizes of a table's halves. @throws UNEXPECTED_RESPONSE */
export function decodeTableSizes(value: JsonValue, rawName: string): readonly TableSize[] {
  const body = expectObject(value, 'body');
  const halves = [
    ['OFFLINE', 'offlineSegments'],
    ['REALTIME', 'realtimeSegments'],
  ] as const;
  return halves.flatMap(([type, member]) => {
    if ((body[member] ?? null) === null) return [];
    const half = expectObject(body[member], member);
    const segments = Object.values(expectObject(half['segments'], 'segments'));
    const notices = new Set(
      segments
        .map((segment) => expectObject(segment, 'segment')['notice'])
        .filter((notice) => typeof notice === 'string'),
    );
    return {
      tableNameWithType: `${rawName}_${type}`,
      type,
      segmentCount: segments.length,
      sizeBytes: expectInteger(half['reportedSizeInBytes'], 'reportedSizeInBytes'),
      ...(half['numRows'] !== undefined && { rowCount: expectInteger(half['numRows'], 'numRows') }),
      ...(notices.size > 0 && { notices: [...notices] }),
    };
  });
}

/**
 * Decodes the debug record of a task (SPECIFICATION.md section 2.2). @throws UNEXPECTED_RESPONSE
 */
export function decodeTaskDebug(value: JsonValue | undefined): TaskDebug {
  const record = expectObject(value, 'debug record');
  expectString(record['taskState'], 'taskState');
  for (const [name, count] of Object.entries(
    expectObject(record['subtaskCount'], 'subtaskCount'),
  )) {
    expectInteger(count, name);
  }
  for (const subtask of expectArray(record['subtaskInfos'] ?? [], 'subtaskInfos')) {
    const { taskId, state, taskConfig } = expectObject(subtask, 'subtask');
    expectString(taskId, 'taskId');
    expectString(state, 'state');
    expectObject(taskConfig, 'taskConfig');
  }
  return record as unknown as TaskDebug;
}

/** Decodes a restream job (SPECIFICATION.md section 2.1). @throws UNEXPECTED_RESPONSE */
export function decodeRestream(value: JsonValue | undefined): RestreamResponse {
  const job = expectObject(value, 'restream job');
  expectString(job['jobId'], 'jobId');
  expectString(job['status'], 'status');
  expectString(job['next'], 'next');
  expectInteger(job['timeElapsedSinceStartInSeconds'], 'timeElapsedSinceStartInSeconds');
  for (const member of [
    'restreamConfig',
    'tableStreamProgress',
    'verboseTableStreamLag',
    'forceCommitProgress',
  ]) {
    expectObject(job[member], member);
  }
  for (const stage of expectArray(job['stages'], 'stages')) {
    expectString(expectObject(stage, 'stage')['stage'], 'stage');
  }
  // Servers of older releases omit it.
  return { lastProblem: null, ...job } as unknown as RestreamResponse;
}

/** The segments and rows of an ingested file. */
export interface IngestedFile {
  readonly segmentNames: readonly string[];
  readonly rowCount: number;
}

/** The progress of a forced commit. */
export interface ForceCommitProgress {
  readonly jobId: string;
  readonly segmentCount: number;
  readonly pendingSegmentNames: readonly string[];
}

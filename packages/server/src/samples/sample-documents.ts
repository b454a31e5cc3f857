import { readdir, readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { type JsonValue, parseLosslessJson, QuireError } from '@quire/core';
import type {
  TableConfigDocument,
  TableEngine,
  TableSchemaDocument,
} from '@quire/core/table-engine';

type TaskRequest = Parameters<TableEngine['executeTask']>[0];

/** Rows of a file that are written to a topic repeatedly. */
export interface FeedDocument {
  /** The table that consumes the topic. */
  readonly tableName: string;
  readonly topic: string;
  readonly partitionCount: number;
  /** The absolute path. */
  readonly path: string;
  /**
   * The field for the time at which a row is written, in epoch milliseconds; it replaces that in
   * the file.
   */
  readonly timeField: string;
  readonly rowsPerSecond: number;
  /** The number of bytes to keep in each partition. */
  readonly retentionBytes: number;
}

/** The documents of a directory of samples, each kind in the order of its files. */
export interface SampleDocuments {
  readonly schemas: readonly TableSchemaDocument[];
  readonly tables: readonly TableConfigDocument[];
  readonly feeds: readonly FeedDocument[];
  readonly tasks: readonly TaskRequest[];
}

type JsonObject = { readonly [name: string]: JsonValue };

const MB = 1024 * 1024;

/**
 * Reads `<name>.schema.json`, `.table.json`, `.feed.json` and `.task.json` of a directory. Paths in
 * them are relative to it.
 *
 * @throws INVALID_SETTING when the directory, a file or a member cannot be used
 */
export async function readSamples(directory: string): Promise<SampleDocuments> {
  const names = await namesIn(directory);
  const read = async <Document>(
    kind: string,
    parse: (given: JsonObject, name: string) => Document,
  ): Promise<Document[]> => {
    const suffix = `.${kind}.json`;
    const documents: Document[] = [];
    for (const file of names.filter((name) => name.endsWith(suffix))) {
      documents.push(parse(await readObject(join(directory, file)), file.slice(0, -suffix.length)));
    }
    return documents;
  };
  return {
    schemas: await read('schema', (given) => given as unknown as TableSchemaDocument),
    tables: await read('table', (given) => given as unknown as TableConfigDocument),
    feeds: await read('feed', (given, name) => feedOf(given, { directory, name })),
    tasks: await read('task', (given, name) => taskOf(given, { directory, name })),
  };
}

async function namesIn(directory: string): Promise<readonly string[]> {
  try {
    return (await readdir(directory)).toSorted();
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new QuireError(
      'INVALID_SETTING',
      `engine.tables.samples.dir = ${directory} cannot be read: ${reason}.`,
      { cause },
    );
  }
}

async function readObject(path: string): Promise<JsonObject> {
  let value: JsonValue;
  try {
    value = parseLosslessJson(await readFile(path, 'utf8'));
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw unusable(`${path}: ${reason}`, cause);
  }
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
    return value as JsonObject;
  }
  throw unusable(`${path} does not contain a JSON object`);
}

function unusable(problem: string, cause?: unknown): QuireError {
  const message = `A document of engine.tables.samples.dir cannot be used: ${problem}.`;
  return new QuireError('INVALID_SETTING', message, { cause });
}

interface DocumentLocation {
  readonly directory: string;
  readonly name: string;
}

function feedOf(given: JsonObject, { directory, name }: DocumentLocation): FeedDocument {
  const file = `${name}.feed.json`;
  return {
    tableName: name,
    topic: textOf(given, 'topic', file),
    partitionCount: countOf(given, 'partitions', file),
    path: resolve(directory, textOf(given, 'file', file)),
    timeField: textOf(given, 'timeField', file),
    rowsPerSecond: countOf(given, 'rowsPerSecond', file),
    retentionBytes: countOf(given, 'retentionMB', file) * MB,
  };
}

/** Returns the body of `POST /tasks/execute` with a name, so that the task is created only once. */
function taskOf(given: JsonObject, { directory, name }: DocumentLocation): TaskRequest {
  const file = `${name}.task.json`;
  const { taskConfigs = {} } = given;
  if (typeof taskConfigs !== 'object' || taskConfigs === null || Array.isArray(taskConfigs)) {
    throw badMember(file, 'taskConfigs', 'an object');
  }
  const configs = taskConfigs as JsonObject;
  const { inputDirURI } = configs;
  const isPath = typeof inputDirURI === 'string' && !/^[a-z][a-z0-9+.-]+:/i.test(inputDirURI);
  return {
    taskType: textOf(given, 'taskType', file),
    tableNameWithType: textOf(given, 'tableName', file),
    taskName: textOf(given, 'taskName', file),
    configs: isPath ? { ...configs, inputDirURI: resolve(directory, inputDirURI) } : configs,
  };
}

function textOf(given: JsonObject, member: string, file: string): string {
  const value = given[member];
  if (typeof value === 'string' && value !== '') return value;
  throw badMember(file, member, 'a text');
}

function countOf(given: JsonObject, member: string, file: string): number {
  const value = given[member];
  if (typeof value === 'number' && Number.isSafeInteger(value) && value >= 1) return value;
  throw badMember(file, member, 'a whole number of at least 1');
}

function badMember(file: string, member: string, expected: string): QuireError {
  return new QuireError(
    'INVALID_SETTING',
    `${file} of engine.tables.samples.dir: ${member} must be ${expected}.`,
  );
}

import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { assertDurableFiles, isMissingFile, makeDirectory } from '@quire/core/process';
import type { Finding, TableConfigDocument, TableSchemaDocument } from '@quire/core/table-engine';
import type { RecordFile } from './records.ts';

/** The content of the record that makes a table exist. */
export interface TableRecord {
  /**
   * The name of the data directory: a table that is created again under the same name gets another
   * id.
   */
  readonly tableId: string;
  readonly createdMs: number;
  readonly config: TableConfigDocument;
  readonly findings: readonly Finding[];
}

export interface SchemaRecord {
  readonly schema: TableSchemaDocument;
}

/**
 * The layout of the directory of a table server:
 *
 * - `schemas/<schemaName>.json`
 * - `tables/<tableNameWithType>.json`: the table exists while this record does.
 * - `data/<tableId>/manifest.json`: its committed segments; their set changes when it is replaced.
 * - `data/<tableId>/consuming-<partition>.json`: the consuming segment of a partition, and its
 *   chunks.
 * - `data/<tableId>/consumption.json`: whether consumption is paused.
 * - `data/<tableId>/task-progress.json`: the files that tasks have loaded, and the time up to which
 *   they have moved rows.
 * - `data/<tableId>/<name>.<id>.parquet`: rows of a segment or of a chunk; used when a record above
 *   names it.
 * - `data/<tableId>/<stem>.writing`: files with this prefix are being written, and no record names
 *   them yet.
 * - `data/<tableId>/creating`: the table is being created; without its record in `tables` it does
 *   not exist.
 * - `data/<tableId>/deleted.json`: the record of the table, moved here when the table was deleted.
 * - `data/<tableId>/trash/<time>.<file>`: files without references, until
 *   `engine.tables.trash.retention` is over.
 * - `trash/<time>.<tableId>`: the same for all of a deleted table.
 * - `tasks/<taskName>.json`: a task with its states, its work, and its outputs that no query sees
 *   yet.
 * - `task-queues.json`: types of tasks that are paused.
 * - `force-commits.json`: the latest requests to commit consuming segments.
 * - `.reserve`: space that is freed when there is none to record a deletion.
 *
 * Each `.json` is a record, written by `Records`; its revision is in the file `.revisions` beside
 * it.
 */
export class TableDirectory {
  readonly root: string;

  constructor(root: string) {
    this.root = root;
  }

  schema(schemaName: string): RecordFile {
    return this.#record('schema', schemaName, 'schemas', `${schemaName}.json`);
  }

  table(tableNameWithType: string): RecordFile {
    return this.#record('table', tableNameWithType, 'tables', `${tableNameWithType}.json`);
  }

  manifest(tableId: string): RecordFile {
    return this.#record('manifest', tableId, 'data', tableId, 'manifest.json');
  }

  consuming(tableId: string, partition: number): RecordFile {
    return this.#record(
      'consuming',
      `${tableId}/${partition}`,
      'data',
      tableId,
      `consuming-${partition}.json`,
    );
  }

  consumption(tableId: string): RecordFile {
    return this.#record('consumption', tableId, 'data', tableId, 'consumption.json');
  }

  taskProgress(tableId: string): RecordFile {
    return this.#record('taskProgress', tableId, 'data', tableId, 'task-progress.json');
  }

  /**
   * The record of a deleted table. The name of the table is the part of its id before the last dot.
   */
  deleted(tableId: string): RecordFile {
    return this.#record('table', tableNameOf(tableId), 'data', tableId, 'deleted.json');
  }

  task(taskName: string): RecordFile {
    return this.#record('task', taskName, 'tasks', `${taskName}.json`);
  }

  /** The latest requests to commit consuming segments. */
  get forceCommits(): RecordFile {
    return this.#record('forceCommits', 'all', 'force-commits.json');
  }

  /** The types of tasks that are paused. */
  get taskQueues(): RecordFile {
    return this.#record('taskQueues', 'all', 'task-queues.json');
  }

  data(tableId: string, name = ''): string {
    return join(this.root, 'data', tableId, name);
  }

  folder(name: 'schemas' | 'tables' | 'tasks' | 'data' | 'trash'): string {
    return join(this.root, name);
  }

  /**
   * Creates the missing directories, durably.
   *
   * @throws UNSUPPORTED on Windows, where files cannot be made durable
   */
  async make(): Promise<void> {
    assertDurableFiles('tables', this.root);
    for (const name of ['schemas', 'tables', 'data', 'tasks', 'trash'] as const) {
      await makeDirectory(this.folder(name));
    }
  }

  /** Names of the tables that have a record, damaged ones included. */
  listTables(): Promise<readonly string[]> {
    return recordsIn(this.folder('tables'));
  }

  listSchemas(): Promise<readonly string[]> {
    return recordsIn(this.folder('schemas'));
  }

  listTasks(): Promise<readonly string[]> {
    return recordsIn(this.folder('tasks'));
  }

  #record(kind: string, subject: string, ...parts: readonly string[]): RecordFile {
    return { kind, subject, path: join(this.root, ...parts), relativePath: parts.join('/') };
  }
}

/** Returns the name of the table that an id was created for. */
export function tableNameOf(tableId: string): string {
  return tableId.slice(0, Math.max(0, tableId.lastIndexOf('.')));
}

/**
 * Returns the partition of a consuming segment from the file name of its record; undefined for
 * other files.
 */
export function consumingPartitionOf(file: string): number | undefined {
  const digits = /^consuming-(\d+)\.json$/.exec(file)?.[1];
  return digits === undefined ? undefined : Number(digits);
}

async function recordsIn(path: string): Promise<readonly string[]> {
  return (await namesIn(path)).flatMap((name) =>
    name.endsWith('.json') && !name.startsWith('.') ? [name.slice(0, -5)] : [],
  );
}

/** Returns the names in a directory, in ascending order; none if it does not exist. */
export async function namesIn(path: string): Promise<readonly string[]> {
  try {
    return (await readdir(path)).toSorted();
  } catch (error) {
    if (isMissingFile(error)) return [];
    throw error;
  }
}

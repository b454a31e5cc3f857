import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { assertDurableFiles, isMissingFile, makeDirectory } from '@quire/core/process';
import type { Finding, TableConfigDocument, TableSchemaDocument } from '@quire/core/table-engine';
import type { RecordFile } from './records.ts';

/** The content of the record that makes a table exist. */
export interface TableRecord {
  /**
   * Names the directory of its data: a table that is created again under the same name has another.
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
 * ```
 * schemas/<schemaName>.json
 * tables/<tableNameWithType>.json        its presence makes the table exist
 * data/<tableId>/manifest.json           its committed segments; replacing it is how the set of them changes
 * data/<tableId>/consuming-<partition>.json   the consuming segment of a partition, and its chunks
 * data/<tableId>/consumption.json        whether consumption is paused
 * data/<tableId>/task-progress.json      what tasks have done for the table: files that were loaded, time up to which rows were moved
 * data/<tableId>/<name>.<id>.parquet     rows of a segment, or of a chunk; it counts when a record above names it
 * data/<tableId>/<stem>.writing          files whose names begin with the stem are being written, and no record names them yet
 * data/<tableId>/creating                the table is being created: without its record in `tables` it never existed
 * data/<tableId>/deleted.json            the record of the table, moved here when the table was deleted
 * data/<tableId>/trash/<time>.<file>     what no record names any more, until `engine.tables.trash.retention` is over
 * trash/<time>.<tableId>                 the same for all of a deleted table
 * tasks/<taskName>.json                  a task: its states, its work, and what it has written that no query sees yet
 * task-queues.json                       types of tasks that are held back
 * force-commits.json                     the latest requests to commit consuming segments
 * .reserve                               space that is given up where a deletion finds none to be noted in
 * ```
 *
 * Each `.json` is a record: `Records` writes them, and the file `.revisions` beside them is their
 * witness.
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

  /** The record of a deleted table; the table's name is the part of its id before the last dot. */
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

  /** Types of tasks that are held back. */
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
   * Makes the directories that are missing, durably. @throws UNSUPPORTED on Windows, which cannot keep
   * files durably
   */
  async make(): Promise<void> {
    assertDurableFiles('tables', this.root);
    for (const name of ['schemas', 'tables', 'data', 'tasks', 'trash'] as const) {
      await makeDirectory(this.folder(name));
    }
  }

  /** Names of tables whose records are there, damaged ones included. */
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

/** The name of the table that an id was made for. */
export function tableNameOf(tableId: string): string {
  return tableId.slice(0, Math.max(0, tableId.lastIndexOf('.')));
}

/** The partition of a consuming segment's record by its file name; undefined for other files. */
export function consumingPartitionOf(file: string): number | undefined {
  const digits = /^consuming-(\d+)\.json$/.exec(file)?.[1];
  return digits === undefined ? undefined : Number(digits);
}

async function recordsIn(path: string): Promise<readonly string[]> {
  return (await namesIn(path)).flatMap((name) =>
    name.endsWith('.json') && !name.startsWith('.') ? [name.slice(0, -5)] : [],
  );
}

/** Names in a directory, in ascending order; none when there is no such directory. */
export async function namesIn(path: string): Promise<readonly string[]> {
  try {
    return (await readdir(path)).toSorted();
  } catch (error) {
    if (isMissingFile(error)) return [];
    throw error;
  }
}

import { mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Finding, TableConfigDocument, TableSchemaDocument } from '@quire/core/table-engine';
import { isErrno } from './documents.ts';

/** What makes a table exist: `tables/<tableNameWithType>.json`. */
export interface TableRecord {
  readonly formatVersion: 1;
  /** Names the directory of its data, `data/<tableId>`: a table that is made again under the same name has another. */
  readonly tableId: string;
  readonly createdMs: number;
  readonly config: TableConfigDocument;
  readonly findings: readonly Finding[];
}

/** `schemas/<schemaName>.json`. */
export interface SchemaRecord {
  readonly formatVersion: 1;
  readonly schema: TableSchemaDocument;
}

/**
 * Where everything lies in the directory of a table server:
 *
 * ```
 * schemas/<schemaName>.json
 * tables/<tableNameWithType>.json        its presence makes the table exist
 * data/<tableId>/manifest.json           its committed segments; replacing it is how the set of them changes
 * data/<tableId>/consuming-<partition>.json   the consuming segment of a partition, and its chunks
 * data/<tableId>/consumption.json        whether consumption is paused
 * data/<tableId>/task-progress.json     what tasks have done for the table: files that were loaded, time up to which rows were moved
 * tasks/<taskName>.json                  a task: its states, its work, and what it made that nobody sees yet
 * task-queues.json                       types of tasks that are held back
 * force-commits.json                     the latest wishes to commit consuming segments
 * data/<tableId>/<name>.<id>.parquet     rows of a segment, or of a chunk; it counts when a record above names it
 * ```
 */
export class TableDirectory {
  readonly root: string;

  constructor(root: string) {
    this.root = root;
  }

  schema(schemaName: string): string {
    return join(this.root, 'schemas', `${schemaName}.json`);
  }

  table(tableNameWithType: string): string {
    return join(this.root, 'tables', `${tableNameWithType}.json`);
  }

  data(tableId: string, name = ''): string {
    return join(this.root, 'data', tableId, name);
  }

  task(taskName: string): string {
    return join(this.root, 'tasks', `${taskName}.json`);
  }

  /** The latest wishes to commit consuming segments. */
  get forceCommits(): string {
    return join(this.root, 'force-commits.json');
  }

  /** Types of tasks that are held back. */
  get taskQueues(): string {
    return join(this.root, 'task-queues.json');
  }

  listTasks(): Promise<readonly string[]> {
    return namesIn(join(this.root, 'tasks'));
  }

  async make(): Promise<void> {
    for (const name of ['schemas', 'tables', 'data', 'tasks']) {
      await mkdir(join(this.root, name), { recursive: true, mode: 0o750 });
    }
  }

  listSchemas(): Promise<readonly string[]> {
    return namesIn(join(this.root, 'schemas'));
  }

  listTables(): Promise<readonly string[]> {
    return namesIn(join(this.root, 'tables'));
  }
}

async function namesIn(path: string): Promise<readonly string[]> {
  try {
    const names = await readdir(path);
    return names.flatMap((name) => (name.endsWith('.json') && !name.startsWith('.') ? [name.slice(0, -5)] : [])).toSorted();
  } catch (error) {
    if (isErrno(error, 'ENOENT')) return [];
    throw error;
  }
}

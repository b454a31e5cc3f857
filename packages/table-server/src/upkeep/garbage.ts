import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock } from '@quire/core';
import { isErrno, readDocument } from '../directory/documents.ts';
import type { TableDirectory } from '../directory/table-directory.ts';
import type { ConsumingRecord } from '../segments/manifest.ts';

/** What is asked of a table: a `ServedTable` is one. */
interface NamingTable {
  readonly record: { readonly tableId: string };
  namedFiles(): readonly string[];
  isHeld(file: string): boolean;
}

/** Files and directories that no record names, since when; a query that began before may still read them. */
export class Garbage {
  readonly #directory: TableDirectory;
  readonly #clock: Clock;
  #unnamedSince = new Map<string, number>();

  constructor(directory: TableDirectory, clock: Clock) {
    this.#directory = directory;
    this.#clock = clock;
  }

  /** Removes what was without a name at every look for longer than `graceMs`; gives how many files and directories. */
  async collect(tables: readonly NamingTable[], graceMs: number): Promise<number> {
    const nowMs = this.#clock.monotonicMs();
    const unnamed = await this.#findUnnamed(tables);
    this.#unnamedSince = new Map(unnamed.map((path) => [path, this.#unnamedSince.get(path) ?? nowMs]));
    let count = 0;
    for (const [path, sinceMs] of this.#unnamedSince) {
      if (nowMs - sinceMs < graceMs) continue;
      await rm(path, { recursive: true, force: true });
      this.#unnamedSince.delete(path);
      count += 1;
    }
    return count;
  }

  async #findUnnamed(tables: readonly NamingTable[]): Promise<readonly string[]> {
    const byId = new Map(tables.map((table) => [table.record.tableId, table]));
    const unnamed = [
      ...(await this.#stagedIn('tables')),
      ...(await this.#stagedIn('schemas')),
      ...(await this.#stagedIn('tasks')),
    ];
    for (const tableId of await namesIn(this.#directory.data(''))) {
      const table = byId.get(tableId);
      if (table === undefined) {
        unnamed.push(this.#directory.data(tableId));
        continue;
      }
      // The look comes first: of what is made after it nothing is said. A chunk that becomes a segment meanwhile is in one of the two.
      const names = await namesIn(this.#directory.data(tableId));
      const chunks = await this.#readChunks(tableId, names);
      const named = new Set([...chunks, ...table.namedFiles()]);
      const files = names.filter((name) => !name.endsWith('.json') && !named.has(name) && !table.isHeld(name));
      unnamed.push(...files.map((file) => this.#directory.data(tableId, file)));
    }
    return unnamed;
  }

  async #readChunks(tableId: string, names: readonly string[]): Promise<readonly string[]> {
    const files: string[] = [];
    for (const name of names.filter((each) => each.startsWith('consuming-') && each.endsWith('.json'))) {
      const record = (await readDocument(this.#directory.data(tableId, name))) as unknown as ConsumingRecord | undefined;
      files.push(...(record?.chunks ?? []).map(({ file }) => file));
    }
    return files;
  }

  async #stagedIn(folder: 'tables' | 'schemas' | 'tasks'): Promise<readonly string[]> {
    const path = join(this.#directory.root, folder);
    return (await namesIn(path)).filter((name) => !name.endsWith('.json')).map((name) => join(path, name));
  }
}

async function namesIn(path: string): Promise<readonly string[]> {
  try {
    return await readdir(path);
  } catch (error) {
    if (isErrno(error, 'ENOENT')) return [];
    throw error;
  }
}

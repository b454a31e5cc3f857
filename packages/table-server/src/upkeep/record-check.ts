import { stat } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import { isQuireError, type QuireError } from '@quire/core';
import { type RecordFile, readText, verifyRecord } from '../directory/records.ts';
import { isMissingFile } from '@quire/core/process';
import { readRevisions } from '../directory/revisions.ts';
import {
  consumingPartitionOf,
  namesIn,
  type TableDirectory,
} from '../directory/table-directory.ts';
import type { ServedTable } from '../served-table.ts';

/**
 * Detects records that were damaged after their server had read them. A file that has not changed
 * is not read again.
 */
export class RecordCheck {
  readonly #directory: TableDirectory;
  /** The identity of each file, by path, at its last check without a problem. */
  #whole = new Map<string, string>();
  #damaged: ReadonlyMap<string, readonly QuireError[]> = new Map();

  constructor(directory: TableDirectory) {
    this.#directory = directory;
  }

  /** The detected damage, by the name of the table, or by the path of other records. */
  get damaged(): ReadonlyMap<string, readonly QuireError[]> {
    return this.#damaged;
  }

  async run(tables: readonly ServedTable[], others: readonly RecordFile[]): Promise<void> {
    const whole = new Map<string, string>();
    const damaged = new Map<string, readonly QuireError[]>();
    const revisions = new Map<string, ReadonlyMap<string, number>>();
    const groups = [
      ...tables.map((table) => ({ name: table.name, list: () => this.#recordsOf(table) })),
      ...others.map((record) => ({ name: record.relativePath, list: async () => [record] })),
    ];
    for (const { name, list } of groups) {
      const found: QuireError[] = [];
      for (const record of await list()) {
        const mark = await this.#check(record, revisions, (error) => found.push(error));
        if (mark !== undefined) whole.set(record.path, mark);
      }
      if (found.length > 0) damaged.set(name, found);
    }
    this.#whole = whole;
    this.#damaged = damaged;
  }

  async #recordsOf({
    name,
    rawName,
    record: { tableId },
  }: ServedTable): Promise<readonly RecordFile[]> {
    const directory = this.#directory;
    const folder = dirname(directory.manifest(tableId).path);
    const names = new Set([...(await namesIn(folder)), ...(await readRevisions(folder)).keys()]);
    const partitions = [...names]
      .map(consumingPartitionOf)
      .filter((partition) => partition !== undefined);
    return [
      directory.table(name),
      directory.schema(rawName),
      directory.manifest(tableId),
      directory.consumption(tableId),
      directory.taskProgress(tableId),
      ...partitions.map((partition) => directory.consuming(tableId, partition)),
    ];
  }

  /** Returns the identity of an intact record; undefined if there is no record. */
  async #check(
    record: RecordFile,
    revisions: Map<string, ReadonlyMap<string, number>>,
    onDamaged: (error: QuireError) => void,
  ): Promise<string | undefined> {
    const folder = dirname(record.path);
    const ofFolder = revisions.get(folder) ?? (await readRevisions(folder));
    revisions.set(folder, ofFolder);
    const known = ofFolder.get(basename(record.path));
    const mark = `${await markOf(record.path)} ${known}`;
    if (this.#whole.get(record.path) === mark) return mark;
    try {
      return verifyRecord(record, await readText(record), known) === undefined ? undefined : mark;
    } catch (error) {
      if (!isQuireError(error, 'RECORD_DAMAGED')) throw error;
      // A server that removes a record drops its revision first, and may create it again.
      const latest = await readRevisions(folder);
      if (latest.get(basename(record.path)) !== known) {
        revisions.set(folder, latest);
        return await this.#check(record, revisions, onDamaged);
      }
      onDamaged(error);
      return undefined;
    }
  }
}

async function markOf(path: string): Promise<string> {
  try {
    const { ino, size, mtimeNs, ctimeNs } = await stat(path, { bigint: true });
    return `${ino} ${size} ${mtimeNs} ${ctimeNs}`;
  } catch (error) {
    if (isMissingFile(error)) return 'none';
    throw error;
  }
}

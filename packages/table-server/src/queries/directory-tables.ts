import { type CallOptions, isQuireError } from '@quire/core';
import {
  type LiveTables,
  parseTableName,
  type TableRelation,
  type TableType,
} from '@quire/core/table-engine';
import { dirname } from 'node:path';
import { assertDirectory } from '../directory/disk-problem.ts';
import {
  consumingPartitionOf,
  namesIn,
  type SchemaRecord,
  TableDirectory,
  type TableRecord,
} from '../directory/table-directory.ts';
import {
  type ConsumingRecord,
  isCommitted,
  type Manifest,
  manifestOf,
} from '../segments/manifest.ts';
import { missingManifest } from '../segments/segment-catalog.ts';
import type { SharedVerification } from '../segments/verified-files.ts';
import { tableDamaged } from '../table-errors.ts';
import { RecordCache } from './record-cache.ts';
import type { HalfRecords } from './table-relation.ts';
import { RelationVerifier } from './verify-relations.ts';

/**
 * The tables of a table server, read from its directory at each call, in the process of the server
 * or any other one that shares the directory.
 */
export class DirectoryTables implements LiveTables {
  readonly #directory: TableDirectory;
  readonly #records = new RecordCache();
  readonly #verifier: RelationVerifier;

  /** @param shared the verification results of other processes that read the same tables */
  constructor(path: string, { shared }: { readonly shared?: SharedVerification | undefined } = {}) {
    this.#directory = new TableDirectory(path);
    this.#verifier = new RelationVerifier(shared);
  }

  /**
   * The directory that contains the files of rows. The records of tables, schemas and tasks are
   * elsewhere.
   */
  get rowDirectory(): string {
    return this.#directory.folder('data');
  }

  verify(relations: readonly TableRelation[], options?: CallOptions): Promise<void> {
    return this.#verifier.verify(relations, options);
  }

  async listNames(): Promise<readonly string[]> {
    const names = await this.#listTables();
    return [...new Set(names.flatMap((name) => [parseTableName(name).rawName, name]))].toSorted();
  }

  async resolve(names: readonly string[]): Promise<readonly TableRelation[]> {
    const wanted = new Set(names.map((name) => name.toLowerCase()));
    const tables = await this.#listTables();
    const relations: TableRelation[] = [];
    for (const rawName of new Set(tables.map((name) => parseTableName(name).rawName))) {
      const ofTypes = (types: readonly TableType[]): readonly TableType[] =>
        types.filter((type) => tables.includes(`${rawName}_${type}`));
      const views = [
        { name: rawName, types: ofTypes(['OFFLINE', 'REALTIME']) },
        { name: `${rawName}_OFFLINE`, types: ofTypes(['OFFLINE']) },
        { name: `${rawName}_REALTIME`, types: ofTypes(['REALTIME']) },
      ].filter(({ name, types }) => types.length > 0 && wanted.has(name.toLowerCase()));
      if (views.length === 0) continue;
      // Loaded by the first query of such a table: without it, a query process takes some 45 MB
      // less.
      const { relationOf } = await import('./table-relation.ts');
      // Read once, so that all names of one table in a query show the same rows.
      const halves = new Map<TableType, HalfRecords>();
      for (const type of new Set(views.flatMap(({ types }) => types))) {
        const half = await this.#readHalf(rawName, type);
        if (half !== undefined) halves.set(type, half);
      }
      for (const { name, types } of views) relations.push(...relationOf(name, types, halves));
    }
    return relations;
  }

  /**
   * Returns the names of the tables that have a record, and of those whose record is missing: one
   * half of a table must not be mistaken for the whole table.
   *
   * @throws STORE_UNAVAILABLE when the directory is missing
   */
  async #listTables(): Promise<readonly string[]> {
    await assertDirectory(this.#directory.root);
    const written = await this.#records.names(this.#directory.folder('tables'));
    const names = [
      ...(await this.#directory.listTables()),
      ...written.map((file) => file.replace(/\.json$/, '')),
    ];
    return [...new Set(names)].toSorted();
  }

  /** @throws TABLE_DAMAGED */
  async #readHalf(rawName: string, type: TableType): Promise<HalfRecords | undefined> {
    const name = `${rawName}_${type}`;
    try {
      return await this.#readRecords(name, rawName);
    } catch (error) {
      throw isQuireError(error, 'RECORD_DAMAGED') ? tableDamaged(name, error) : error;
    }
  }

  async #readRecords(name: string, rawName: string): Promise<HalfRecords | undefined> {
    const found = await this.#records.find(this.#directory.table(name));
    const schema = await this.#records.read<SchemaRecord>(this.#directory.schema(rawName));
    if (found === undefined || schema === undefined) return undefined;
    const record = found.content as unknown as TableRecord;
    const { tableId } = record;
    const names = await namesIn(this.#directory.data(tableId));
    // Consuming records are read first: a segment that is committed between the two reads is then
    // in the manifest, and is left out here.
    const records = await this.#readConsuming(tableId, names);
    const manifest = await this.#readManifest(tableId, {
      isOfEarlierRelease: found.revision === 0,
      names,
    });
    return {
      record,
      schema,
      manifest: placed(manifest, (file) => this.#directory.data(tableId, file)),
      consuming: records
        .filter((each) => !isCommitted(each, manifest))
        .map((each) => ({
          ...each,
          chunks: each.chunks.map((chunk) => ({
            ...chunk,
            file: this.#directory.data(tableId, chunk.file),
          })),
        })),
    };
  }

  async #readManifest(
    tableId: string,
    about: { readonly isOfEarlierRelease: boolean; readonly names: readonly string[] },
  ): Promise<Manifest> {
    const record = this.#directory.manifest(tableId);
    const content = await this.#records.read<Partial<Manifest>>(record);
    return content === undefined ? missingManifest(record, about) : manifestOf(record, content);
  }

  async #readConsuming(
    tableId: string,
    names: readonly string[],
  ): Promise<readonly ConsumingRecord[]> {
    const written = await this.#records.names(dirname(this.#directory.manifest(tableId).path));
    const partitions = [...new Set([...names, ...written])]
      .map(consumingPartitionOf)
      .filter((partition) => partition !== undefined);
    const read = (partition: number) =>
      this.#records.read<ConsumingRecord>(this.#directory.consuming(tableId, partition));
    const records = await Promise.all(partitions.toSorted((left, right) => left - right).map(read));
    return records.filter((record) => record !== undefined);
  }
}

/** Returns the same manifest with absolute paths. */
function placed(manifest: Manifest, pathOf: (file: string) => string): Manifest {
  return {
    ...manifest,
    segments: manifest.segments.map((segment) => ({ ...segment, file: pathOf(segment.file) })),
  };
}

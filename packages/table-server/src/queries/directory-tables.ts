import type { CallOptions, JsonValue } from '@quire/core';
import { type LiveTables, parseTableName, type TableRelation, type TableType } from '@quire/core/table-engine';
import { readdir } from 'node:fs/promises';
import { isErrno } from '../directory/documents.ts';
import { type SchemaRecord, TableDirectory, type TableRecord } from '../directory/table-directory.ts';
import { type ConsumingRecord, emptyManifest, isCommitted, type Manifest } from '../segments/manifest.ts';
import { DocumentCache } from './document-cache.ts';
import type { SharedVerification } from '../segments/verified-files.ts';
import type { HalfRecords } from './table-relation.ts';
import { RelationVerifier } from './verify-relations.ts';

/**
 * The tables of a table server as its directory shows them at each call: for the process of the server, and for any other that shares the
 * directory.
 */
export class DirectoryTables implements LiveTables {
  readonly #directory: TableDirectory;
  readonly #documents = new DocumentCache();
  readonly #verifier: RelationVerifier;

  /** @param shared what other processes that read the same tables know of their files */
  constructor(path: string, { shared }: { readonly shared?: SharedVerification | undefined } = {}) {
    this.#directory = new TableDirectory(path);
    this.#verifier = new RelationVerifier(shared);
  }

  verify(relations: readonly TableRelation[], options?: CallOptions): Promise<void> {
    return this.#verifier.verify(relations, options);
  }

  async listNames(): Promise<readonly string[]> {
    const names = await this.#directory.listTables();
    return [...new Set(names.flatMap((name) => [parseTableName(name).rawName, name]))].toSorted();
  }

  async resolve(names: readonly string[]): Promise<readonly TableRelation[]> {
    const wanted = new Set(names.map((name) => name.toLowerCase()));
    const tables = await this.#directory.listTables();
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
      // Loaded by the first query of such a table: without one, a process of queries takes some 45 MB less.
      const { relationOf } = await import('./table-relation.ts');
      // Read once, so that the names of one table that a query mixes show the same rows.
      const halves = new Map<TableType, HalfRecords>();
      for (const type of new Set(views.flatMap(({ types }) => types))) {
        const half = await this.#readHalf(rawName, type);
        if (half !== undefined) halves.set(type, half);
      }
      for (const { name, types } of views) relations.push(...relationOf(name, types, halves));
    }
    return relations;
  }

  async #readHalf(rawName: string, type: TableType): Promise<HalfRecords | undefined> {
    const record = await this.#documents.read(this.#directory.table(`${rawName}_${type}`), as<TableRecord>);
    const schema = await this.#documents.read(this.#directory.schema(rawName), as<SchemaRecord>);
    if (record === undefined || schema === undefined) return undefined;
    const { tableId } = record;
    // What consumes comes first: a segment that is committed between the two readings is then in the manifest, and left out here.
    const records = await this.#readConsuming(tableId);
    const manifest = (await this.#documents.read(this.#directory.data(tableId, 'manifest.json'), as<Manifest>)) ?? emptyManifest;
    return {
      record,
      schema,
      manifest: placed(manifest, (file) => this.#directory.data(tableId, file)),
      consuming: records
        .filter((each) => !isCommitted(each, manifest))
        .map((each) => ({
          ...each,
          chunks: each.chunks.map((chunk) => ({ ...chunk, file: this.#directory.data(tableId, chunk.file) })),
        })),
    };
  }

  async #readConsuming(tableId: string): Promise<readonly ConsumingRecord[]> {
    const names = await this.#consumingNames(tableId);
    const records = names.map((name) => this.#documents.read(this.#directory.data(tableId, name), as<ConsumingRecord>));
    return (await Promise.all(records)).filter((record) => record !== undefined);
  }

  async #consumingNames(tableId: string): Promise<readonly string[]> {
    try {
      return (await readdir(this.#directory.data(tableId))).filter((name) => /^consuming-\d+\.json$/.test(name)).toSorted();
    } catch (error) {
      if (isErrno(error, 'ENOENT')) return [];
      throw error;
    }
  }
}

/** Records are written by this package alone. */
function as<Record>(document: JsonValue): Record {
  return document as unknown as Record;
}

/** The same manifest with absolute paths. */
function placed(manifest: Manifest, pathOf: (file: string) => string): Manifest {
  return { ...manifest, segments: manifest.segments.map((segment) => ({ ...segment, file: pathOf(segment.file) })) };
}

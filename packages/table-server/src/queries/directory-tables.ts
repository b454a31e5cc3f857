import type { JsonValue } from '@quire/core';
import {
  type LiveTables,
  parseTableName,
  type RelationColumn,
  type RelationPart,
  type TableRelation,
  type TableType,
} from '@quire/core/table-engine';
import { readdir } from 'node:fs/promises';
import { isErrno } from '../directory/documents.ts';
import { type SchemaRecord, TableDirectory, type TableRecord } from '../directory/table-directory.ts';
import { type ConsumingRecord, emptyManifest, isCommitted, type Manifest, type RowFile } from '../segments/manifest.ts';
import { shapeOf, type TableShape } from '../segments/table-columns.ts';
import { DocumentCache } from './document-cache.ts';
import { timeBoundary } from './time-boundary.ts';

/** One half of a table, read at one moment. */
interface Half {
  readonly record: TableRecord;
  readonly shape: TableShape;
  readonly manifest: Manifest;
  readonly consuming: readonly ConsumingRecord[];
}

/**
 * The tables of a table server as its directory shows them at each call: for the process of the server, and for any other that shares the
 * directory.
 */
export class DirectoryTables implements LiveTables {
  readonly #directory: TableDirectory;
  readonly #documents = new DocumentCache();

  constructor(path: string) {
    this.#directory = new TableDirectory(path);
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
      // Read once, so that the names of one table that a query mixes show the same rows.
      const halves = new Map<TableType, Half>();
      for (const type of new Set(views.flatMap(({ types }) => types))) {
        const half = await this.#readHalf(rawName, type);
        if (half !== undefined) halves.set(type, half);
      }
      for (const { name, types } of views) relations.push(...relationOf(name, types, halves));
    }
    return relations;
  }

  async #readHalf(rawName: string, type: TableType): Promise<Half | undefined> {
    const record = await this.#documents.read(this.#directory.table(`${rawName}_${type}`), as<TableRecord>);
    const schema = await this.#documents.read(this.#directory.schema(rawName), as<SchemaRecord>);
    if (record === undefined || schema === undefined) return undefined;
    const { tableId } = record;
    // What consumes comes first: a segment that is committed between the two readings is then in the manifest, and left out here.
    const records = await this.#readConsuming(tableId);
    const manifest = (await this.#documents.read(this.#directory.data(tableId, 'manifest.json'), as<Manifest>)) ?? emptyManifest;
    return {
      record,
      shape: shapeOf(record.config, schema.schema),
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

function relationOf(name: string, types: readonly TableType[], halves: ReadonlyMap<TableType, Half>): readonly TableRelation[] {
  const [offline, realtime] = (['OFFLINE', 'REALTIME'] as const).map((type) =>
    types.includes(type) ? halves.get(type) : undefined,
  );
  const shown = [offline, realtime].filter((half) => half !== undefined);
  const [first] = shown;
  if (first === undefined) return [];
  const boundary =
    offline !== undefined && realtime !== undefined
      ? timeBoundary({ config: offline.record.config, manifest: offline.manifest }, offline.shape.time)
      : undefined;
  const files = shown.map((half) => ({ half, files: filesOf(half) }));
  const allFiles = files.flatMap((each) => each.files);
  const consuming = shown.flatMap((half) => half.consuming);
  const consumedMs = consuming.flatMap((record) => record.consumedMs ?? []);
  return [
    {
      name,
      columns: first.shape.columns.map((column) => columnOf(column, allFiles)),
      parts: files.flatMap((each) => {
        const side = each.half === offline ? ('upTo' as const) : ('after' as const);
        return partsOf(each.files, boundary === undefined ? undefined : { ...boundary, side });
      }),
      rowCount: files.flatMap((each) => each.files).reduce((sum, { rowCount }) => sum + rowCount, 0),
      segmentCount: shown.reduce((sum, half) => sum + half.manifest.segments.length + half.consuming.length, 0),
      consumingSegmentCount: consuming.length,
      consumedUntilMs: consumedMs.length === 0 ? null : Math.min(...consumedMs),
    },
  ];
}

function filesOf({ manifest, consuming }: Half): readonly RowFile[] {
  return [...manifest.segments, ...consuming.flatMap(({ chunks }) => chunks)].filter(({ rowCount }) => rowCount > 0);
}

function columnOf(column: TableShape['columns'][number], files: readonly RowFile[]): RelationColumn {
  const { name, type, isList, absentValue } = column;
  // One value that is not JSON would keep all others from being read as such: then all are text.
  const isText = type === 'JSON' && files.some(({ malformedColumnNames }) => malformedColumnNames.includes(name));
  if (type !== 'BIG_DECIMAL') return { name, type: isText ? 'STRING' : type, isList, absentValue };
  const known = files.flatMap(({ digits }) => digits[name] ?? []);
  const integer = known.reduce((max, each) => Math.max(max, each.integer), 1);
  return {
    name,
    type,
    isList,
    absentValue,
    digits: { integer, scale: known.reduce((max, { scale }) => Math.max(max, scale), 0) },
  };
}

/** One part for all files that have the same columns: those that were written before a column came are others. */
function partsOf(files: readonly RowFile[], boundary: RelationPart['boundary']): readonly RelationPart[] {
  const groups = Map.groupBy(files, ({ columnNames }) => JSON.stringify(columnNames));
  return [...groups.values()].map((group) => ({
    files: group.map(({ file }) => file),
    columnNames: group[0]?.columnNames ?? [],
    ...(boundary !== undefined && { boundary }),
  }));
}

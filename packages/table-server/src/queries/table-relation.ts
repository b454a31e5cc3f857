import type {
  RelationColumn,
  RelationPart,
  TableConfigDocument,
  TableRelation,
  TableType,
} from '@quire/core/table-engine';
import { parseTableConfig, writeInFormat } from '@quire/tables';
import type { SchemaRecord, TableRecord } from '../directory/table-directory.ts';
import type { ConsumingRecord, Manifest, RowFile } from '../segments/manifest.ts';
import { shapeOf, type TableShape, type TimeColumn } from '../segments/table-columns.ts';

/** One half of a table at one moment, from its directory; paths are absolute. */
export interface HalfRecords {
  readonly record: TableRecord;
  readonly schema: SchemaRecord;
  readonly manifest: Manifest;
  readonly consuming: readonly ConsumingRecord[];
}

interface Half extends HalfRecords {
  readonly shape: TableShape;
}

/**
 * Returns the relation of a name, which refers to one half of a table or to both; undefined if
 * neither exists.
 */
export function relationOf(
  name: string,
  types: readonly TableType[],
  halves: ReadonlyMap<TableType, HalfRecords>,
): readonly TableRelation[] {
  const [offline, realtime] = (['OFFLINE', 'REALTIME'] as const).map((type): Half | undefined => {
    const half = types.includes(type) ? halves.get(type) : undefined;
    return half && { ...half, shape: shapeOf(half.record.config, half.schema.schema) };
  });
  const shown = [offline, realtime].filter((half) => half !== undefined);
  const [first] = shown;
  if (first === undefined) return [];
  const boundary =
    offline !== undefined && realtime !== undefined
      ? timeBoundary(
          { config: offline.record.config, manifest: offline.manifest },
          offline.shape.time,
        )
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
      rowCount: files
        .flatMap((each) => each.files)
        .reduce((sum, { rowCount }) => sum + rowCount, 0),
      segmentCount: shown.reduce(
        (sum, half) => sum + half.manifest.segments.length + half.consuming.length,
        0,
      ),
      consumingSegmentCount: consuming.length,
      consumedUntilMs: consumedMs.length === 0 ? null : Math.min(...consumedMs),
    },
  ];
}

/** A file of rows, and the segment and table that it belongs to. */
interface NamedFile extends RowFile {
  readonly segmentName: string;
  readonly tableName: string;
}

function filesOf({ manifest, consuming, record }: Half): readonly NamedFile[] {
  const { tableName } = record.config;
  const chunks = consuming.flatMap((each) =>
    each.chunks.map((chunk) => ({ ...chunk, segmentName: each.segmentName })),
  );
  return [...manifest.segments, ...chunks]
    .filter(({ rowCount }) => rowCount > 0)
    .map((file) => ({ ...file, tableName }));
}

function columnOf(
  column: TableShape['columns'][number],
  files: readonly RowFile[],
): RelationColumn {
  const { name, type, isList, absentValue } = column;
  // One value that is not JSON would prevent all others from being read as JSON, so all are read as
  // text.
  const isText =
    type === 'JSON' &&
    files.some(({ malformedColumnNames }) => malformedColumnNames.includes(name));
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

/**
 * Groups the files by their columns: files that were written before a column was added have fewer.
 */
function partsOf(
  files: readonly NamedFile[],
  boundary: RelationPart['boundary'],
): readonly RelationPart[] {
  const groups = Map.groupBy(files, ({ columnNames }) => JSON.stringify(columnNames));
  return [...groups.values()].map((group) => ({
    files: group.map(({ file: path, sizeBytes, checksum, segmentName, tableName }) => {
      return { path, sizeBytes, checksum, segmentName, tableName };
    }),
    columnNames: group[0]?.columnNames ?? [],
    ...(boundary !== undefined && { boundary }),
  }));
}

export type Boundary = NonNullable<RelationPart['boundary']>;

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

/**
 * Returns the time boundary between the two halves of a table: queries use rows of the offline half
 * up to it, and rows of the real-time half after it. It is one hour before the newest offline row
 * if the config says that files arrive hourly, else one day, as in Apache Pinot, because the latest
 * period may still be incomplete. Undefined while no offline row has a time: then queries use all
 * rows of both halves.
 */
function timeBoundary(
  offline: { readonly config: TableConfigDocument; readonly manifest: Manifest },
  time: TimeColumn | undefined,
): Omit<Boundary, 'side'> | undefined {
  if (time === undefined) return undefined;
  const newestMs = offline.manifest.segments.reduce(
    (max, { maxTimeMs }) => Math.max(max, maxTimeMs ?? -Infinity),
    -Infinity,
  );
  if (!Number.isFinite(newestMs)) return undefined;
  const { config } = parseTableConfig(offline.config);
  const batch = config.ingestionConfig?.batchIngestionConfig;
  const frequency =
    batch?.segmentIngestionFrequency ?? config.segmentsConfig?.segmentPushFrequency ?? 'DAILY';
  const isOfDays = time.format.kind === 'epoch' && time.format.unit === 'DAYS';
  const boundaryMs =
    newestMs - (frequency.toUpperCase() === 'HOURLY' && !isOfDays ? hourMs : dayMs);
  const value = writeInFormat(boundaryMs, time.format);
  return {
    columnName: time.name,
    value,
    isText: time.format.kind !== 'epoch',
  };
}

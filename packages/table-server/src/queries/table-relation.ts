import type { RelationColumn, RelationPart, TableRelation, TableType } from '@quire/core/table-engine';
import type { SchemaRecord, TableRecord } from '../directory/table-directory.ts';
import type { ConsumingRecord, Manifest, RowFile } from '../segments/manifest.ts';
import { shapeOf, type TableShape } from '../segments/table-columns.ts';
import { timeBoundary } from './time-boundary.ts';

/** One half of a table as its directory shows it at one moment; paths are absolute. */
export interface HalfRecords {
  readonly record: TableRecord;
  readonly schema: SchemaRecord;
  readonly manifest: Manifest;
  readonly consuming: readonly ConsumingRecord[];
}

interface Half extends HalfRecords {
  readonly shape: TableShape;
}

/** What a query sees under a name, which stands for one half of a table or for both; none while neither half is there. */
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

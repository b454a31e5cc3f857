import { QuireError, writeLosslessJson } from '@quire/core';
import type { PipelineRow, SourceValue } from '@quire/tables';
import { instantOf, type TableShape, type TimeColumn } from '../segments/table-columns.ts';
import type { Aggregation, MergeWork } from './task-plan.ts';

type Row = Pick<PipelineRow, 'fields' | 'nullFields'>;
type Fields = Row['fields'];

/** The maximum number of distinct rows in memory for the comparison. */
const distinctRowsMax = 2_000_000;

/**
 * Merges the rows of segments: in their order or, when they are rolled up, in the order of the
 * first row of each key.
 */
export async function* mergeRows(
  batches: AsyncIterable<readonly Row[]>,
  work: Pick<MergeWork, 'mode' | 'aggregations' | 'roundMs' | 'window'>,
  { shape, metricNames }: { readonly shape: TableShape; readonly metricNames: readonly string[] },
): AsyncGenerator<readonly Row[]> {
  const { mode, window, roundMs } = work;
  const prepare = (rows: readonly Row[]): readonly Row[] => {
    const kept =
      window === null ? rows : rows.filter(({ fields }) => isWithin(fields, shape.time, window));
    return roundMs === null
      ? kept
      : kept.map((row) => ({ ...row, fields: roundedTime(row.fields, shape.time, roundMs) }));
  };
  if (mode === 'concat') {
    for await (const rows of batches) yield prepare(rows);
    return;
  }
  const keyColumns = shape.columns
    .map(({ name }) => name)
    .filter((name) => mode === 'dedup' || !metricNames.includes(name));
  const held = new Map<string, Record<string, SourceValue>>();
  for await (const rows of batches) {
    const fresh: Row[] = [];
    for (const row of prepare(rows)) {
      const key = keyOf(row.fields, keyColumns);
      const first = held.get(key);
      if (first === undefined) {
        assertDistinctRowsFit(held.size);
        held.set(key, mode === 'rollup' ? { ...row.fields } : {});
        fresh.push(row);
      } else if (mode === 'rollup') {
        for (const name of metricNames) {
          first[name] = aggregate(
            name,
            first[name] ?? null,
            row.fields[name] ?? null,
            work.aggregations[name] ?? 'sum',
          );
        }
      }
    }
    if (mode === 'dedup') yield fresh;
  }
  if (mode === 'rollup') yield [...held.values()].map((fields) => ({ fields, nullFields: [] }));
}

function isWithin(
  fields: Fields,
  time: TimeColumn | undefined,
  { startMs, endMs }: NonNullable<MergeWork['window']>,
): boolean {
  const timeMs = time === undefined ? null : instantOf(fields[time.name], time);
  return timeMs !== null && timeMs >= startMs && timeMs < endMs;
}

function roundedTime(fields: Fields, time: TimeColumn | undefined, roundMs: number): Fields {
  const value = time === undefined ? undefined : fields[time.name];
  const isMilliseconds =
    time !== undefined &&
    (typeof value === 'number' || typeof value === 'bigint') &&
    instantOf(value, time) === Number(value);
  if (!isMilliseconds) {
    throw new QuireError(
      'INGESTION_FAILED',
      'Times can be rounded only if the time column contains epoch milliseconds: leave out roundBucketTimePeriod.',
    );
  }
  const rounded = Math.floor(Number(value) / roundMs) * roundMs;
  return { ...fields, [time.name]: typeof value === 'bigint' ? BigInt(rounded) : rounded };
}

function keyOf(fields: Fields, names: readonly string[]): string {
  return writeLosslessJson(names.map((name) => keyPart(fields[name] ?? null)));
}

/**
 * Returns a value for a key: integers of one column may be numbers or bigints, and bytes have no
 * JSON.
 */
function keyPart(value: SourceValue): SourceValue {
  if (value instanceof Uint8Array) return { bytes: Buffer.from(value).toString('hex') };
  if (Array.isArray(value)) return (value as readonly SourceValue[]).map(keyPart);
  return typeof value === 'number' && Object.is(value, -0) ? 0 : value;
}

function aggregate(
  name: string,
  left: SourceValue,
  right: SourceValue,
  how: Aggregation,
): SourceValue {
  if (left === null || right === null) return left ?? right;
  if (typeof left === 'number' && typeof right === 'number') {
    return how === 'sum'
      ? left + right
      : how === 'min'
        ? Math.min(left, right)
        : Math.max(left, right);
  }
  if (isInteger(left) && isInteger(right)) {
    const [first, second] = [BigInt(left), BigInt(right)];
    return how === 'sum' ? first + second : first < second === (how === 'min') ? first : second;
  }
  throw new QuireError(
    'INGESTION_FAILED',
    `Column ${name} cannot be rolled up, because its values are not numbers.`,
  );
}

function isInteger(value: SourceValue): value is number | bigint {
  return typeof value === 'bigint' || Number.isSafeInteger(value);
}

function assertDistinctRowsFit(heldCount: number): void {
  if (heldCount < distinctRowsMax) return;
  throw new QuireError(
    'INGESTION_FAILED',
    `There are more than ${distinctRowsMax.toLocaleString('en-US')} distinct rows to compare: make bucketTimePeriod shorter, or merge by concat.`,
  );
}

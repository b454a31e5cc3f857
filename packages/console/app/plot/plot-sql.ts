import type { GridColumn } from '../query/grid-columns.ts';
import { isNumeric } from '../query/grid-columns.ts';
import { selectResult } from '../query/result-query.ts';
import { splitOptions } from '../query/split-statements.ts';

export const plotKinds = ['bars', 'line', 'histogram', 'dots'] as const;
export type PlotKind = (typeof plotKinds)[number];

export const measures = ['count', 'sum', 'avg', 'min', 'max', 'median'] as const;
export type Measure = (typeof measures)[number];

/** The chart of a result. */
export interface PlotSpec {
  readonly kind: PlotKind;
  readonly x: GridColumn;
  /** The column of the values; undefined when rows are counted, and for a histogram. */
  readonly y: GridColumn | undefined;
  readonly measure: Measure;
}

/**
 * Returns the initial plot. A result of few rows is usually an aggregate: its numbers are drawn
 * along its time column, or else for each of its names. For many rows, a distribution is drawn.
 */
export function firstWish(
  columns: readonly GridColumn[],
  rowCount: number,
): { readonly kind: PlotKind; readonly x?: GridColumn; readonly measure: Measure } {
  const numbers = columns.filter(({ dataType }) => isNumeric(dataType));
  const time = columns.find(({ dataType }) => dataType === 'TIMESTAMP');
  const name = columns.find(({ dataType }) => dataType === 'STRING' || dataType === 'BOOLEAN');
  const isAggregate = rowCount <= limits.points && numbers.length > 0;
  if (isAggregate && time !== undefined) return { kind: 'line', x: time, measure: 'sum' };
  if (isAggregate && name !== undefined) return { kind: 'bars', x: name, measure: 'sum' };
  const [first, second] = numbers;
  if (isAggregate && first !== undefined && second !== undefined) {
    return { kind: 'line', x: first, measure: 'sum' };
  }
  if (name === undefined && first !== undefined) {
    return { kind: 'histogram', x: first, measure: 'count' };
  }
  return { kind: 'bars', ...(name !== undefined && { x: name }), measure: 'count' };
}

export const limits = { bars: 20, points: 2000, dots: 2000, bins: 40 };

/** Reports whether a column can be the x axis of a kind. */
export function fitsX(kind: PlotKind, { dataType }: GridColumn): boolean {
  if (kind === 'bars') return !dataType.endsWith('_ARRAY') && dataType !== 'MAP';
  if (kind === 'line') {
    return isNumeric(dataType) || dataType === 'TIMESTAMP' || dataType === 'STRING';
  }
  return isNumeric(dataType);
}

/** A query whose rows are drawn, and its columns. */
export interface PlotSource {
  readonly sql: string;
  readonly columns: readonly GridColumn[];
}

/**
 * Returns the stored rows of a result, where each column has a name of its own; or the `sql` of the
 * result, for engines that cannot read results.
 */
export function plotSource(
  requestId: string,
  columns: readonly GridColumn[],
  sql: string | undefined,
): PlotSource {
  if (sql === undefined) return { sql: selectResult(requestId), columns };
  return { sql, columns: columns.map((column) => ({ ...column, resultName: column.name })) };
}

/**
 * Returns the query of a chart: a query within an aggregate, which the server computes over all
 * rows. Its rows are `x` and `y`, at most one more than the limits, which reveals that there were
 * more.
 */
export function plotQuery(sql: string, spec: PlotSpec): string {
  const { options, query } = splitOptions(sql.trim().replace(/;\s*$/, ''));
  // A comment at the end of the query must not hide the parenthesis.
  const from = `(${query}\n) AS result`;
  return `${options}${plotSelect(from, spec)}`;
}

function plotSelect(from: string, { kind, x, y, measure }: PlotSpec): string {
  const xName = quoted(x);
  const value = measure === 'count' || y === undefined ? 'count(*)' : `${measure}(${quoted(y)})`;
  switch (kind) {
    case 'bars':
      return `SELECT CAST(${xName} AS VARCHAR) AS x, CAST(${value} AS DOUBLE) AS y FROM ${from} GROUP BY 1 ORDER BY 2 DESC NULLS LAST, 1 LIMIT ${limits.bars + 1}`;
    case 'line':
      return `SELECT ${xName} AS x, CAST(${value} AS DOUBLE) AS y FROM ${from} WHERE ${xName} IS NOT NULL GROUP BY 1 ORDER BY 1 LIMIT ${limits.points + 1}`;
    case 'histogram':
      return [
        `WITH v AS (SELECT CAST(${xName} AS DOUBLE) AS v FROM ${from} WHERE ${xName} IS NOT NULL AND isfinite(CAST(${xName} AS DOUBLE))),`,
        `s AS (SELECT min(v) AS lo, greatest(max(v) - min(v), 1e-9) / ${limits.bins} AS w FROM v)`,
        `SELECT lo + w * least(${limits.bins - 1}, floor((v - lo) / w)) AS x, CAST(count(*) AS DOUBLE) AS y, any_value(w) AS w FROM v, s GROUP BY 1 ORDER BY 1`,
      ].join(' ');
    case 'dots':
      return `SELECT CAST(${xName} AS DOUBLE) AS x, CAST(${quoted(y ?? x)} AS DOUBLE) AS y FROM ${from} USING SAMPLE reservoir(${limits.dots} ROWS) REPEATABLE (1)`;
  }
}

/** Returns a note about a chart that does not show everything. */
export function limitNote(kind: PlotKind, rowCount: number): string | undefined {
  if (kind === 'bars' && rowCount > limits.bars) {
    return `The ${limits.bars} largest; there are more.`;
  }
  if (kind === 'line' && rowCount > limits.points) {
    return `The first ${limits.points} points; there are more.`;
  }
  if (kind === 'dots' && rowCount >= limits.dots) return `A random sample of ${limits.dots} rows.`;
  return undefined;
}

function quoted({ resultName }: GridColumn): string {
  return `"${resultName.replaceAll('"', '""')}"`;
}

import { type AccessPattern, pageOffsets } from '../http/page-offsets.ts';
import { entriesOf, formatCount, type PageComparison } from './page-comparison.ts';

/**
 * Varies the position of the page in the result. Pages are read without a cache, so that every page
 * is read from the file.
 */
export const compareOffsets: PageComparison = async (stage) => {
  const { rows, basePageRows } = stage.sizes;
  const stored = await stage.stored('uncached', 'mixed', rows.base);
  const last = rows.base - basePageRows;
  const levels = [
    { level: 'first', offset: 0 },
    { level: 'middle', offset: Math.floor(last / 2) },
    { level: 'last', offset: last },
  ].map(({ level, offset }) => ({
    level,
    stored,
    table: 'mixed' as const,
    reading: { offsets: [offset], pageRowCount: basePageRows },
  }));
  return {
    id: 'page-offset',
    title: `The first, middle and last page of ${formatCount(rows.base)} rows (Quire without a cache)`,
    unit: 'ms',
    factor: 'offset',
    comparesLevels: true,
    entries: await entriesOf(stage, levels, [
      'duckdb-parquet',
      'apache-arrow',
      'json-lines',
      'postgres-cursor',
    ]),
  };
};

/**
 * Varies the number of rows of the result. Pages are read without a cache, because a small result
 * fits it completely.
 */
export const compareRowCounts: PageComparison = async (stage) => {
  const { rows, basePageRows } = stage.sizes;
  const pageRowCount = Math.min(basePageRows, rows.few);
  const levels = [];
  for (const rowCount of [rows.few, rows.base, rows.many]) {
    const stored = await stage.stored('uncached', 'mixed', rowCount);
    const reading = { offsets: pageOffsets('random', rowCount, pageRowCount), pageRowCount };
    levels.push({ level: formatCount(rowCount), stored, table: 'mixed' as const, reading });
  }
  return {
    id: 'page-rows',
    title: `The same page of results of other sizes, at random offsets (Quire without a cache)`,
    unit: 'ms',
    factor: 'rows of the result',
    comparesLevels: true,
    entries: await entriesOf(stage, levels, ['duckdb-parquet', 'apache-arrow']),
  };
};

/** Varies the order in which pages are read. */
export const comparePatterns: PageComparison = async (stage) => {
  const { rows, basePageRows } = stage.sizes;
  const stored = await stage.stored('file', 'mixed', rows.base);
  const patterns: readonly AccessPattern[] = ['random', 'sequential', 'backward', 'zipf', 'same'];
  const levels = patterns.map((pattern) => ({
    level: pattern === 'same' ? 'the same page' : pattern,
    stored,
    table: 'mixed' as const,
    reading: { offsets: pageOffsets(pattern, rows.base, basePageRows), pageRowCount: basePageRows },
  }));
  return {
    id: 'page-pattern',
    title: 'The same page in other orders of access',
    unit: 'ms',
    factor: 'order',
    comparesLevels: true,
    entries: await entriesOf(stage, levels, ['duckdb-parquet', 'postgres-cursor']),
  };
};

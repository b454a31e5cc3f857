import { pageFormatNames } from '@quire/core/wire';
import type { TableName } from '../data/tables.ts';
import { pageOffsets } from '../http/page-offsets.ts';
import type { PageOptions } from '../quire/stored-query.ts';
import { entriesOf, formatCount, type Level, type PageComparison } from './page-comparison.ts';

/** Varies the number of rows of the page. */
export const comparePageSizes: PageComparison = async (stage) => {
  const { rows, pageRows } = stage.sizes;
  const stored = await stage.stored('file', 'mixed', rows.base);
  const levels = pageRows.map((pageRowCount) => ({
    level: formatCount(pageRowCount),
    stored,
    table: 'mixed' as const,
    reading: { offsets: offsetsFor(pageRowCount, rows.base), pageRowCount },
  }));
  return {
    id: 'page-size',
    title: 'Pages of other sizes',
    unit: 'ms',
    factor: 'rows of the page',
    comparesLevels: true,
    entries: await entriesOf(stage, levels, ['static-file', 'duckdb-parquet', 'apache-arrow']),
  };
};

/** A few very large pages exceed the cache as well, and all of them would fill the disk. */
function offsetsFor(pageRowCount: number, rowCount: number): readonly number[] {
  return pageOffsets('random', rowCount, pageRowCount).slice(
    0,
    pageRowCount > 10_000 ? 8 : undefined,
  );
}

/** Varies the columns of the rows. */
export const compareTables: PageComparison = async (stage) => {
  const { rows, bulkyRows, basePageRows } = stage.sizes;
  const shapes: readonly [TableName, number, string][] = [
    ['mixed', rows.base, 'mixed: 10 columns'],
    ['narrow', rows.base, 'narrow: 2 columns'],
    ['wide', bulkyRows, 'wide: 100 columns'],
    ['long', bulkyRows, 'long: 1 KB texts'],
  ];
  const levels: Level[] = [];
  for (const [table, rowCount, level] of shapes) {
    const stored = await stage.stored('file', table, rowCount);
    const reading = {
      offsets: pageOffsets('random', rowCount, basePageRows).slice(0, 16),
      pageRowCount: basePageRows,
    };
    levels.push({ level, stored, table, reading });
  }
  return {
    id: 'page-table',
    title: `A page of ${formatCount(basePageRows)} rows of other tables`,
    unit: 'ms',
    factor: 'table',
    comparesLevels: false,
    entries: await entriesOf(stage, levels, ['static-file', 'duckdb-parquet']),
  };
};

/** Varies the format of the page. */
export const compareFormats: PageComparison = async (stage) => {
  return compareBodies(
    stage,
    'page-format',
    'The same page in other formats',
    'format',
    pageFormatNames.map((format) => [format, { format }]),
  );
};

/** Varies the encoding of the transfer: plain or compressed. */
export const compareTransfers: PageComparison = async (stage) => {
  return compareBodies(
    stage,
    'page-transfer',
    'The same page, plain and with HTTP compression',
    'transfer',
    [
      ['plain', {}],
      ['zstd', { encoding: 'zstd' }],
    ],
  );
};

type BodyComparison = (
  ...parameters: [
    stage: Parameters<PageComparison>[0],
    id: string,
    title: string,
    factor: string,
    bodies: readonly (readonly [string, PageOptions])[],
  ]
) => ReturnType<PageComparison>;

/** Compares pages of the same rows in several shapes, each with a file of the same bytes. */
const compareBodies: BodyComparison = async (stage, id, title, factor, bodies) => {
  const { rows, basePageRows } = stage.sizes;
  const stored = await stage.stored('file', 'mixed', rows.base);
  const offsets = pageOffsets('random', rows.base, basePageRows);
  const levels = bodies.map(([level, options]) => ({
    level,
    stored,
    table: 'mixed' as const,
    reading: { ...options, offsets, pageRowCount: basePageRows },
  }));
  return {
    id,
    title,
    unit: 'ms',
    factor,
    comparesLevels: true,
    entries: await entriesOf(stage, levels, ['static-file']),
  };
};

import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { TableName } from '../data/tables.ts';
import {
  type ComparisonEntry,
  type ComparisonReport,
  quire,
  reportComparison,
  runComparison,
} from '../measure/comparison.ts';
import { repeated } from '../measure/interleave.ts';
import type { BenchContext, Part } from '../measure/part.ts';
import { Child } from '../process/child.ts';
import type { CopyRequest } from './copy.process.ts';
import type { WriteAnswer, WriteOptions, WriteRequest } from './write.process.ts';

/**
 * Measures the time from DuckDB to a committed result in local files; compared with DuckDB's own
 * ways to write the answer of the same query.
 */
export const writePart: Part = {
  name: 'write',
  title: 'Writing results',
  async run(context) {
    const { scratch, profileDirectory } = context;
    const paths = await prepareTables(context);
    const copyDirectory = join(scratch, 'copies');
    await mkdir(copyDirectory);
    const options: WriteOptions = { directory: scratch, tables: paths };
    // The flags with which processes for queries are started.
    const nodeOptions = ['--max-semi-space-size=2'];
    await using writer = new Child(join(import.meta.dirname, 'write.process.ts'), options, {
      profileDirectory,
      nodeOptions,
    });
    await using copier = new Child(join(import.meta.dirname, 'copy.process.ts'), copyDirectory);
    const rates = await compareRates(context, writer, copier, paths);
    const loop = await measureLoop(context, writer);
    return {
      comparisons: [rates, loop],
      notes: ['Quire syncs its files to the disk before it answers; DuckDB does not.'],
    };
  },
};

/** The rows of each table; about the same number of bytes each. */
function rowCounts(isQuick: boolean): Readonly<Record<TableName, number>> {
  return isQuick
    ? { mixed: 5000, narrow: 5000, wide: 500, long: 1000 }
    : { mixed: 1_000_000, narrow: 2_000_000, wide: 100_000, long: 100_000 };
}

function largeRowCount(isQuick: boolean): number {
  return isQuick ? 20_000 : 10_000_000;
}

async function prepareTables({
  isQuick,
  tables,
  progress,
}: BenchContext): Promise<Record<string, string>> {
  const paths: Record<string, string> = {};
  for (const [name, rowCount] of Object.entries(rowCounts(isQuick)) as [TableName, number][]) {
    progress(`prepares ${rowCount} rows of ${name}`);
    paths[name] = await tables.parquet(name, rowCount);
  }
  progress('prepares a large table');
  paths['large'] = await tables.parquet('mixed', largeRowCount(isQuick));
  return paths;
}

async function compareRates(
  { isQuick, progress }: BenchContext,
  writer: Child,
  copier: Child,
  paths: Readonly<Record<string, string>>,
): Promise<ComparisonReport> {
  const entries: ComparisonEntry[] = [];
  for (const [table, rowCount] of Object.entries(rowCounts(isQuick))) {
    const parquet = paths[table] ?? '';
    const perSecond = (elapsedMs: number): number => (rowCount * 1000) / elapsedMs;
    const write = (what: WriteRequest['what']) =>
      repeated(async () => {
        const request: WriteRequest = { table, what };
        return perSecond(((await writer.call(request)) as WriteAnswer).elapsedMs);
      });
    const copy = (format: CopyRequest['format']) =>
      repeated(async () => {
        const request: CopyRequest = { parquet, format };
        return perSecond((await copier.call(request)) as number);
      });
    entries.push(
      { level: table, name: quire, contender: write('store') },
      { level: table, name: 'copy-parquet', contender: copy('parquet') },
      { level: table, name: 'copy-json', contender: copy('json') },
      { level: table, name: 'quire, engine alone', contender: write('read') },
    );
  }
  const title = 'Storing the answer of SELECT * FROM a Parquet file';
  return runComparison(
    { id: 'write-rate', title, unit: 'rows/s', factor: 'table', comparesLevels: false, entries },
    {
      count: isQuick ? 1 : 3,
      sliceMs: 1,
      onSlice: (index, count) => progress(`${title}: ${Math.round((100 * index) / count)} %`),
    },
  );
}

/** Measures the delay that the event loop causes for others during one long write. */
async function measureLoop(
  { isQuick, progress }: BenchContext,
  writer: Child,
): Promise<ComparisonReport> {
  progress('stores a large result');
  const request: WriteRequest = { table: 'large', what: 'store' };
  const { loopDelayMs } = (await writer.call(request)) as WriteAnswer;
  return reportComparison(
    {
      id: 'write-loop',
      title: `Event loop delay while ${largeRowCount(isQuick).toLocaleString('en')} rows of mixed are stored`,
      unit: 'ms',
      factor: 'of all ticks',
      comparesLevels: false,
    },
    Object.entries(loopDelayMs).map(([level, delayMs]) => ({
      level,
      name: quire,
      rounds: [[delayMs]],
    })),
  );
}

import { pageOffsets } from '../http/page-offsets.ts';
import { throughputOf } from '../http/page-load.ts';
import { quire } from '../measure/comparison.ts';
import type { RivalKind } from '../rivals/rival.ts';
import { entriesOf, type PageComparison } from './page-comparison.ts';
import type { PageStage, ServerName } from './page-stage.ts';

/** Varies the number of concurrent readers. */
export const compareReaders: PageComparison = async (stage) => ({
  id: 'page-readers',
  title: 'The same page with concurrent readers',
  unit: 'ms',
  factor: 'readers',
  comparesLevels: true,
  // Sixty-four readers of DuckDB would take a minute of the ten that all parts may take.
  entries: await readerEntries(stage, (count) =>
    count > 8 ? ['static-file'] : ['static-file', 'duckdb-parquet'],
  ),
});

/** Measures the throughput of all readers together. */
export const compareThroughput: PageComparison = async (stage) => ({
  id: 'page-throughput',
  title: 'Pages per second of all concurrent readers together',
  unit: 'pages/s',
  factor: 'readers',
  comparesLevels: true,
  entries: (await readerEntries(stage, () => ['static-file'])).map((entry) => ({
    ...entry,
    contender: throughputOf(entry.contender),
  })),
});

/** Varies the store of the result, and its compression. */
export const compareStores: PageComparison = async (stage) => {
  const { rows, basePageRows } = stage.sizes;
  const reading = {
    offsets: pageOffsets('random', rows.base, basePageRows),
    pageRowCount: basePageRows,
  };
  const stores: readonly [ServerName, string][] = [
    ['file', 'file'],
    ['uncached', 'file, no cache'],
    ['zstd', 'file, zstd'],
    ['lz4', 'file, lz4'],
    ['memory', 'memory'],
  ];
  const entries = [];
  for (const [server, level] of stores) {
    const stored = await stage.stored(server, 'mixed', rows.base);
    entries.push({ level, name: quire, contender: await stage.quireLoad(stored, reading) });
  }
  return {
    id: 'page-store',
    title: 'The same page from other stores',
    unit: 'ms',
    factor: 'store',
    comparesLevels: true,
    entries,
  };
};

async function readerEntries(
  stage: PageStage,
  rivalsOf: (readerCount: number) => readonly RivalKind[],
) {
  const { rows, basePageRows, readers } = stage.sizes;
  const stored = await stage.stored('file', 'mixed', rows.base);
  const offsets = pageOffsets('random', rows.base, basePageRows);
  const entries = [];
  for (const readerCount of readers) {
    const reading = { offsets, pageRowCount: basePageRows, readerCount };
    const level = { level: String(readerCount), stored, table: 'mixed' as const, reading };
    entries.push(...(await entriesOf(stage, [level], rivalsOf(readerCount))));
  }
  return entries;
}

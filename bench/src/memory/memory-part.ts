import { setTimeout } from 'node:timers/promises';
import { PageLoad } from '../http/page-load.ts';
import { pageOffsets } from '../http/page-offsets.ts';
import { PageReader } from '../http/page-reader.ts';
import { type ComparisonReport, quire, reportComparison } from '../measure/comparison.ts';
import type { BenchContext, Part } from '../measure/part.ts';
import { readFamilyMemory, readFamilyPeak, resetFamilyPeak } from '../process/process-memory.ts';
import { QuireServer } from '../quire/quire-server.ts';
import { pageOf, type StoredQuery, storeQuery } from '../quire/stored-query.ts';

const pageRowCount = 10_000;
const bytesPerMegabyte = 1_000_000;

/**
 * Measures the peak memory of a fresh server and its processes for queries above their memory at
 * rest, while it stores and serves a large result.
 */
export const memoryPart: Part = {
  name: 'memory',
  title: 'Memory of a server',
  async run(context) {
    const { isQuick, scratch, profileDirectory, progress, tables } = context;
    progress('prepares a large table');
    const path = await tables.parquet('mixed', isQuick ? 20_000 : 10_000_000);
    await using server = await QuireServer.start({
      settings: {},
      directory: scratch,
      tables: { mixed: path },
      profileDirectory,
    });
    return { comparisons: [await measureGrowth(context, server)], notes: [] };
  },
};

async function measureGrowth(
  { isQuick, progress }: BenchContext,
  server: QuireServer,
): Promise<ComparisonReport> {
  const large = 'SELECT * FROM mixed UNION ALL SELECT * FROM mixed';
  progress('waits until the server is idle');
  await storeQuery(server, 'SELECT 42 AS answer');
  await setTimeout(isQuick ? 100 : 2000);
  const idleBytes = await readFamilyMemory(server.pid);
  const growths: [level: string, megabytes: number][] = [];
  const measure = async <T>(
    level: string,
    run: (notePeak: () => Promise<void>) => Promise<T>,
  ): Promise<T> => {
    progress(level);
    await resetFamilyPeak(server.pid);
    let peakBytes = 0;
    const notePeak = async (): Promise<void> =>
      void (peakBytes = Math.max(peakBytes, await readFamilyPeak(server.pid)));
    const outcome = await run(notePeak);
    await notePeak();
    growths.push([level, Math.max(0, (peakBytes - idleBytes) / bytesPerMegabyte)]);
    return outcome;
  };
  const rowCount = (isQuick ? 40_000 : 20_000_000).toLocaleString('en');
  const stored = await measure(`storing ${rowCount} rows`, () => storeQuery(server, large));
  await measure('reading all of them, 10,000 rows at a time', () => walk(stored));
  await measure('64 readers and one writer', (notePeak) =>
    readWhileWriting(stored, large, isQuick ? 500 : 20_000, notePeak),
  );
  return reportComparison(
    {
      id: 'memory-growth',
      title: `Peak memory of a server beyond its ${Math.round(idleBytes / bytesPerMegabyte)} MB when idle`,
      unit: 'MB',
      factor: 'work',
      comparesLevels: false,
    },
    growths.map(([level, megabytes]) => ({ level, name: quire, rounds: [[megabytes]] })),
  );
}

async function walk(stored: StoredQuery): Promise<void> {
  await using reader = new PageReader(stored.server.url);
  for (let offset = 0; offset < stored.rowCount; offset += pageRowCount) {
    await reader.read(pageOf(stored, offset, pageRowCount));
  }
}

/**
 * Reads pages at random offsets for many readers, while the same answer is stored once more, as far
 * as it gets in that time.
 */
async function readWhileWriting(
  stored: StoredQuery,
  sql: string,
  durationMs: number,
  notePeak: () => Promise<void>,
): Promise<void> {
  const targets = pageOffsets('random', stored.rowCount, pageRowCount).map((offset) =>
    pageOf(stored, offset, pageRowCount),
  );
  const ending = new AbortController();
  const writing = storeQuery(stored.server, sql, ending.signal).catch((error: unknown) => {
    if (!ending.signal.aborted) throw error;
  });
  await using load = new PageLoad(stored.server.url, targets, 64);
  const reading = async (): Promise<void> => {
    try {
      await load.sample(durationMs);
      await notePeak(); // the process for the query may end with it
    } finally {
      ending.abort();
    }
  };
  await Promise.all([writing, reading()]);
}

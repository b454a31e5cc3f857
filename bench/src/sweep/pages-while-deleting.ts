import { mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { PageLoad } from '../http/page-load.ts';
import { pageOffsets } from '../http/page-offsets.ts';
import { type ComparisonReport, quire, reportComparison } from '../measure/comparison.ts';
import type { BenchContext } from '../measure/part.ts';
import { QuireServer } from '../quire/quire-server.ts';
import { pageOf, storeQuery } from '../quire/stored-query.ts';
import { makeExpiredResults } from './make-results.ts';

const pageRowCount = 10_000;
/** The id of a broker of the benchmark: it asks for any free port. */
const brokerId = 'Broker_127.0.0.1_0';

/** What the readers of a broker feel of it while it sweeps many expired results. */
export async function measurePagesWhileDeleting(context: BenchContext): Promise<ComparisonReport> {
  const { isQuick, scratch, tables, profileDirectory, progress } = context;
  const expiredCount = isQuick ? 200 : 3000;
  progress(`makes ${expiredCount} results for a server to delete`);
  const directory = join(scratch, 'server');
  const root = join(directory, 'results');
  await mkdir(root, { recursive: true });
  await makeExpiredResults({ root, brokerId }, expiredCount);
  const path = await tables.parquet('mixed', isQuick ? 20_000 : 1_000_000);
  const settings = { 'controller.cluster.pagination.cleaner.initialDelay': isQuick ? '2s' : '8s' };
  await using server = await QuireServer.start({ settings, directory, tables: { mixed: path }, profileDirectory });
  const stored = await storeQuery(server, 'SELECT * FROM mixed');
  const targets = pageOffsets('random', stored.rowCount, pageRowCount).map((offset) => pageOf(stored, offset, pageRowCount));
  await using load = new PageLoad(server.url, targets);
  await load.sample(isQuick ? 20 : 1000);
  progress('reads pages of a server before and while it sweeps');
  const { before, meanwhile } = await sampleUntilSwept(load, join(root, brokerId), expiredCount + 1);
  return reportComparison(
    {
      id: 'sweep-pages',
      title: `Pages of 10,000 rows, read while ${expiredCount.toLocaleString('en')} expired results are deleted`,
      unit: 'ms',
      factor: 'meanwhile',
      comparesLevels: true,
    },
    [
      { level: 'nothing', name: quire, rounds: [before] },
      { level: 'deleting', name: quire, rounds: [meanwhile] },
    ],
  );
}

/** The directory of the broker tells how far the sweep is. */
async function sampleUntilSwept(
  load: PageLoad,
  directory: string,
  resultCount: number,
): Promise<{ readonly before: readonly number[]; readonly meanwhile: readonly number[] }> {
  const before: number[] = [];
  const meanwhile: number[] = [];
  for (;;) {
    const samples = await load.sample(50);
    const countLeft = (await readdir(directory)).length;
    if (countLeft === resultCount) before.push(...samples);
    else meanwhile.push(...samples);
    if (countLeft === 1) break;
  }
  if (before.length === 0) throw new Error('The sweep was over before anything could be measured.');
  return { before, meanwhile };
}

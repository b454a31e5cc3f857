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
const sweepWaitMsMax = 60_000;
/** The id of a broker of the benchmark: it requests any free port. */
const brokerId = 'Broker_127.0.0.1_0';

export interface PagesWhileDeleting {
  readonly report: ComparisonReport;
  readonly deletedPerSecond: number;
}

/** Measures the effect on the readers of a broker while it sweeps many expired results. */
export async function measurePagesWhileDeleting(
  context: BenchContext,
): Promise<PagesWhileDeleting> {
  const { isQuick, scratch, tables, profileDirectory, progress } = context;
  const expiredCount = isQuick ? 200 : 3000;
  progress(`makes ${expiredCount} results for a server to delete`);
  const directory = join(scratch, 'server');
  const root = join(directory, 'results');
  await mkdir(root, { recursive: true });
  await makeExpiredResults({ root, brokerId }, expiredCount);
  const path = await tables.parquet('mixed', isQuick ? 20_000 : 1_000_000);
  const settings = { 'controller.cluster.pagination.cleaner.initialDelay': isQuick ? '2s' : '8s' };
  await using server = await QuireServer.start({
    settings,
    directory,
    tables: { mixed: path },
    profileDirectory,
  });
  const stored = await storeQuery(server, 'SELECT * FROM mixed');
  const targets = pageOffsets('random', stored.rowCount, pageRowCount).map((offset) =>
    pageOf(stored, offset, pageRowCount),
  );
  await using load = new PageLoad(server.url, targets);
  await load.sample(isQuick ? 20 : 1000);
  progress('reads pages of a server before and while it sweeps');
  const { before, meanwhile, deletedPerSecond } = await sampleSweep(load, {
    directory: join(root, brokerId),
    resultCount: expiredCount + 1,
    sweepMsMax: isQuick ? 1000 : 10_000,
  });
  const report = reportComparison(
    {
      id: 'sweep-pages',
      title: `Pages of 10,000 rows, read while expired results are deleted`,
      unit: 'ms',
      factor: 'work',
      comparesLevels: true,
    },
    [
      { level: 'nothing', name: quire, rounds: [before] },
      { level: 'deleting', name: quire, rounds: [meanwhile] },
    ],
  );
  return { report, deletedPerSecond };
}

interface Sweep {
  readonly directory: string;
  readonly resultCount: number;
  /** The duration of the observation. */
  readonly sweepMsMax: number;
}

/**
 * Reads pages until a sweep is complete, or for some time of it. The progress is read from the
 * directory of the broker.
 */
async function sampleSweep(load: PageLoad, { directory, resultCount, sweepMsMax }: Sweep) {
  const before: number[] = [];
  const meanwhile: number[] = [];
  const startMs = performance.now();
  let sweepStartMs = Infinity;
  for (;;) {
    const samples = await load.sample(50);
    const countLeft = (await readdir(directory)).length;
    const nowMs = performance.now();
    if (countLeft === resultCount) {
      before.push(...samples);
      if (nowMs - startMs > sweepWaitMsMax) throw new Error('The server has not started to sweep.');
      continue;
    }
    sweepStartMs = Math.min(sweepStartMs, nowMs - 50);
    meanwhile.push(...samples);
    if (countLeft > 1 && nowMs - sweepStartMs < sweepMsMax) continue;
    if (before.length === 0) {
      throw new Error('The sweep was over before anything could be measured.');
    }
    return {
      before,
      meanwhile,
      deletedPerSecond: ((resultCount - countLeft) * 1000) / (nowMs - sweepStartMs),
    };
  }
}

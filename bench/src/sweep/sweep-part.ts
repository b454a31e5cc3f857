import { execFile } from 'node:child_process';
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { promisify } from 'node:util';
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
import { makeExpiredResults, multiplyResults, type ResultDirectory } from './make-results.ts';
import { measurePagesWhileDeleting } from './pages-while-deleting.ts';
import type { SweepAnswer, SweepRequest, SweepTask } from './sweep.process.ts';

const run = promisify(execFile);
const settledMs = 11_000;
const brokerId = 'bench';

/**
 * Finds and deletes expired results in local files, as the cleaner does; compared with common ways
 * without a cleaner.
 */
export const sweepPart: Part = {
  name: 'sweep',
  title: 'Sweeping expired results',
  async run(context) {
    const { profileDirectory } = context;
    await using child = new Child(join(import.meta.dirname, 'sweep.process.ts'), null, {
      profileDirectory,
    });
    const deciding = await compareDeciding(context, child);
    const deleting = await compareDeleting(context, child);
    const pages = await measurePagesWhileDeleting(context);
    const comparisons = [deciding, deleting, pages.report];
    const notes = [
      'Quire deletes as in a server that has swept before: its threads have started and know the results. The others are timed from their start.',
      'GNU find does not delete the directories of the results, because deleting their files has just modified them.',
      `During continuous reads by one reader, the sweep deleted ${Math.round(pages.deletedPerSecond)} results a second.`,
    ];
    return { comparisons, notes };
  },
};

async function compareDeciding(
  { isQuick, scratch, progress }: BenchContext,
  child: Child,
): Promise<ComparisonReport> {
  const originalCount = isQuick ? 20 : 1000;
  const title = 'Finding expired results';
  const entries: ComparisonEntry[] = [];
  for (const times of [10, 100]) {
    const resultCount = originalCount * times;
    progress(`makes ${resultCount} results`);
    const directory = { root: join(scratch, `many-${times}`), brokerId };
    await makeExpiredResults(directory, originalCount);
    multiplyResults(directory, times);
    // A sweep reads recently changed results again at the next one.
    if (!isQuick) await setTimeout(settledMs);
    const level = `${resultCount.toLocaleString('en')} results`;
    const decide = (task: SweepTask) =>
      repeated(async () => (await sweep(child, { task, ...directory }, resultCount)).elapsedMs);
    entries.push(
      { level, name: quire, contender: decide('plan') },
      { level, name: 'quire, first sweep', contender: decide('plan-first') },
      { level, name: 'find -mmin +60', contender: repeated(() => find(directory, [])) },
      // With the larger number, it takes too long.
      ...(times === 10
        ? [{ level, name: 'parsing every record', contender: decide('parse-records') }]
        : []),
    );
  }
  const onSlice = (index: number, count: number): void =>
    progress(`${title}: ${Math.round((100 * index) / count)} %`);
  return runComparison(
    { id: 'sweep-decide', title, unit: 'ms', factor: 'of', comparesLevels: true, entries },
    { count: isQuick ? 1 : 2, sliceMs: 1, onSlice },
  );
}

/** Every deletion needs results of its own, so the rounds are created here. */
async function compareDeleting(
  { isQuick, scratch, progress }: BenchContext,
  child: Child,
): Promise<ComparisonReport> {
  const resultCount = isQuick ? 50 : 1000;
  const removeBy = (task: SweepTask) => async (directory: ResultDirectory) =>
    (await sweep(child, { task, ...directory }, resultCount)).elapsedMs;
  const contenders: Readonly<Record<string, (directory: ResultDirectory) => Promise<number>>> = {
    [quire]: removeBy('sweep'),
    'quire, deleteExpired': removeBy('delete-expired'),
    'list, delete each': removeBy('list-and-delete-each'),
    'find -mmin +60 -delete': (directory) => find(directory, ['-delete']),
    'parse, remove each': removeBy('parse-and-remove-each'),
  };
  const rates = new Map(Object.keys(contenders).map((name): [string, number[][]] => [name, []]));
  for (let round = 0; round < (isQuick ? 1 : 3); round += 1) {
    for (const [name, remove] of Object.entries(contenders)) {
      progress(`deletes ${resultCount} results, round ${round + 1}: ${name}`);
      const root = join(scratch, `round-${round}`);
      await mkdir(root);
      await makeExpiredResults({ root, brokerId }, resultCount);
      rates.get(name)?.push([(resultCount * 1000) / (await remove({ root, brokerId }))]);
      await rm(root, { recursive: true, force: true });
    }
  }
  return reportComparison(
    {
      id: 'sweep-delete',
      title: 'Deleting expired results',
      unit: 'results/s',
      factor: 'of',
      comparesLevels: false,
    },
    [...rates].map(([name, rounds]) => ({
      level: `${resultCount.toLocaleString('en')} results`,
      name,
      rounds,
    })),
  );
}

async function sweep(
  child: Child,
  request: SweepRequest,
  expectedCount: number,
): Promise<SweepAnswer> {
  const answer = (await child.call(request)) as SweepAnswer;
  if (answer.count !== expectedCount) {
    throw new Error(`${request.task} found ${answer.count} results, not ${expectedCount}.`);
  }
  return answer;
}

async function find(
  { root, brokerId: id }: ResultDirectory,
  action: readonly string[],
): Promise<number> {
  const startMs = performance.now();
  await run('find', [join(root, id), '-mmin', '+60', ...action], { maxBuffer: 1024 ** 3 });
  return performance.now() - startMs;
}

import { join } from 'node:path';
import {
  type ComparisonReport,
  quire,
  reportComparison,
  type Unit,
} from '../measure/comparison.ts';
import type { Part } from '../measure/part.ts';
import { Child } from '../process/child.ts';
import type { ScaleAnswer, ScaleRequest, ScaleTask } from './scale.process.ts';
import { simulateSweeps } from './simulate-sweeps.ts';

interface Measurement {
  readonly task: ScaleTask;
  readonly title: string;
  readonly of: string;
  /** The levels of a task that does not depend on the number of results. */
  readonly counts?: readonly number[];
}

const resultCounts = [1e5, 1e6, 1e7];
const tasks: readonly Measurement[] = [
  { task: 'listing', title: 'Reading and packing a listing', of: 'results' },
  { task: 'expiry', title: 'Finding expired results', of: 'results' },
  { task: 'quota', title: 'Choosing results to evict for a tenth of the space', of: 'results' },
  {
    task: 'recount',
    title: 'Counting a listing for admission, with 1,000 writes in progress',
    of: 'results',
  },
  { task: 'routes', title: '200,000 lookups of routes', of: 'routes' },
  {
    task: 'admission',
    title: '2,000 writes admitted and committed',
    of: 'writes in flight',
    counts: [1, 100, 1_000],
  },
];

const day = { resultCount: 100_000, periodMs: 3_600_000, callMs: 60 };

/**
 * Measures the load of a large cluster on each process, and simulates that on a provider
 * (packages/SCALE.md).
 */
export const scalePart: Part = {
  name: 'scale',
  title: 'From one machine to a thousand brokers',
  isOnRequest: true,
  async run({ isQuick, progress, profileDirectory }) {
    const measured = new Map<string, Measured[]>();
    const note = (id: string, entry: Measured): void => {
      measured.set(id, [...(measured.get(id) ?? []), entry]);
    };
    // A process for each number, so that none inherits the memory of the previous one.
    for (const count of isQuick ? [1e5] : resultCounts) {
      const nodeOptions = ['--expose-gc', '--max-old-space-size=6000'];
      await using child = new Child(join(import.meta.dirname, 'scale.process.ts'), null, {
        profileDirectory,
        nodeOptions,
      });
      for (const { task, title, of, counts = [count] } of tasks) {
        for (const each of isQuick ? counts.slice(0, 1) : counts) {
          if (counts.length > 1 && count !== resultCounts[0]) continue;
          const level = `${each.toLocaleString('en')} ${of}`;
          progress(`${title}: ${level}`);
          // Once only: a listing of ten million takes a minute, and processor time hardly varies.
          const answer = (await child.call({
            task,
            count: each,
          } satisfies ScaleRequest)) as ScaleAnswer;
          if (task === 'listing') {
            note('memory', { level, name: quire, rounds: [[answer.grownBytes / 1e6]] });
          }
          note(task, { level, name: quire, rounds: [[answer.processorMs]] });
        }
      }
    }
    const comparisons = tasks.map(({ task, title }) =>
      compare(`scale-${task}`, title, 'ms', measured.get(task) ?? []),
    );
    comparisons.push(
      compare('scale-memory', 'What the packed listing holds', 'MB', measured.get('memory') ?? []),
    );
    progress('plays the schedules of cleaners');
    comparisons.push(simulated(isQuick ? [1, 10] : [1, 10, 100, 1_000]));
    return {
      comparisons,
      notes: [
        'Times are processor time of a process that does nothing else.',
        'The last comparison is a simulation: the schedules of all cleaners, as they are, in virtual time; 100,000 results a broker, a sweep each hour, 60 ms a call.',
      ],
    };
  },
};

interface Measured {
  readonly level: string;
  readonly name: string;
  readonly rounds: readonly (readonly number[])[];
}

function compare(
  id: string,
  title: string,
  unit: Unit,
  measured: readonly Measured[],
): ComparisonReport {
  return reportComparison({ id, title, unit, factor: 'of', comparesLevels: true }, measured);
}

function simulated(brokerCounts: readonly number[]): ComparisonReport {
  const measured = brokerCounts.flatMap((brokerCount): Measured[] => {
    const { mean, busiestAtFirst, busiestLater } = simulateSweeps({ brokerCount, ...day });
    const level = `${brokerCount.toLocaleString('en')} brokers`;
    return [
      { level, name: 'on average', rounds: [[mean]] },
      { level, name: 'busiest second', rounds: [[busiestLater]] },
      { level, name: 'busiest second after a start of all', rounds: [[busiestAtFirst]] },
    ];
  });
  return compare('scale-listings', 'Calls of listings that one bucket gets', 'calls/s', measured);
}

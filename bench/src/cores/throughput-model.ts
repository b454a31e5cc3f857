import { quantile } from '../measure/statistics.ts';

/** The processor time of a page, in milliseconds. */
export interface PageCost {
  /** That of the main thread while other threads encode. */
  readonly mainMs: number;
  /** That of all threads. */
  readonly allMs: number;
}

/**
 * Returns the pages per second that a server can serve on a number of cores of its own: a page
 * takes `allMs` of the cores together, and `mainMs` of the one that runs the main thread.
 */
function pagesPerSecondOf({ mainMs, allMs }: PageCost, cores: number): number {
  return Math.min((1000 * cores) / allMs, 1000 / mainMs);
}

const coreCounts = [1, 2, 4, 8, 16];

/** Describes in one line how the measured costs of a page scale with the number of cores. */
export function describeModel(level: string, costs: readonly PageCost[]): string {
  const cost = {
    mainMs: median(costs.map(({ mainMs }) => mainMs)),
    allMs: median(costs.map(({ allMs }) => allMs)),
  };
  const counts = coreCounts.map(
    (cores) => `${cores}: ${Math.round(pagesPerSecondOf(cost, cores))}`,
  );
  return (
    `Model, ${level}: pages a second by cores ${counts.join(', ')}; the main thread is the limit from ` +
    `${(cost.allMs / cost.mainMs).toFixed(1)} cores on.`
  );
}

function median(values: readonly number[]): number {
  return quantile(
    values.toSorted((one, other) => one - other),
    0.5,
  );
}

import { seededRandom } from '../measure/seeded-random.ts';

export type AccessPattern = 'random' | 'sequential' | 'backward' | 'zipf' | 'same';

/**
 * Enough pages to exceed Quire's cache of hot batches (32 MiB by default) when they are far apart:
 * a random walk gets no hits there, and neither do its rivals in theirs, except in the operating
 * system's.
 */
const offsetCount = 64;

/**
 * The first rows of the pages that a reader requests, in order; identical for the same arguments.
 */
export function pageOffsets(
  pattern: AccessPattern,
  rowCount: number,
  pageRowCount: number,
): readonly number[] {
  const last = Math.max(0, rowCount - pageRowCount);
  const random = seededRandom(rowCount + pageRowCount);
  const steps = Array.from({ length: offsetCount }, (_, index) => index);
  switch (pattern) {
    case 'same':
      return [Math.floor(last / 2)];
    case 'random':
      return steps.map(() => Math.floor(random() * (last + 1)));
    case 'sequential':
      return steps.map((step) => Math.min(last, step * pageRowCount));
    case 'backward':
      return steps.map((step) => Math.max(0, last - step * pageRowCount));
    case 'zipf': {
      // The page of rank r is requested 1/r times as often as the first; ranks are scattered over
      // the result.
      const pageCount = Math.max(1, Math.floor(rowCount / pageRowCount));
      return Array.from({ length: offsetCount * 4 }, () => {
        const rank = Math.floor(Math.exp(random() * Math.log(pageCount + 1)));
        return Math.min(last, ((rank * 37) % pageCount) * pageRowCount);
      });
    }
  }
}

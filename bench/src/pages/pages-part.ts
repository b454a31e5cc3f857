import { type ComparisonReport, runComparison } from '../measure/comparison.ts';
import type { Part } from '../measure/part.ts';
import { compareOffsets, comparePatterns, compareRowCounts } from './compare-positions.ts';
import { compareLimits } from './compare-limits.ts';
import { compareRivals } from './compare-rivals.ts';
import {
  compareFormats,
  comparePageSizes,
  compareTables,
  compareTransfers,
} from './compare-shapes.ts';
import { compareReaders, compareStores, compareThroughput } from './compare-components.ts';
import { PageStage } from './page-stage.ts';

const pageComparisons = [
  compareRivals,
  compareLimits,
  compareOffsets,
  compareRowCounts,
  comparePageSizes,
  compareTables,
  compareFormats,
  compareTransfers,
  comparePatterns,
  compareReaders,
  compareThroughput,
  compareStores,
];

/**
 * Compares pages over HTTP on loopback with other ways to serve the same rows; one factor is varied
 * at a time.
 */
export const pagesPart: Part = {
  name: 'pages',
  title: 'Page reads over HTTP',
  async run(context) {
    await using stage = new PageStage(context);
    const comparisons: ComparisonReport[] = [];
    for (const prepare of pageComparisons) {
      const comparison = await prepare(stage);
      const { roundCount } = stage.sizes;
      // The base case gets more time: enough samples for a 99th percentile.
      const sliceMs = stage.sizes.sliceMs * (prepare === compareRivals ? 2.5 : 1);
      const onSlice = (index: number, count: number): void =>
        context.progress(`${comparison.title}: ${Math.round((100 * index) / count)} %`);
      comparisons.push(await runComparison(comparison, { count: roundCount, sliceMs, onSlice }));
    }
    return { comparisons, notes: stage.notes };
  },
};

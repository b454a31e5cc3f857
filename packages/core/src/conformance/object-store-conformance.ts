import { endingCases } from './abort-conformance.ts';
import { type CaseLimits, describeCases } from './conformance-case.ts';
import { keyCases } from './key-conformance.ts';
import { listingCases } from './list-conformance.ts';
import { modelCases } from './model-conformance.ts';
import { readingCases } from './read-conformance.ts';
import type { OpenStoreFixture, StoreCase } from './store-fixture.ts';
import { writingCases } from './write-conformance.ts';

/** How much `describeObjectStore` tries. */
export interface ConformanceOptions extends CaseLimits {
  /** Random sequences of calls to try. */
  readonly modelRunCount?: number;
  /** The number of objects in the longest listing, more than two pages of any server by default. */
  readonly longListingCount?: number;
}

/** Returns a case for every sentence of the port `ObjectStore`, for runners of your own. */
export function objectStoreCases({
  modelRunCount = 25,
  longListingCount = 2500,
}: ConformanceOptions = {}): readonly StoreCase[] {
  return [
    ...keyCases,
    ...readingCases,
    ...writingCases,
    ...listingCases(longListingCount),
    ...endingCases,
    ...modelCases(modelRunCount),
  ];
}

/**
 * Holds a store to every sentence of the port `ObjectStore`; a new backend passes itself to this.
 */
export function describeObjectStore(
  name: string,
  open: OpenStoreFixture,
  options: ConformanceOptions = {},
): void {
  describeCases(name, objectStoreCases(options), open, options);
}

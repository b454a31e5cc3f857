import { endingCases } from './abort-conformance.ts';
import { type CaseLimits, describeCases } from './conformance-case.ts';
import { keyCases } from './key-conformance.ts';
import { listingCases } from './list-conformance.ts';
import { modelCases } from './model-conformance.ts';
import { readingCases } from './read-conformance.ts';
import type { OpenStoreFixture, StoreCase } from './store-fixture.ts';
import { writingCases } from './write-conformance.ts';

/** The amount of work that `describeObjectStore` does. */
export interface ConformanceOptions extends CaseLimits {
  /** The number of random call sequences. */
  readonly modelRunCount?: number;
  /** The number of objects in the longest listing; the default exceeds two pages of any server. */
  readonly longListingCount?: number;
}

/** Returns one case for each sentence of the port `ObjectStore`, for other test runners. */
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
 * Tests a store against every sentence of the port `ObjectStore`. A new backend is passed to this
 * function.
 */
export function describeObjectStore(
  name: string,
  open: OpenStoreFixture,
  options: ConformanceOptions = {},
): void {
  describeCases(name, objectStoreCases(options), open, options);
}

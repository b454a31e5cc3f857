import { describe } from 'vitest';
import { describeEnding } from './abort-conformance.ts';
import { describeKeys } from './key-conformance.ts';
import { describeListing } from './list-conformance.ts';
import { describeModel } from './model-conformance.ts';
import { describeReading } from './read-conformance.ts';
import type { OpenStoreFixture } from './store-fixture.ts';
import { describeWriting } from './write-conformance.ts';

export interface ConformanceOptions {
  /** Random sequences of calls to try. */
  readonly modelRunCount?: number;
}

/** Holds a store to every sentence of the port `ObjectStore`; a new backend hands itself to this. */
export function describeObjectStore(name: string, open: OpenStoreFixture, { modelRunCount = 25 }: ConformanceOptions = {}): void {
  describe(name, () => {
    describeKeys(open);
    describeReading(open);
    describeWriting(open);
    describeListing(open);
    describeEnding(open);
    describeModel(open, modelRunCount);
  });
}

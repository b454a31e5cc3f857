import type { ObjectStore } from '../object-store.ts';
import type { ConformanceCase } from './conformance-case.ts';

/** A separate empty store for one test, with what the test may inspect of its internals. */
export interface StoreFixture extends AsyncDisposable {
  readonly store: ObjectStore;
  /**
   * Names the leftovers of failed writes: staged files, unfinished uploads, unused reservations.
   */
  leftovers(): Promise<readonly string[]>;
}

/** The requirements for the store of a test. */
export interface StoreFixtureOptions {
  /** The size at which a put must fail with STORE_FULL. Undefined: no limit. */
  readonly sizeMaxBytes?: number;
}

/** Opens an empty store. Each test opens and disposes its own. */
export type OpenStoreFixture = (options?: StoreFixtureOptions) => Promise<StoreFixture>;

/** A case for one sentence of the port `ObjectStore`. */
export type StoreCase = ConformanceCase<OpenStoreFixture>;

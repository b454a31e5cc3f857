import type { ObjectStore } from '../object-store.ts';
import type { ConformanceCase } from './conformance-case.ts';

/** An empty store of its own for one test, and what the test may know of its insides. */
export interface StoreFixture extends AsyncDisposable {
  readonly store: ObjectStore;
  /**
   * Names whatever is left of writes that failed: staged files, unfinished uploads, rooms that
   * nobody uses.
   */
  leftovers(): Promise<readonly string[]>;
}

/** What a store for a test must be like. */
export interface StoreFixtureOptions {
  /** Bytes after which a put must fail with STORE_FULL. Undefined: plenty. */
  readonly sizeMaxBytes?: number;
}

/** Opens an empty store. Each test opens its own, and disposes it. */
export type OpenStoreFixture = (options?: StoreFixtureOptions) => Promise<StoreFixture>;

/** A sentence of the port `ObjectStore`, to hold a store to. */
export type StoreCase = ConformanceCase<OpenStoreFixture>;

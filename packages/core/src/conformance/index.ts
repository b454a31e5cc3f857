export { type ConformanceOptions, describeObjectStore } from './object-store-conformance.ts';
export {
  describeQueryEngine,
  type EngineFixture,
  type EngineQueries,
  type OpenEngineFixture,
} from './query-engine-conformance.ts';
export { expectBytes, expectRejection } from './store-expectations.ts';
export type { OpenStoreFixture, StoreFixture, StoreFixtureOptions } from './store-fixture.ts';
export { inAllWrappers, inEachWrapper } from './wrapped-stores.ts';

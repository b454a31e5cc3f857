export type { CaseContext, CaseLimits, ConformanceCase } from './conformance-case.ts';
export {
  type ConformanceOptions,
  describeObjectStore,
  objectStoreCases,
} from './object-store-conformance.ts';
export { describeQueryEngine, queryEngineCases } from './query-engine-conformance.ts';
export type {
  EngineCase,
  EngineFixture,
  EngineQueries,
  OpenEngineFixture,
} from './query-engine-fixture.ts';
export { expectBytes, expectRejection } from './store-expectations.ts';
export type {
  OpenStoreFixture,
  StoreCase,
  StoreFixture,
  StoreFixtureOptions,
} from './store-fixture.ts';
export {
  describeTableEngine,
  type TableEngineConformanceOptions,
  tableEngineCases,
} from './table-engine-conformance.ts';
export type {
  OpenTableEngineFixture,
  TableEngineCase,
  TableEngineFixture,
} from './table-engine-fixture.ts';
export { inAllWrappers, inEachWrapper } from './wrapped-stores.ts';

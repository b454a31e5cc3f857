/* What data a version of a table stands for; apart from the engine, so that nothing of DuckDB is loaded for it. */
export { dataVersionOf, type VersionedTables } from './data-version.ts';

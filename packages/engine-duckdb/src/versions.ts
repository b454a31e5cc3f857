/* The version of a table's data, separate from the engine so that DuckDB is not loaded for it. */
export { dataVersionOf, type VersionedTables } from './data-version.ts';

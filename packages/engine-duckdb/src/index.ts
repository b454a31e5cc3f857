export { DuckDbEngine, type DuckDbEngineOptions } from './duckdb-engine.ts';
export type { DatabaseOptions } from './locked-database.ts';
export type { TableSource } from './table-source.ts';

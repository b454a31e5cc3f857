export { DuckDbEngine, type DuckDbEngineOptions, type ExecuteOptions } from './duckdb-engine.ts';
export type { DatabaseOptions } from './locked-database.ts';
export { type StatementLimits, statementLimits } from './statement-limits.ts';
export type { OpenTable, TableSource, TableFormat } from './table-source.ts';

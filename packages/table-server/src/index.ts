export { EmbeddedTableEngine, type EmbeddedTableEngineOptions } from './embedded-table-engine.ts';
export { DirectoryTables } from './queries/directory-tables.ts';

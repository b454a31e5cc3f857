export { EmbeddedTableEngine } from './embedded-table-engine.ts';
export type { EmbeddedTableEngineOptions } from './embedded-table-engine-options.ts';
export { DirectoryTables } from './queries/directory-tables.ts';
export type { ConsumerEvents } from './consumption/partition-consumer.ts';
export type { BadMessage } from './consumption/transform-messages.ts';

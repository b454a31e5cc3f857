import type { QueryEngineFactory } from '@quire/server';
import { DuckDbEngine } from '@quire/engine-duckdb';

/**
 * The example of packages/server/README.md: the embedded engine in the process of the broker, in
 * place of an engine of another developer.
 */
export const openQueryEngine: QueryEngineFactory = async (settings, { clock, tempDirectory }) =>
  DuckDbEngine.open({
    tables: settings.tables,
    memoryMaxBytes: settings.embedded.memoryBytesMax,
    threads: 1,
    spillDirectory: tempDirectory,
    spillMaxBytes: 0,
    statementLimits: settings.embedded,
    clock,
  });

import { MiB, systemClock, systemRandom } from '@quire/core';
import { DuckDbEngine } from '@quire/engine-duckdb';
import { openStream } from '@quire/streams';
import {
  DirectoryTables,
  EmbeddedTableEngine,
  type EmbeddedTableEngineOptions,
} from '@quire/table-server';

export interface EmbeddedTablesOptions extends Partial<EmbeddedTableEngineOptions> {
  readonly dataDirectory: string;
  /** The directory of the file streams. */
  readonly streamDirectory: string;
}

/** Opens a table engine on a directory, with the machine's own time. */
export function openEmbeddedTables({
  streamDirectory,
  ...options
}: EmbeddedTablesOptions): Promise<EmbeddedTableEngine> {
  return EmbeddedTableEngine.open({
    clock: systemClock,
    random: systemRandom,
    tenants: ['DefaultTenant'],
    host: 'localhost',
    finder: undefined,
    rowBytesMax: MiB,
    graceMs: 60_000,
    openStream: (config) => openStream(config, { fileDirectory: streamDirectory }),
    ...options,
  });
}

/**
 * Opens an engine for queries about the tables in a directory: as in another process, the directory
 * is all that it shares with their server.
 */
export function openTableQueries(
  dataDirectory: string,
  spillDirectory: string,
): Promise<DuckDbEngine> {
  const liveTables = new DirectoryTables(dataDirectory);
  return DuckDbEngine.open({
    tables: [],
    memoryMaxBytes: 256 * MiB,
    threads: 2,
    spillDirectory,
    spillMaxBytes: 0,
    clock: systemClock,
    liveDirectory: liveTables.rowDirectory,
    liveTables,
  });
}

import { stat } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { parseTableName } from '@quire/core/table-engine';
import type { OpenTable } from '@quire/engine-duckdb';
import { duckDbSettings } from '@quire/engine-duckdb/settings';
import type { FileIdentity, SharedVerification } from '@quire/table-server/queries';
import type { EngineKind, QuerySettings } from './engine-kind.ts';

/** Runs DuckDB in processes of this server, over files and over the tables of the table server. */
export const embeddedEngine: EngineKind = {
  ...duckDbSettings,
  readsResults: true,
  dialects: ['duckdb', 'pinot'],
  tablesRole: 'server',
  openQueryEngine: async (settings, { findings, call, clock }) => {
    const { DuckDbEngine } = await import('@quire/engine-duckdb');
    const {
      tables,
      query,
      store,
      engines: { embedded },
    } = settings;
    const shared: SharedVerification = {
      find: async (files) => (await call(verifiedCalls.find, files)) as readonly boolean[],
      add: async (files) => void (await call(verifiedCalls.add, files)),
    };
    const liveTables = await openLiveTables(settings, shared);
    const engine = await DuckDbEngine.open({
      tables: (findings as readonly OpenTable[] | undefined) ?? tables,
      // The limits for all queries together are divided by the maximum number of processes.
      memoryMaxBytes: Math.floor(embedded.memoryBytesMax / query.concurrencyMax),
      threads: threadCountOf(embedded),
      spillDirectory: store.tempDir,
      spillMaxBytes: Math.floor(embedded.spillBytesMax / query.concurrencyMax),
      statementLimits: embedded,
      clock,
      ...(liveTables && { liveTables, liveDirectory: liveTables.rowDirectory }),
    });
    return {
      engine,
      settled: () => engine.settled(),
      findings: engine.tables,
      directories: [engine.spillDirectory],
    };
  },
  // DuckDB's allocator has an arena per processor, and each retains what it freed for ten seconds.
  // Two threads can share one: that saves 25 MB of a query that reads a large table.
  variables: ({ engines: { embedded } }) => {
    const threads = Math.min(threadCountOf(embedded), availableParallelism());
    return { DUCKDB_JE_MALLOC_CONF: `narenas:${Math.ceil(threads / 2)}` };
  },
  warmUp: async (engine) => {
    const { warmUp } = await import('./warm-up.ts');
    await warmUp(engine);
  },
  openHandlers: async () => {
    const { VerificationHost } = await import('@quire/table-server/queries');
    // Processes are replaced over time: a file that one process has verified is not verified again
    // by the others.
    const verified = new VerificationHost();
    return {
      [verifiedCalls.find]: (files) => verified.find(files as readonly FileIdentity[]),
      [verifiedCalls.add]: (files) => verified.add(files as readonly FileIdentity[]),
    };
  },
  dataVersions: (settings, findings) => {
    const tables = findings as readonly OpenTable[];
    const load = once(async () => {
      const { dataVersionOf } = await import('@quire/engine-duckdb/versions');
      return { dataVersionOf, liveTables: await openLiveTables(settings) };
    });
    return async (names) => {
      const { dataVersionOf, liveTables } = await load();
      return dataVersionOf({ tables, ...(liveTables && { liveTables }) }, names);
    };
  },
  fileTables: (findings) => {
    const tables = findings as readonly OpenTable[];
    return () =>
      Promise.all(
        tables.map(async ({ name, rowCount, files }) => ({
          tableName: name,
          rowCount,
          sizeBytes: await sizeOfFiles(files),
          fileCount: files.length,
        })),
      );
  },
  listTables: (settings) => {
    const configured = settings.tables.map(({ name }) => name);
    const load = once(() => openLiveTables(settings));
    return async () => {
      // Where the tables are not known, their queries say so; the others can still be read.
      const names = (await (await load())?.listNames().catch(noneIfUnavailable)) ?? [];
      return [...new Set([...configured, ...names.map((name) => parseTableName(name).rawName)])];
    };
  },
  describeTables: ({ tables }) => tables.map(({ name }) => name).join(', ') || 'none',
  openTableEngine: async (live, context) => {
    const { openEmbeddedTables } = await import('./embedded-tables.ts');
    return openEmbeddedTables(live, context);
  },
};

async function noneIfUnavailable(error: unknown): Promise<readonly string[]> {
  const { isQuireError } = await import('@quire/core');
  if (isQuireError(error, 'STORE_UNAVAILABLE')) return [];
  throw error;
}

function threadCountOf({ threadCount }: QuerySettings['engines']['embedded']): number {
  return threadCount || availableParallelism();
}

/** The calls of engines to their parent process: the files that were verified. */
const verifiedCalls = { find: 'find verified files', add: 'add verified files' } as const;

/**
 * Opens the tables of the table server whose directory this process shares, whichever process it
 * runs in.
 */
async function openLiveTables(
  { tableServer: { dataDir } }: Pick<QuerySettings, 'tableServer'>,
  shared?: SharedVerification,
) {
  if (dataDir === undefined) return undefined;
  const { DirectoryTables } = await import('@quire/table-server/queries');
  return new DirectoryTables(dataDir, shared === undefined ? {} : { shared });
}

/** Returns a function that loads on its first call, because few processes ever call it. */
function once<Value>(load: () => Promise<Value>): () => Promise<Value> {
  let loaded: Promise<Value> | undefined;
  return () => (loaded ??= load());
}

/**
 * Returns the size of files. A missing file counts as empty: queries that read it report the error.
 */
async function sizeOfFiles(files: readonly string[]): Promise<number> {
  const sizes = await Promise.all(
    files.map(async (file) => {
      const found = await stat(file).catch(() => undefined);
      return found?.size ?? 0;
    }),
  );
  return sizes.reduce((sum, size) => sum + size, 0);
}

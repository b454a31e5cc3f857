import type { OpenTable } from '@quire/engine-duckdb';
import type { Settings } from '@quire/settings';
import type { QueryWorkersOptions } from '../workers/query/query-workers.ts';

/**
 * Tells which data tables have, in the process that answers calls: whether a result still is of
 * that data must take no process for queries. Undefined for engines that cannot tell.
 */
export function dataVersionsOf(
  { engine, tableServer: { dataDir } }: Pick<Settings, 'engine' | 'tableServer'>,
  tables: readonly OpenTable[],
): QueryWorkersOptions['dataVersion'] {
  if (engine.kind === 'pinot') return undefined;
  // Loaded by the first question: results are used again only where the settings say so.
  let loaded: Promise<NonNullable<QueryWorkersOptions['dataVersion']>> | undefined;
  const load = async (): Promise<NonNullable<QueryWorkersOptions['dataVersion']>> => {
    const { dataVersionOf } = await import('@quire/engine-duckdb/versions');
    if (dataDir === undefined) return (names) => dataVersionOf({ tables }, names);
    const { DirectoryTables } = await import('@quire/table-server/queries');
    const liveTables = new DirectoryTables(dataDir);
    return (names) => dataVersionOf({ tables, liveTables }, names);
  };
  return async (names) => (await (loaded ??= load()))(names);
}

import { parseTableName } from '@quire/core/table-engine';
import type { Settings } from '@quire/settings';

/**
 * Lists the tables that queries of a broker may read: those of the settings, and those that the
 * table server has at the moment of the call, by their raw names.
 */
export function tableNamesOf({
  engine,
  tables,
  tableServer: { dataDir },
}: Pick<Settings, 'engine' | 'tables' | 'tableServer'>): () => Promise<readonly string[]> {
  const configured = tables.map(({ name }) => name);
  if (engine.kind === 'pinot' || dataDir === undefined) return async () => configured;
  // Loaded by the first question, as few processes are ever asked.
  let loaded: Promise<{ listNames(): Promise<readonly string[]> }> | undefined;
  const load = async (): Promise<{ listNames(): Promise<readonly string[]> }> => {
    const { DirectoryTables } = await import('@quire/table-server/queries');
    return new DirectoryTables(dataDir);
  };
  return async () => {
    const live = await (await (loaded ??= load())).listNames();
    const names = live.map((name) => parseTableName(name).rawName);
    return [...new Set([...configured, ...names])];
  };
}

import { mkdir } from 'node:fs/promises';
import { pinotSettings } from '@quire/engine-pinot/settings';
import type { EngineKind } from './engine-kind.ts';

/** Runs queries and stores tables in an Apache Pinot cluster. */
export const pinotEngine: EngineKind = {
  ...pinotSettings,
  readsResults: false,
  dialects: ['pinot'],
  tablesRole: 'controller',
  openQueryEngine: async (settings, { clock, random }) => {
    const { PinotEngine } = await import('@quire/engine-pinot');
    const { pinotOptionsOf } = await import('./pinot-options.ts');
    const engine = new PinotEngine(await pinotOptionsOf(settings, { clock, random }));
    return { engine, settled: () => engine.settled(), directories: [] };
  },
  openProbe: async (settings, environment) => {
    const { PinotEngine } = await import('@quire/engine-pinot');
    const { pinotOptionsOf } = await import('./pinot-options.ts');
    return new PinotEngine(await pinotOptionsOf(settings, environment));
  },
  describeTables: ({ engines }) =>
    `those of Apache Pinot at ${engines.pinot.controllerUrls?.join(', ')}`,
  openTableEngine: async ({ current: settings }, { environment, logger }) => {
    const { dataDir: directory } = settings.tableServer;
    if (directory === undefined) {
      logger.warn(
        'engine.tables.data.dir is not set: the controller does not manage the tables of the cluster',
      );
      return undefined;
    }
    await mkdir(directory, { recursive: true });
    const { CheckedPinotTables } = await import('./checked-pinot-tables.ts');
    const { pinotOptionsOf } = await import('./pinot-options.ts');
    const engine = new CheckedPinotTables(await pinotOptionsOf(settings, environment));
    logger.info({ engine: engine.description }, 'controller manages the tables of a cluster');
    return { engine, directory, [Symbol.asyncDispose]: () => engine[Symbol.asyncDispose]() };
  },
};

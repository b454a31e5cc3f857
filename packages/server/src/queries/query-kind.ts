import { moduleBeside } from '@quire/core/process';
import type { Settings } from '@quire/settings';
import { engineKindOf } from '../engines/engine-kinds.ts';
import type { WorkerKind } from '../workers/worker-kind.ts';
import type { QuerySetup, QueryWork } from './query-work.ts';

/** Runs queries, and writes their results. */
export const workerKind: WorkerKind<QuerySetup, QueryWork, unknown> = {
  name: 'query',
  module: moduleBeside(import.meta.url, 'query-kind').href,
  setup: (settings) => ({ settings: querySettingsOf(settings), isFirst: true }),
  limits: (settings) => {
    const { query, workers } = settings;
    return {
      sizeMax: query.concurrencyMax,
      sizeMin: Math.min(workers.idleCountMin, query.concurrencyMax),
      idleMs: workers.idleMs,
      killGraceMs: workers.killGraceMs,
      memory: { maxBytes: workers.memoryBytesMax, setting: 'engine.broker.workers.memory.maxMB' },
      nodeFlags: ['--max-semi-space-size=2'],
      threadPoolSize: 8,
      variables: engineKindOf(settings).variables?.(settings),
    };
  },
  open: async (setup, host) => {
    const { openQueries } = await import('./run-queries.ts');
    return openQueries(setup, host);
  },
};

/** Returns only the settings that queries need, because others include secrets. */
function querySettingsOf(settings: Settings): QuerySetup['settings'] {
  const { engine, engines, tls, tables, tableServer, query } = settings;
  const { store, backends, storageClasses } = settings;
  const stores = { store, backends, storageClasses };
  return { ...stores, engine, engines, tls, tables, tableServer, query };
}

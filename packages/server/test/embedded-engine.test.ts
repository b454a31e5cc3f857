import { availableParallelism } from 'node:os';
import { loadSettings } from '@quire/settings';
import { expect, test } from 'vitest';
import { embeddedEngine } from '../src/engines/embedded-engine.ts';
import { workerKind } from '../src/queries/query-kind.ts';

test.for([1, 2, 1024])(
  'the processes of queries with %d threads have one arena of memory for every two of them',
  async (threadCount) => {
    const outcome = await loadSettings({
      environment: {},
      overrides: [`engine.duckdb.threads=${threadCount}`],
      workingDir: '/',
    });
    if (!outcome.ok) throw new Error(JSON.stringify(outcome.problems));
    const arenaCount = Math.ceil(Math.min(threadCount, availableParallelism()) / 2);
    expect(workerKind.limits(outcome.settings).variables).toEqual({
      DUCKDB_JE_MALLOC_CONF: `narenas:${arenaCount}`,
    });
  },
);

test('where the directory of the tables is missing, the configured ones are listed', async () => {
  const outcome = await loadSettings({
    environment: {},
    overrides: ['engine.table.days.path=days.csv', 'engine.tables.data.dir=missing'],
    workingDir: '/no/such/directory',
  });
  if (!outcome.ok) throw new Error(JSON.stringify(outcome.problems));
  expect(await embeddedEngine.listTables?.(outcome.settings)()).toEqual(['days']);
});

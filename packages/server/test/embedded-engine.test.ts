import { availableParallelism } from 'node:os';
import { loadSettings } from '@quire/settings';
import { expect, test } from 'vitest';
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

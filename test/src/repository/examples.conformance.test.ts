import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import {
  describeObjectStore,
  describeQueryEngine,
  type StoreFixture,
  type StoreFixtureOptions,
} from '@quire/core/conformance';
import { SqliteEngine } from '../../../examples/embedding/sqlite-engine.ts';
import { SqliteObjectStore } from '../../../examples/embedding/sqlite-store.ts';

async function openStore(options: StoreFixtureOptions = {}): Promise<StoreFixture> {
  const directory = await mkdtemp(join(tmpdir(), 'quire-sqlite-'));
  const path = join(directory, 'objects.db');
  const store = new SqliteObjectStore(path, options);
  return {
    store,
    leftovers: async () => {
      using database = new DatabaseSync(path, { readOnly: true });
      const rows = database.prepare('SELECT id FROM objects WHERE key IS NULL').all();
      const blocks = database
        .prepare('SELECT count(*) AS n FROM blocks WHERE object_id NOT IN (SELECT id FROM objects)')
        .get();
      return [
        ...rows.map((row) => `object ${String(row['id'])}`),
        ...(blocks?.['n'] === 0 ? [] : ['blocks of no object']),
      ];
    },
    [Symbol.asyncDispose]: async () => {
      await store[Symbol.asyncDispose]();
      await rm(directory, { recursive: true });
    },
  };
}

describeObjectStore('the example of a store, on SQLite', openStore, { modelRunCount: 10 });

const count = 'WITH RECURSIVE c(n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM c)';
const numbers = `${count} SELECT n FROM c LIMIT 100000`;

describeQueryEngine('the example of an engine, on SQLite', async () => {
  const engine = new SqliteEngine(':memory:');
  const queries = {
    numbers,
    noRows: `${count} SELECT n FROM c LIMIT 0`,
    endless: `${count} SELECT n FROM c`,
    parameter: 'SELECT ?',
    syntaxError: 'SELECT 1 FRM t',
    missingTable: 'SELECT * FROM nothing_of_that_name',
    missingColumn: 'SELECT nothing_of_that_name FROM sqlite_schema',
    runtimeFailure: `SELECT abs(CASE WHEN n < 90000 THEN n ELSE -9223372036854775807 - 1 END) AS n FROM (${numbers})`,
  };
  return { engine, queries, [Symbol.asyncDispose]: () => engine[Symbol.asyncDispose]() };
});

import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import duckdb from '@duckdb/node-bindings';
import { MiB, QuireError } from '@quire/core';
import { describe, expect, onTestFinished, test } from 'vitest';
import { type LockedDatabase, openLockedDatabase } from '../src/locked-database.ts';
import { QueryConnection } from '../src/query-connection.ts';
import { readRows } from '../src/read-rows.ts';
import { TestEngine } from './test-engine.ts';

/** Sorts about 80 MB that cannot be compressed much. */
const largeSort = `SELECT i, md5(CAST(i AS VARCHAR)) || md5(CAST(-i AS VARCHAR)) || md5(CAST(i + 0.5 AS VARCHAR)) AS s
  FROM range(700000) AS t(i) ORDER BY hash(i)`;

async function openEngine(memoryMaxBytes: number, spillMaxBytes: number): Promise<TestEngine> {
  const db = await TestEngine.open({ memoryMaxBytes, spillMaxBytes });
  onTestFinished(() => db[Symbol.asyncDispose]());
  return db;
}

describe('a query that needs more memory than there is', () => {
  test('a query that needs more memory than there is puts on disk what it can, and takes it away again', async () => {
    const db = await openEngine(64 * MiB, 1024 * MiB);
    const answer = await db.answer(`SELECT count(s) FROM (SELECT * FROM (${largeSort}) OFFSET 1)`);

    expect(answer.rows()).toEqual([['699999']]);
    const files = await readdir(join(db.directory, 'spill'), {
      recursive: true,
      withFileTypes: true,
    });
    expect(files.filter((file) => file.isFile())).toEqual([]);
  });

  test('a query that needs more memory than there is fails when the room on disk is full, too', async () => {
    const db = await openEngine(64 * MiB, 4 * MiB);
    const error = await db.failure(`SELECT count(s) FROM (SELECT * FROM (${largeSort}) OFFSET 1)`);

    expect(error.code).toBe('QUERY_LIMIT_EXCEEDED');
    expect(error.message).toMatch(
      /^Out of Memory Error: [^\n]*MiB used\)\. This is the query’s share of the disk space for intermediate data \(engine\.duckdb\.spill\.maxMB\)\.$/,
    );
    expect(error.message).not.toContain(db.directory);
  });

  test('a query that needs more memory than there is fails when there is no room on disk at all, and alone', async () => {
    const db = await openEngine(64 * MiB, 0);
    const [large, ...small] = await Promise.all([
      db.failure('SELECT list(i) FROM range(100000000) AS t(i)'),
      ...Array.from({ length: 8 }, () => db.answer('SELECT sum(i) FROM range(1000000) AS t(i)')),
    ]);

    expect(large.code).toBe('QUERY_LIMIT_EXCEEDED');
    expect(small.map((answer) => answer.rows())).toEqual(small.map(() => [['499999500000']]));
    expect(
      (
        await db.answer('SELECT count(*) FROM (SELECT DISTINCT i FROM range(100000) AS t(i))')
      ).rows(),
    ).toEqual([['100000']]);
  });
});

describe('an engine that closes', () => {
  test('an engine that closes leaves nothing on disk', async () => {
    const db = await TestEngine.open({ memoryMaxBytes: 64 * MiB, spillMaxBytes: 1024 * MiB });
    const execution = await db.execute(largeSort);
    expect((await readdir(join(db.directory, 'spill'))).length).toBe(1);
    await db.engine[Symbol.asyncDispose]();

    expect(await readdir(join(db.directory, 'spill'))).toEqual([]);
    await execution[Symbol.asyncDispose]();
    await db[Symbol.asyncDispose]();
  });
});

/** The unit in which DuckDB allocates memory. */
const blockBytes = 256 * 1024;

describe('a query that is stopped', () => {
  test('a query that is stopped before its first row leaves no memory, no file and no connection behind', async () => {
    const { locked, state } = await openDatabase();
    const before = await state();
    const connection = await QueryConnection.open(locked.database);
    const started = startStream(
      connection,
      'SELECT count(DISTINCT hash(i)) FROM range(1000000000000) AS t(i)',
    );
    started.catch(() => undefined);
    connection.stop(new QuireError('ABORTED', 'Enough.'));
    await connection.closed;

    await expect(started).rejects.toMatchObject({ code: 'ABORTED' });
    const after = await state();
    // DuckDB may hold less afterwards than before, because it returns memory of earlier queries, or
    // a few blocks more.
    expect({ ...after, bytes: 0 }).toEqual({ ...before, bytes: 0 });
    expect(after.bytes).toBeLessThanOrEqual(before.bytes + 4 * blockBytes);
  });

  test('a query that is stopped with its answer half read leaves no memory, no file and no connection behind', async () => {
    const { locked, state } = await openDatabase();
    const before = await state();
    const connection = await QueryConnection.open(locked.database);
    const result = await startStream(connection, largeSort);
    await connection.call(() => duckdb.fetch_chunk(result));
    const during = await state();
    connection.stop(new QuireError('ABORTED', 'Enough.'));
    await connection.closed;

    expect(during.files).toBeGreaterThan(0);
    expect(during.connections).toBe(before.connections + 1);
    const after = await state();
    // DuckDB may hold less afterwards than before, because it returns memory of earlier queries, or
    // a few blocks more.
    expect({ ...after, bytes: 0 }).toEqual({ ...before, bytes: 0 });
    expect(after.bytes).toBeLessThanOrEqual(before.bytes + 4 * blockBytes);
  });
});

interface DatabaseState {
  readonly files: number;
  readonly bytes: number;
  readonly connections: number;
}

async function openDatabase(): Promise<{
  locked: LockedDatabase;
  state: () => Promise<DatabaseState>;
}> {
  const db = await openEngine(64 * MiB, 0);
  const spillDirectory = join(db.directory, 'stopped');
  const locked = await openLockedDatabase({
    tables: [],
    memoryMaxBytes: 64 * MiB,
    threads: 2,
    spillDirectory,
    spillMaxBytes: 1024 * MiB,
  });
  const observer = await duckdb.connect(locked.database);
  onTestFinished(async () => {
    duckdb.disconnect_sync(observer);
    await locked.close();
  });
  const state = async (): Promise<DatabaseState> => {
    const [row] = await readRows(
      observer,
      `SELECT CAST((SELECT count(*) FROM duckdb_temporary_files()) AS INTEGER) AS files,
         CAST((SELECT sum(memory_usage_bytes) FROM duckdb_memory()) AS DOUBLE) AS bytes,
         CAST((SELECT count FROM duckdb_connection_count()) AS INTEGER) AS connections`,
    );
    return row as unknown as DatabaseState;
  };
  return { locked, state };
}

async function startStream(connection: QueryConnection, sql: string): Promise<duckdb.Result> {
  const statement = await connection.call((handle) => duckdb.prepare(handle, sql));
  return connection.call(() => duckdb.execute_prepared_streaming(statement));
}

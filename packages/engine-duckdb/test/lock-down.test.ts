import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import duckdb from '@duckdb/node-bindings';
import { MiB } from '@quire/core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openLockedDatabase } from '../src/locked-database.ts';
import { TestEngine } from './test-engine.ts';

let directory: string;
let db: TestEngine;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'quire-locked-'));
  await writeFile(join(directory, 'open.csv'), 'id,name\n1,one\n2,two\n');
  await writeFile(join(directory, 'secret.csv'), 'password\nhunter2\n');
  db = await TestEngine.open({
    tables: [{ name: 'open', path: join(directory, 'open.csv'), format: 'auto' }],
  });
});
afterAll(async () => {
  await db[Symbol.asyncDispose]();
  await rm(directory, { recursive: true });
});

/** `{dir}` stands for the directory of the tables' files. */
const inDirectory = (sql: string): string => sql.replaceAll('{dir}', directory);

/** Statements that must fail, each with its code. */
const attacks: Readonly<Record<string, readonly string[]>> = {
  TABLE_NOT_FOUND: [
    `FROM '/etc/passwd'`,
    `FROM '{dir}/secret.csv'`,
    `SELECT * FROM "{dir}/secret.csv"`,
    `FROM '{dir}/*.csv'`,
    `FROM 'https://example.com/x.parquet'`,
    `FROM 's3://bucket/x.parquet'`,
    `SELECT (SELECT password FROM '{dir}/secret.csv')`,
    `WITH a AS (FROM '{dir}/secret.csv') FROM a`,
    `DESCRIBE '{dir}/secret.csv'`,
    `SUMMARIZE '{dir}/secret.csv'`,
    `SELECT 1 FROM open WHERE EXISTS (FROM '{dir}/secret.csv')`,
    `FROM duckdb_views`,
    `FROM duckdb_databases`,
    `FROM duckdb_logs`,
    `FROM pg_views`,
    `FROM pg_catalog.pg_views`,
    `FROM pg_settings`,
    `FROM sqlite_master`,
    `FROM pragma_database_list`,
    `FROM information_schema.views`,
    `FROM system.main.duckdb_views`,
    `FROM system.information_schema.views`,
    `FROM temp.main.open`,
    `WITH duckdb_views AS (SELECT 1) FROM duckdb_views`,
    `SELECT (WITH hidden AS (SELECT 1) FROM hidden), * FROM hidden`,
    `WITH a AS (FROM b), b AS (SELECT 1) FROM a`,
    `WITH RECURSIVE "{dir}/secret.csv" AS (FROM "{dir}/secret.csv" UNION ALL FROM "{dir}/secret.csv") FROM "{dir}/secret.csv"`,
    `WITH RECURSIVE hidden AS (FROM hidden UNION ALL FROM hidden) FROM hidden`,
    `WITH "{dir}/[!É]*.csv" AS (SELECT 1) FROM "{dir}/[!é]*.csv"`,
    `WITH "É" AS (SELECT 1) FROM "é"`,
    `WITH "{dir}/secret.csv" AS (SELECT 1) FROM "{dir}/secret.csv"`,
    `WITH "x.CSV.gz" AS (SELECT 1) FROM "x.CSV.gz"`,
    `WITH "x.parquet?" AS (SELECT 1) FROM "x.parquet?"`,
    `WITH "x.json" AS (SELECT 1) FROM "x.json"`,
    `WITH "x.duckdb" AS (SELECT 1) FROM "x.duckdb"`,
    `SHOW threads`,
    `SELECT * FROM nosuch`,
  ],
  QUERY_INVALID: [
    `FROM read_csv('{dir}/secret.csv')`,
    `FROM read_csv('{dir}/open.csv')`,
    `FROM read_csv_auto('{dir}/secret.csv')`,
    `FROM read_text('/etc/passwd')`,
    `FROM read_blob('/etc/passwd')`,
    `FROM read_json('{dir}/secret.csv')`,
    `FROM read_ndjson_objects('{dir}/secret.csv')`,
    `FROM read_parquet('{dir}/x.parquet')`,
    `FROM parquet_scan('{dir}/x.parquet')`,
    `FROM parquet_metadata('{dir}/x.parquet')`,
    `FROM parquet_schema('{dir}/x.parquet')`,
    `FROM parquet_kv_metadata('{dir}/x.parquet')`,
    `FROM sniff_csv('{dir}/secret.csv')`,
    `FROM glob('{dir}/*')`,
    `FROM READ_TEXT('/etc/passwd')`,
    `FROM "read_text"('/etc/passwd')`,
    `FROM system.main.read_text('/etc/passwd')`,
    `FROM read_csv('https://example.com/x.csv')`,
    `SELECT * FROM open, LATERAL (FROM read_text('/etc/passwd'))`,
    `WITH RECURSIVE a(x) AS (SELECT 1 UNION ALL SELECT 2 FROM read_text('/etc/passwd')) FROM a`,
    `FROM query('SELECT * FROM read_text(''/etc/passwd'')')`,
    `FROM query_table('open')`,
    `FROM json_execute_serialized_sql(json_serialize_sql('FROM duckdb_settings()'))`,
    `SELECT json_serialize_plan('FROM open')`,
    `FROM histogram('duckdb_views', sql)`,
    `FROM sql_auto_complete('FROM ''/etc/')`,
    `FROM arrow_scan(0::POINTER, 0::POINTER, 0::POINTER)`,
    `FROM duckdb_settings()`,
    `FROM duckdb_secrets()`,
    `FROM duckdb_views()`,
    `FROM duckdb_tables()`,
    `FROM duckdb_databases()`,
    `FROM duckdb_extensions()`,
    `FROM duckdb_external_file_cache()`,
    `FROM duckdb_temporary_files()`,
    `FROM duckdb_variables()`,
    `FROM duckdb_logs()`,
    `FROM enable_logging()`,
    `FROM enable_profiling()`,
    `FROM checkpoint()`,
    `FROM pragma_database_size()`,
    `FROM pragma_storage_info('open')`,
    `FROM which_secret('x', 's3')`,
    `SELECT current_setting('temp_directory')`,
    `SELECT CURRENT_SETTING('allowed_paths')`,
    `SELECT x.current_setting() FROM (SELECT 'allowed_paths' AS x)`,
    `SELECT system.main.current_setting('allowed_paths')`,
    `SELECT 1 FROM open ORDER BY current_setting('threads')`,
    `SELECT list_transform(['threads'], lambda x: current_setting(x))`,
    `SELECT getenv('HOME')`,
    `SELECT pg_get_viewdef(0)`,
    `SELECT write_log('x')`,
    `SELECT sleep_ms(60000)`,
    `SELECT pg_sleep(60)`,
    `SELECT nextval('s')`,
    `SELECT __internal_decompress_string(1::HUGEINT)`,
    `SHOW DATABASES`,
    `SHOW VARIABLES`,
    `ATTACH '{dir}/x.db' AS x`,
    `DETACH memory`,
    `USE memory`,
    `COPY open TO '{dir}/stolen.csv'`,
    `COPY (SELECT 1) TO '{dir}/stolen.csv'`,
    `EXPORT DATABASE '{dir}/stolen'`,
    `IMPORT DATABASE '{dir}/stolen'`,
    `INSTALL httpfs`,
    `LOAD httpfs`,
    `SET threads = 1`,
    `RESET threads`,
    `SET VARIABLE x = 1`,
    `PRAGMA version`,
    `PRAGMA database_list`,
    `PRAGMA enable_profiling`,
    `CALL duckdb_settings()`,
    `CREATE TABLE t (i INTEGER)`,
    `CREATE TEMP TABLE t AS SELECT 1`,
    `CREATE VIEW v AS SELECT 1`,
    `CREATE MACRO m() AS 1`,
    `CREATE SECRET s (TYPE s3)`,
    `CREATE SEQUENCE s`,
    `DROP VIEW open`,
    `ALTER VIEW open RENAME TO closed`,
    `INSERT INTO open VALUES (3, 'three')`,
    `UPDATE open SET id = 3`,
    `DELETE FROM open`,
    `MERGE INTO open USING open AS o ON true WHEN MATCHED THEN DELETE`,
    `TRUNCATE open`,
    `VACUUM`,
    `CHECKPOINT`,
    `BEGIN`,
    `PREPARE p AS SELECT 1`,
    `EXECUTE p`,
    `EXPLAIN DROP VIEW open`,
    `EXPLAIN ANALYZE DROP VIEW open`,
    `EXPLAIN ANALYZE INSERT INTO open VALUES (3, 'three')`,
    `EXPLAIN EXPLAIN SELECT 1`,
    `EXPLAIN ANALYZE SELECT 1; DROP VIEW open`,
    `SELECT 1; SELECT 2`,
    `SELECT 1; DROP VIEW open`,
    `PIVOT open ON name USING sum(id)`,
    `SELECT ?`,
    `SELECT $1 + 1`,
    `SELECT * FROM open WHERE id = $id`,
    `SELECT '${'x'.repeat(MiB)}'`,
    `SELECT 1 IN (${'1, '.repeat(300_000)}1)`,
    `SELECT ${'('.repeat(50_000)}1${')'.repeat(50_000)}`,
    `SELECT ${'['.repeat(5000)}1${']'.repeat(5000)}`,
  ],
  QUERY_SYNTAX: [
    ``,
    `   `,
    `;`,
    `-- nothing`,
    `/* nothing */`,
    `selec 1`,
    `EXPLAIN (FORMAT json) SELECT 1`,
    `SELECT 'unterminated`,
    `SELECT 1 INTO t`,
    `WITH gone AS (DELETE FROM open RETURNING *) FROM gone`,
    `WITH added AS (INSERT INTO open VALUES (3, 'three') RETURNING *) FROM added`,
    `SELECT 1 \0; DROP VIEW open`,
    `SELECT 1${' + 1'.repeat(5000)}`,
  ],
};

describe('a query is refused', () => {
  for (const [code, queries] of Object.entries(attacks)) {
    test.each(queries.map((sql) => [sql.slice(0, 100).replace('\0', 'NUL'), sql]))(
      `a query is refused with ${code}: %s`,
      async (_, sql) => {
        const error = await db.failure(inDirectory(sql));

        expect(error.code).toBe(code);
        // The query itself names the path, so the message may repeat it.
        expect(error.message.includes(directory) && !sql.includes('{dir}')).toBe(false);
        expect(error.message).not.toContain('hunter2');
      },
    );
  }

  test('no refused query has written anything', async () => {
    expect(await readdir(directory)).toEqual(['open.csv', 'secret.csv']);
    expect((await db.answer('SELECT * FROM open ORDER BY id')).rows()).toEqual([
      ['1', 'one'],
      ['2', 'two'],
    ]);
  });
});

describe('a query may look at', () => {
  test.each([
    [`FROM open`, 2],
    [`FROM main.open`, 2],
    [`FROM memory.open`, 2],
    [`FROM memory.main."OPEN"`, 2],
    [`WITH open AS (SELECT * FROM open WHERE id = 1) FROM open`, 1],
    [
      `WITH RECURSIVE open AS (FROM open UNION ALL SELECT id + 2, name FROM open WHERE id < 3) FROM open`,
      4,
    ],
    [`WITH "v1.2" AS (SELECT 1), "É" AS (FROM "V1.2") FROM "É"`, 1],
    [`WITH a AS (SELECT 1), b AS (FROM a) SELECT (WITH a AS (SELECT 2) FROM a), * FROM b`, 1],
    [`DESCRIBE open`, 2],
    [`SUMMARIZE open`, 2],
    [`SHOW TABLES`, 1],
    [`SHOW ALL TABLES`, 1],
    [`SELECT table_name FROM information_schema.tables`, 1],
    [`SELECT column_name FROM information_schema.columns WHERE table_name = 'open'`, 2],
  ])('a query may look at: %s', async (sql, rowCount) => {
    const answer = await db.answer(sql);

    expect(answer.rowCount).toBe(rowCount);
    expect(JSON.stringify(answer.rows())).not.toContain(directory);
  });
});

describe('messages', () => {
  test('messages name the table where DuckDB names a file', async () => {
    const path = join(directory, 'changing');
    await mkdir(path);
    const file = join(path, 'changing.csv');
    await writeFile(file, 'id\n1\n2\n');
    await using other = await TestEngine.open({
      tables: [{ name: 'changing', path: join(path, '*.csv'), format: 'auto' }],
    });
    await writeFile(file, 'id\nnot a number\n');
    const bad = await other.failure('SELECT sum(id) FROM changing');
    await rm(path, { recursive: true });
    const gone = await other.failure('SELECT sum(id) FROM changing');

    expect(bad.code).toBe('QUERY_FAILED');
    expect(bad.message).toContain('table changing');
    expect(bad.message).not.toContain(directory);
    expect(gone.code).toBe('QUERY_FAILED');
    expect(gone.message).toContain('table changing');
    expect(gone.message).not.toContain(directory);
  });
});

describe('DuckDB itself, should a query get past the check,', () => {
  test.each([
    `SELECT * FROM read_text('/etc/passwd')`,
    `SELECT * FROM '{dir}/secret.csv'`,
    `SELECT * FROM '{dir}/live/../secret.csv'`,
    `SELECT * FROM glob('{dir}/*')`,
    `ATTACH '{dir}/x.db' AS x`,
    `COPY (SELECT 1) TO '{dir}/stolen.csv'`,
    `EXPORT DATABASE '{dir}/stolen'`,
    `INSTALL httpfs`,
    `LOAD httpfs`,
    `SELECT * FROM 'https://example.com/x.parquet'`,
    `SET enable_external_access = true`,
    `SET allowed_paths = ['/etc/passwd']`,
    `SET lock_configuration = false`,
  ])('DuckDB itself, should a query get past the check, refuses %s', async (sql) => {
    const spillDirectory = join(db.directory, 'spill');
    const tables = [{ name: 'open', path: join(directory, 'open.csv'), format: 'csv' as const }];
    const locked = await openLockedDatabase({
      tables,
      memoryMaxBytes: 64 * MiB,
      threads: 1,
      spillDirectory,
      spillMaxBytes: 0,
      liveDirectory: join(directory, 'live'),
    });
    const connection = await duckdb.connect(locked.database);
    try {
      await expect(duckdb.query(connection, 'FROM open')).resolves.toBeDefined();
      await expect(duckdb.query(connection, inDirectory(sql))).rejects.toThrow(
        /Permission|configuration has been locked|Not implemented/,
      );
    } finally {
      duckdb.disconnect_sync(connection);
      await locked.close();
    }
  });
});

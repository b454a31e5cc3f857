import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import duckdb from '@duckdb/node-bindings';
import { QuireError } from '@quire/core';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { parseStatement } from '../src/pinot/parse-query.ts';
import { type KnownRelations, QueryTranslator } from '../src/pinot/translate-query.ts';
import { statementLimits } from '../src/statement-limits.ts';
import { TestEngine } from './test-engine.ts';

/* Values of the dialect `pinot` for which the judge in test/src/pinot has no rows: columns of types
   that Apache Pinot does not have, and queries at the edges of the translation. */

let directory: string;
let db: TestEngine;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'quire-pinot-'));
  const path = join(directory, 'things.parquet');
  await writeParquet(
    path,
    `SELECT * FROM (VALUES
       (1, DATE '2024-02-29', TIMESTAMPTZ '2024-02-29 20:34:56+00', 4000000000::UINTEGER, 3::UBIGINT, 9007199254740993, [1, 2], ['a', 'b']),
       (2, DATE '2024-02-29', TIMESTAMPTZ '1969-12-31 23:00:00+00', 0::UINTEGER, 18446744073709551615::UBIGINT, 9007199254740992, [2, 2], ['a']),
       (3, NULL, NULL, NULL, NULL, NULL, [], NULL)
     ) t(id, day, tz, u32, u64, l, ints, words)`,
  );
  db = await TestEngine.open({ tables: [{ name: 'things', path, format: 'parquet' }] });
  db.dialect = 'pinot';
});
afterAll(async () => {
  await db[Symbol.asyncDispose]();
  await rm(directory, { recursive: true });
});

async function writeParquet(path: string, sql: string): Promise<void> {
  const database = await duckdb.open(':memory:', duckdb.create_config());
  const connection = await duckdb.connect(database);
  await duckdb.query(connection, `COPY (${sql}) TO '${path}' (FORMAT parquet)`);
  duckdb.disconnect_sync(connection);
  duckdb.close_sync(database);
}

describe('the size of a translation', () => {
  test('a scalar subquery is translated once, though it has an alias', () => {
    let sql = '(SELECT a FROM t)';
    for (let level = 0; level < 10; level += 1) sql = `(SELECT ${sql} AS a)`;
    const table = vi.fn<KnownRelations['table']>(() => ({
      name: 't',
      columns: [{ name: 'a', type: 'INT' }],
    }));
    const relations: KnownRelations = {
      table,
      tableNotFound: (name) => new QuireError('TABLE_NOT_FOUND', name),
      result: () => [],
    };
    new QueryTranslator(sql, relations, undefined, statementLimits).translate(
      parseStatement(`SELECT ${sql} AS a`).query,
    );
    expect(table).toHaveBeenCalledTimes(1);
  });

  test('a text that doubles with each level of nesting is refused before it exceeds the memory', async () => {
    let sql = 'id';
    for (let level = 0; level < 60; level += 1) sql = `MOD(${sql}, 3)`;
    const { code, message } = await db.failure(`SELECT ${sql} FROM things`);
    expect([code, message]).toEqual([
      'QUERY_INVALID',
      expect.stringMatching(/ of text once it is translated; at most 1 MiB are allowed/),
    ]);
  });

  test.each([
    ['operators', `SELECT 1${' + 1'.repeat(20_000)}`, 'too many operators'],
    ['predicates', `SELECT 1${' IS NULL'.repeat(20_000)}`, 'too many operators'],
    ['set operations', `SELECT 1${' UNION SELECT 1'.repeat(20_000)}`, 'set operations'],
    ['joins', `SELECT 1 FROM things${' JOIN things'.repeat(20_000)}`, 'too many operators, joins'],
    ['300 operators', `SELECT 1${' + 1'.repeat(300)}`, 'nested more than 250 levels deep'],
  ])('a long chain of %s is refused', async (_, sql, message) => {
    const failure = await db.failure(sql);
    expect([failure.code, failure.message]).toEqual([
      'QUERY_INVALID',
      expect.stringContaining(message),
    ]);
  });
});

import duckdb, { type Connection, type Database } from '@duckdb/node-bindings';
import { isQuireError } from '@quire/core';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readRows } from '../src/read-rows.ts';
import { checkStatement, foldName } from '../src/statement-guard.ts';
import { statementLimits } from '../src/statement-limits.ts';

/* DuckDB itself says which names of a query are not those of common table expressions. The check
   must find all of them: they are tables, or files. */

let database: Database;
let connection: Connection;
beforeAll(async () => {
  database = await duckdb.open(':memory:');
  connection = await duckdb.connect(database);
});
afterAll(() => {
  duckdb.disconnect_sync(connection);
  duckdb.close_sync(database);
});

const names = ['a', 'b', 'A', 'é', 'É'];
const tables = new Map(names.map((name) => [foldName(name), foldName(name)]));

/** Returns the names that DuckDB looks up outside of the query; undefined if it cannot be bound. */
function boundTables(sql: string): readonly string[] | undefined {
  try {
    const list = duckdb.get_table_names(connection, sql, false);
    const found = Array.from({ length: duckdb.get_list_size(list) }, (_, index) =>
      foldName(duckdb.get_varchar(duckdb.get_list_child(list, index))),
    );
    return [...new Set(found)].toSorted();
  } catch {
    return undefined;
  }
}

/** Returns the tables that the check finds in a query; undefined if it is refused. */
async function checkedTables(sql: string): Promise<readonly string[] | undefined> {
  const [row] = await readRows(connection, 'SELECT json_serialize_sql(?::VARCHAR) AS tree', sql);
  const { statements } = JSON.parse(String(row?.['tree'])) as {
    readonly statements?: readonly Record<string, unknown>[];
  };
  const [statement] = statements ?? [];
  if (statement === undefined) return undefined;
  try {
    const checked = await checkStatement(
      statement,
      { tables, results: new Set() },
      statementLimits,
    );
    return checked.tables;
  } catch (error) {
    if (isQuireError(error)) return undefined;
    throw error;
  }
}

test.each<readonly [sql: string, expected: readonly string[] | undefined]>([
  ['FROM a', ['a']],
  ['TABLE a', ['a']],
  ['DESCRIBE a', ['a']],
  ['SUMMARIZE a', ['a']],
  ['FROM main.a', ['a']],
  ['FROM (PIVOT a ON x IN (1) USING count(*))', ['a']],
  ['WITH a AS (SELECT 1) FROM A', []],
  ['WITH é AS (SELECT 1) FROM É', ['É']],
  ['WITH a AS (SELECT 1) FROM main.a', ['a']],
  ['WITH a AS (FROM a) FROM a', ['a']],
  ['WITH a AS MATERIALIZED (FROM a) FROM a', ['a']],
  ['WITH a AS (FROM b), b AS (SELECT 1) FROM a', ['b']],
  ['WITH a AS (SELECT 1), b AS (FROM a) FROM b', []],
  ['WITH a AS (SELECT 1) FROM (WITH a AS (FROM a) FROM a)', []],
  ['WITH a AS (SELECT 1) FROM (WITH b AS (FROM a), a AS (SELECT 2) FROM b)', []],
  ['SELECT (WITH a AS (SELECT 1) FROM a) FROM a', ['a']],
  ['FROM (WITH a AS (SELECT 1) FROM a) t, LATERAL (FROM a) u', ['a']],
  ['FROM (VALUES (1)) a, LATERAL (FROM a) u', ['a']],
  ['(WITH a AS (SELECT 1) FROM a) UNION ALL FROM a', ['a']],
  ['WITH a AS (SELECT 1) FROM a UNION ALL (FROM a)', []],
  ['WITH a AS (SELECT 1) VALUES ((FROM a))', []],
  ['WITH a AS (SELECT 1 AS x) FROM b ORDER BY (FROM a) LIMIT (FROM a)', ['b']],
  ['WITH RECURSIVE a AS (FROM a) FROM a', ['a']],
  ['WITH RECURSIVE a AS (SELECT 1 AS x UNION ALL FROM a) FROM a', []],
  ['WITH RECURSIVE a AS (FROM a UNION ALL FROM a) FROM a', ['a']],
  ['WITH RECURSIVE a AS ((FROM a) UNION FROM a) FROM a', ['a']],
  ['WITH RECURSIVE a AS (SELECT (FROM a) AS x UNION ALL FROM a) FROM a', ['a']],
  ['WITH RECURSIVE a(x) USING KEY (x) AS (FROM a UNION FROM a) FROM a', ['a']],
  ['WITH RECURSIVE a AS (FROM b UNION ALL FROM a), b AS (SELECT 1) FROM a', ['b']],
  ['WITH RECURSIVE b AS (SELECT 1 AS x), a AS (FROM b UNION ALL FROM a) FROM a', []],
  ['WITH RECURSIVE a AS (WITH b AS (FROM a) FROM b UNION ALL FROM a) FROM a', ['a']],
  ['WITH RECURSIVE b AS (SELECT 1 AS x), a AS (FROM b UNION ALL SELECT a.x FROM a, b) FROM a', []],
  ['FROM recurring.a', undefined],
  ["FROM query('FROM a')", undefined],
  ["FROM query_table('a')", undefined],
])('%s reads the tables %s', async (sql, expected) => {
  const checked = await checkedTables(sql);
  const bound = checked === undefined ? undefined : boundTables(sql);
  expect([checked, bound]).toEqual([expected, expected]);
});

/** Queries with common table expressions, whose only column is `x`. */
const queries = fc.letrec<
  Record<'name' | 'query' | 'select' | 'source' | 'value' | 'with', string>
>((tie) => {
  const name = fc.constantFrom(...names.map((each) => `"${each}"`));
  const text = (...parts: readonly (string | fc.Arbitrary<string>)[]): fc.Arbitrary<string> =>
    fc
      .tuple(...parts.map((part) => (typeof part === 'string' ? fc.constant(part) : part)))
      .map((texts) => texts.join(''));
  const some = (...choices: readonly fc.Arbitrary<string>[]): fc.Arbitrary<string> =>
    fc.oneof({ depthSize: 'small', withCrossShrink: true }, ...choices);
  const {
    query,
    select,
    source,
    value,
    with: withs,
  } = {
    query: tie('query'),
    select: tie('select'),
    source: tie('source'),
    value: tie('value'),
    with: tie('with'),
  };
  const union = fc.constantFrom(' UNION ', ' UNION ALL ');
  const expression = some(
    text(' AS (', query, ')'),
    text(' AS MATERIALIZED (', select, ')'),
    text('(x) AS (', select, union, select, ')'),
    text('(x) AS (', withs, select, union, '(', query, '))'),
  );
  return {
    name,
    source: some(
      name,
      text('(', query, ')'),
      text(source, ', ', source),
      text(name, ' CROSS JOIN (', query, ')'),
      text(name, ', LATERAL (', query, ')'),
      text('(PIVOT ', name, ' ON x IN (1) USING count(*))'),
      text('(SUMMARIZE ', name, ')'),
    ),
    value: some(
      fc.constant('1'),
      text('(SELECT count(*) FROM (', query, '))'),
      text('CASE WHEN EXISTS (', query, ') THEN 1 END'),
      text('list_sum(list_transform([1], lambda q: q + (SELECT count(*) FROM ', name, ')))'),
    ),
    select: some(
      text('SELECT 1 AS x FROM ', name),
      text('SELECT ', value, ' AS x FROM ', source),
      text('SELECT 1 AS x FROM ', source, ' WHERE ', value, ' = 1'),
    ),
    with: fc
      .tuple(
        fc.constantFrom('WITH ', 'WITH RECURSIVE '),
        fc.uniqueArray(fc.tuple(name, expression), {
          minLength: 1,
          maxLength: 3,
          selector: ([each]) => foldName(each),
          depthIdentifier: 'with',
        }),
      )
      .map(
        ([word, expressions]) => word + expressions.map((each) => each.join('')).join(', ') + ' ',
      ),
    query: some(
      select,
      text(withs, select),
      text(select, union, select),
      text(withs, '(', query, ') EXCEPT (', query, ')'),
      text(withs, 'FROM ', name),
      text(withs, 'SELECT x FROM ', name, ' ORDER BY (SELECT 1 FROM ', name, ' LIMIT 1)'),
    ),
  };
}).query;

test('the check finds every table that DuckDB looks up, whatever common table expressions hide', async () => {
  const compared: string[] = [];
  await fc.assert(
    fc.asyncProperty(queries, async (sql) => {
      const checked = await checkedTables(sql);
      const bound = boundTables(sql);
      if (checked === undefined || bound === undefined) return;
      compared.push(sql);
      // DuckDB does not look up the names in expressions that are never used.
      expect(bound.filter((name) => !checked.includes(name))).toEqual([]);
    }),
    { numRuns: 200 },
  );
  expect(compared.length).toBeGreaterThan(100);
});

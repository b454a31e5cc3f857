import duckdb, { type Result } from '@duckdb/node-bindings';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { assertPlanned, columnsOfResult, planColumns } from '../src/conversion/column-plan.ts';
import { bodyOf } from '../src/statement-text.ts';
import { TestEngine } from './test-engine.ts';

let db: TestEngine;
beforeAll(async () => {
  db = await TestEngine.open();
});
afterAll(() => db[Symbol.asyncDispose]());

const flights = "(VALUES (1, 'a'), (2, 'b'), (3, NULL)) flights(delay, origin)";

/** Literals whose type DuckDB's own form of a query changes, and statements of all kinds. */
test.each([
  `SELECT delay * 1e3 AS a, delay + 0.5e0 AS b, 12345678.9e0 AS c FROM ${flights} WHERE ? = 1`,
  `SELECT [delay * 1e0] AS a, {'x': 1e0, 'y': [2e0]} AS b FROM ${flights} WHERE ? = 1`,
  'SELECT i + 1e10 AS a FROM range(2048) t(i) WHERE ? = 1',
  'SELECT 0.1e0 + 0.2e0 = 0.3e0 AS a, to_days(?) AS b',
  'SELECT 5. AS a, .5 AS b, 1.50 AS c, 1_000 AS d, 0.5 AS e, 123456789012345678901234567890123456789012 AS f, ? AS g',
  'SELECT coalesce(NULL, 1e0) AS a, round(2.5e0) AS b, [1e0, 2] AS c, -0.0e0 AS d, 1e-3 AS e, ? AS f',
  `SELECT sum(1e0) AS a, avg(delay) + 1e0 AS b, sum(delay) AS c FROM ${flights} WHERE ? = 1`,
  `SELECT DISTINCT origin, ? AS n FROM ${flights} ORDER BY origin DESC NULLS LAST LIMIT 2`,
  'SELECT NULL AS a, ? AS b',
  'VALUES (?, 1e0), (2, 3e0)',
  'FROM range(3) t(i) WHERE i >= ?',
  'FROM range(3) t(i) SELECT i + 1e0 AS a WHERE i >= ? ORDER BY 1 DESC',
  'WITH RECURSIVE r(n) AS (SELECT 1e0 UNION ALL SELECT n + ? FROM r WHERE n < 5) SELECT * FROM r',
  'WITH c AS MATERIALIZED (SELECT ? AS z) FROM c',
  `PIVOT (SELECT delay, origin FROM ${flights} WHERE delay > ?) ON origin IN ('a', 'b') USING sum(delay * 1e0)`,
  'UNPIVOT (SELECT ? AS a, 2 AS b) ON a, b INTO NAME n VALUE v',
  'SELECT ? AS a UNION ALL SELECT 1e0 ORDER BY 1 DESC',
  'SELECT ? AS a UNION ALL BY NAME SELECT 1e0 AS b ORDER BY b',
  "SELECT 'it''s; -- no comment' AS a, $$;!$$ AS b, E'\\';' AS c, $x$ $$ ; $x$ AS d, \"e;\" AS e, ? AS f FROM (SELECT 1 AS \"e;\"); -- ; the end",
  '/* ; /* nested ; */ */ SELECT 1e0 AS a, ? AS b /* ; */ ; ; -- ;',
  ';; SELECT 1e0 AS a, ? AS b',
  'SELECT 1e0 AS a, ? AS b -- the end',
])('a parameter changes no type and no value beside it: %s', async (sql) => {
  const answer = await db.answer(sql, [{ type: 'INT', value: 1 }]);
  const literal = await db.answer(sql.replaceAll('?', 'CAST(1 AS INTEGER)'));
  expect([answer.columns, answer.rows()]).toEqual([literal.columns, literal.rows()]);
  expect(answer.rows().length).toBeGreaterThan(0);
});

test.each([
  ['SELECT 1', 'SELECT 1'],
  ['SELECT 1; ', 'SELECT 1'],
  [' ;; SELECT 1 -- a;\n; -- b', '    SELECT 1 -- a;\n'],
  ["/* a */ ; -- b\n; SELECT ';'", "/* a */   -- b\n  SELECT ';'"],
  ["SELECT ';', E'\\';', \";\", $$;$$, $a$;$$;$a$, /* ; /* ; */ ; */ 1;", undefined],
  ["SELECT ? LIKE\u00a0E'\\';'; -- the space is one of a document", "SELECT ? LIKE\u00a0E'\\';'"],
  ['SELECT x$1, name$;', 'SELECT x$1, name$'],
  ["SELECT 'a", "SELECT 'a"],
  ['SELECT 1 /* a', 'SELECT 1 /* a'],
  ['', ''],
  [';', ' '],
])('the body of %j has no semicolon that ends it', (sql, body = sql.slice(0, -1)) => {
  expect(bodyOf(sql)).toBe(body);
});

test('an answer of other types or columns than were planned is not read', async () => {
  const connection = await duckdb.connect(await duckdb.open(':memory:'));
  const columnsOf = async (sql: string) => {
    const result: Result = await duckdb.query(connection, sql);
    return columnsOfResult(result);
  };
  const plan = planColumns(await columnsOf('SELECT 1, 1000.0'));
  assertPlanned(await columnsOf('SELECT 2, 3000.0'), plan);
  const other = await columnsOf('SELECT 1, 1e3');
  expect(() => assertPlanned(other, plan)).toThrow(
    'Column 2 of the answer has the type DOUBLE, but DECIMAL(5,1) was planned.',
  );
  const more = await columnsOf('SELECT 1, 1000.0, 1');
  expect(() => assertPlanned(more, plan)).toThrow('Column 3 of the answer');
  duckdb.disconnect_sync(connection);
});

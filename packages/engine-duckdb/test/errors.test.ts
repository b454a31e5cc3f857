import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parseFailure, queryError } from '../src/duckdb-error.ts';
import { TestEngine } from './test-engine.ts';

let db: TestEngine;
beforeAll(async () => {
  db = await TestEngine.open();
});
afterAll(() => db[Symbol.asyncDispose]());

const lateFailure = (expression: string): string =>
  `SELECT CASE WHEN i = 1000000 THEN ${expression} ELSE 'fine' END FROM range(2000000) AS t(i)`;

describe('a query fails', () => {
  test.each([
    ['SELECT 1 FRM t', 'QUERY_SYNTAX', 'Parser Error: syntax error at or near "t"'],
    [
      'SELECT nosuch FROM range(1) AS t(i)',
      'COLUMN_NOT_FOUND',
      'The query has no column "nosuch" in its FROM clause. The nearest are: i.',
    ],
    [
      'SELECT t.nosuch FROM range(1) AS t(i)',
      'COLUMN_NOT_FOUND',
      '"t" does not have a column named "nosuch"',
    ],
    ['SELECT nosuch', 'COLUMN_NOT_FOUND', 'The query has no column "nosuch" in its FROM clause.'],
    [
      'SELECT x.i FROM range(1) AS t(i)',
      'QUERY_INVALID',
      'The query has no table "x" in its FROM clause. The nearest are: t.',
    ],
    ['SELECT nosuch(1)', 'QUERY_INVALID', 'Scalar Function with name nosuch does not exist!'],
    [
      `SELECT length(1)`,
      'QUERY_INVALID',
      `No function matches the given name and argument types 'length(INTEGER_LITERAL)'`,
    ],
    [
      'SELECT i, sum(i) FROM range(1) AS t(i)',
      'QUERY_INVALID',
      'must appear in the GROUP BY clause',
    ],
    [
      `SELECT CAST('x' AS INTEGER)`,
      'QUERY_FAILED',
      `Conversion Error: Could not convert string 'x' to INT32`,
    ],
    [
      'SELECT 9223372036854775807 + i FROM range(1, 2) AS t(i)',
      'QUERY_FAILED',
      'Out of Range Error: Overflow in addition of INT64',
    ],
    [`SELECT error('on purpose')`, 'QUERY_FAILED', 'on purpose'],
    [
      'SELECT (SELECT i FROM range(2) AS t(i))',
      'QUERY_FAILED',
      'More than one row returned by a subquery',
    ],
    [lateFailure(`error('on purpose')`), 'QUERY_FAILED', 'on purpose'],
    [
      lateFailure(`CAST(CAST('x' || i AS INTEGER) AS VARCHAR)`),
      'QUERY_FAILED',
      `Could not convert string 'x1000000' to INT32`,
    ],
    [
      `SELECT to_days(1), v FROM (${lateFailure(`error('on purpose')`)}) AS t(v)`,
      'QUERY_FAILED',
      'on purpose',
    ],
    ['SELECT sum(1) EXPORT_STATE', 'UNSUPPORTED_COLUMN_TYPE', 'Cannot cast AGGREGATE_STATE'],
  ])('a query fails: %s: %s', async (sql, code, message) => {
    const error = await db.failure(sql);

    expect({ code: error.code, message: error.message }).toEqual({
      code,
      message: expect.stringContaining(message) as string,
    });
  });

  test('a query fails with the place in the query that is wrong', async () => {
    const short = await db.failure('SELECT 1,\n  nosuch\nFROM range(1)');
    const long = await db.failure(
      `SELECT '${'é'.repeat(100)}', nosuch, '${'x'.repeat(100)}' FROM range(1)`,
    );

    expect(short.message.split('\n').slice(-2)).toEqual(['LINE 2:   nosuch', '          ^']);
    expect(long.message.split('\n').slice(-2)).toEqual([
      `LINE 1: ...${'é'.repeat(47)}', nosuch, '${'x'.repeat(21)}...`,
      `${' '.repeat(61)}^`,
    ]);
  });

  test('a query fails with the functions that there are, indented without tabs', async () => {
    const { message } = await db.failure('SELECT date_trunc(1, 2, 3)');

    expect(message).toContain(
      '\n  Candidate functions:\n  date_trunc(VARCHAR, DATE) -> TIMESTAMP\n',
    );
    expect(message).not.toMatch(/\t|\n\n\n/);
  });

  test.each([
    [
      `SELECT CAST('a\n${'b'.repeat(3000)}\nc' AS INTEGER)`,
      `Could not convert string 'a…' to INT32`,
    ],
    [`SELECT * FROM ${'t'.repeat(5000)}`, `Table ${'t'.repeat(120)}… does not exist.`],
    [`SELECT ${'f'.repeat(5000)}(1)`, `Scalar Function with name ${'f'.repeat(400)}`],
    [
      `SELECT "${'c'.repeat(5000)}" FROM range(1)`,
      `The query has no column "${'c'.repeat(119)}…" in its FROM clause`,
    ],
    [`SELECT error('${'e\n'.repeat(5000)}')`, 'Invalid Input Error: e'],
    [`SELECT * FROM read_csv('${'x'.repeat(5000)}')`, 'the table function read_csv'],
  ])('a query fails and repeats no more than a line of the query: %.40s', async (sql, message) => {
    const error = await db.failure(sql);
    expect(error.message).toContain(message);
    expect(error.message.length).toBeLessThan(1100);
  });

  test('a query does not fail for a number that is too large for a double', async () => {
    const answer = await db.answer(
      `SELECT 1e309, -1e309, '"a\\": Infinity', i < 1e400 FROM range(1) AS t(i)`,
    );
    expect(answer.rows()).toEqual([['inf', '-inf', '"a\\": Infinity', 'true']]);
  });

  test('a query fails in mid-stream, after the rows before: the answer never looks complete', async () => {
    await using execution = await db.execute(lateFailure(`error('on purpose')`));
    let rowCount = 0;
    const reading = (async () => {
      for await (const batch of execution.batches) rowCount += batch.numRows;
    })();

    await expect(reading).rejects.toMatchObject({
      code: 'QUERY_FAILED',
      message: 'Invalid Input Error: on purpose',
    });
    expect(rowCount).toBeGreaterThan(0);
    expect(rowCount).toBeLessThanOrEqual(1_000_000);
  });

  test('a query fails in mid-stream, and not when it is run again', async () => {
    // Fails once in about a million rows, so rarely twice in the same row, and sometimes not the
    // second time.
    const error = await db.failure(
      `SELECT CASE WHEN random() < 0.000001 THEN error('now and then') END FROM range(20000000)`,
    );

    expect(error.code).toBe('QUERY_FAILED');
  });

  test('a query fails and the next one is answered', async () => {
    await db.failure('SELECT nosuch');
    await db.failure(lateFailure(`error('on purpose')`));

    expect((await db.answer('SELECT 1')).rows()).toEqual([['1']]);
  });
});

describe('an error of the bindings', () => {
  test('an error of the bindings that is not JSON is read as text', () => {
    expect(parseFailure(new Error('Invalid Input Error: no\nmore'))).toEqual({
      type: 'Invalid Input',
      message: 'no\nmore',
      subtype: '',
      entryType: '',
      position: undefined,
    });
    expect(parseFailure('anything').type).toBe('Unknown');
    expect(parseFailure(new Error('{"exception_type": cut')).message).toBe(
      '{"exception_type": cut',
    );
  });

  test('the advice of DuckDB to run SET, which is refused, is replaced by the setting', () => {
    const failure = parseFailure(
      new Error(
        'Out of Memory Error: failed to allocate data of size 32.0 MiB (500.0 MiB/512.0 MiB used)\n\nPossible solutions:\n* Reducing the number of threads (SET threads=X)',
      ),
    );
    expect(queryError(failure, 'running', (message) => message).message).toBe(
      'Out of Memory Error: failed to allocate data of size 32.0 MiB (500.0 MiB/512.0 MiB used). This is the query’s share of the memory for queries (engine.duckdb.memory.maxMB).',
    );
  });

  test.each([
    ['Out of Memory', 'QUERY_LIMIT_EXCEEDED'],
    ['INTERNAL', 'INTERNAL'],
    ['FATAL', 'INTERNAL'],
    ['Permission', 'QUERY_FAILED'],
    ['Not implemented', 'QUERY_INVALID'],
  ] as const)('an error of the bindings of type %s has the code %s', (type, code) => {
    const failure = {
      type,
      message: 'secret/path',
      subtype: '',
      entryType: '',
      position: undefined,
    };
    const error = queryError(failure, 'planning', (message) =>
      message.replace('secret/path', 'table t'),
    );

    expect(error.code).toBe(code);
    expect(error.message).toContain(`${type} Error: table t`);
  });
});

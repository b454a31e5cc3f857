import { fileURLToPath } from 'node:url';
import { MiB } from '@quire/core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { TestEngine } from './test-engine.ts';

/* The dialect `pinot`. The judge in test/src/pinot compares values with Apache Pinot's. These tests
   need no judge: refusals, names of columns, and queries of tools. */

let db: TestEngine;
beforeAll(async () => {
  const path = fileURLToPath(
    new URL('../../../node_modules/vega-datasets/data/airports.csv', import.meta.url),
  );
  // With little memory, so that a query that needs more is not long in asking for it.
  const memoryMaxBytes = 128 * MiB;
  const tables = [{ name: 'Airports', path, format: 'auto' }] as const;
  db = await TestEngine.open({ tables, memoryMaxBytes });
  db.dialect = 'pinot';
});
afterAll(() => db[Symbol.asyncDispose]());

const times = `(VALUES (TIMESTAMP '2024-02-29 12:34:56.789', 1709210096789), (TIMESTAMP '1969-12-31 23:59:59.5', -500)) t(ts, ms)`;

test.each(['-- all\r', '// all\n', '// all\r', '/* all */'])(
  'a comment of Apache Pinot ends where it does there: %j',
  async (comment) => {
    const answer = await db.answer(`SELECT iata FROM airports ${comment} WHERE iata = 'JFK'`);
    expect(answer.rows()).toEqual([['JFK']]);
  },
);

describe('a query as clients of Apache Pinot write it', () => {
  test.each([
    // The grains of Superset's engine for Pinot, over timestamps and over milliseconds.
    [
      `SELECT CAST(DATE_TRUNC('hour', CAST(ms AS TIMESTAMP)) AS TIMESTAMP) FROM ${times}`,
      ['2024-02-29 12:00:00', '1969-12-31 23:00:00'],
    ],
    [
      `SELECT CAST(ROUND(DATE_TRUNC('minute', CAST(ts AS TIMESTAMP)), 300000) AS TIMESTAMP) FROM ${times}`,
      ['2024-02-29 12:30:00', '1970-01-01 00:00:00'],
    ],
    [
      `SELECT DATETIMECONVERT(ms, '1:MILLISECONDS:EPOCH', '1:HOURS:EPOCH', '1:DAYS') FROM ${times}`,
      ['474768', '0'],
    ],
    [
      `SELECT DATETIMECONVERT(ms, 'EPOCH|MILLISECONDS|1', 'SIMPLE_DATE_FORMAT|yyyyMMdd HH:mm|Asia/Tokyo', '15:MINUTES') FROM ${times}`,
      ['20240229 21:30', '19700101 08:45'],
    ],
    [`SELECT DATETRUNC('DAY', ms) FROM ${times}`, ['1709164800000', '-86400000']],
    [
      `SELECT DATETRUNC('week', ms, 'MILLISECONDS', 'Europe/Berlin', 'SECONDS') FROM ${times} LIMIT 1`,
      ['1708902000'],
    ],
    [
      `SELECT TODATETIME(ms, 'yyyy-MM-dd''T''HH:mm:ss.SSS') FROM ${times}`,
      ['2024-02-29T12:34:56.789', '1969-12-31T23:59:59.500'],
    ],
    [`SELECT FROMDATETIME('29.02.2024', 'dd.MM.yyyy', 'Europe/Berlin')`, ['1709161200000']],
    [`SELECT count(*) FROM ${times} WHERE ms < ago('P1DT2H') AND ts < now() - 86400000`, ['2']],
    ['SELECT `iata` FROM `airports` ORDER BY "iata" LIMIT 1, 2', ['00R', '00V']],
    [
      `SET useMultistageEngine = true; SELECT COUNT(*) FROM default.airports OPTION(timeoutMs=9000, x = 'y')`,
      ['3376'],
    ],
    [
      `SELECT 'LIMIT 1, 2 OPTION(a=1)' /* ROUND(now(), 5000) */ AS "x.y" -- LIMIT 7, 7`,
      ['LIMIT 1, 2 OPTION(a=1)'],
    ],
    [`SELECT - - 5 + 1, 'a' || 'b'`, ['6']],
    ['SELECT CAST(1e20 AS STRING)', ['1.0E20']],
    ['SELECT CAST(12345678.9 AS STRING)', ['1.23456789E7']],
    ['SELECT CAST(0.000123 AS STRING)', ['1.23E-4']],
    ['SELECT CAST(100.0 AS STRING)', ['100.0']],
    [
      `SELECT CASE WHEN SQRT(SQRT(LN(LOG10(SQRT(SQRT(latitude * latitude + 1) + 2) + 3) + 4) + 5) + 6) > 0 THEN 1 END FROM airports LIMIT 1`,
      ['1'],
    ],
  ])('a query as clients of Apache Pinot write it is answered: %s', async (sql, cells) => {
    expect((await db.answer(sql)).column(0)).toEqual(cells);
  });

  test('a query as clients of Apache Pinot write it names columns by what was typed, and gives sums, averages and decimals as DOUBLE', async () => {
    const answer = await db.answer(
      `SELECT state, count( * ), SUM(latitude), avg(latitude) AS mean, 1.5, now() - 5, airports.city
       FROM airports GROUP BY state, city LIMIT 1`,
    );
    expect(answer.columns).toEqual([
      'state: Utf8',
      'count( * ): Int64',
      'SUM(latitude): Float64',
      'mean: Float64',
      '1.5: Float64',
      'now() - 5: Float64',
      'city: Utf8',
    ]);
  });

  test('a query as clients of Apache Pinot write it has a plan', async () => {
    const answer = await db.answer(
      'EXPLAIN PLAN FOR SELECT state, SUM(latitude) FROM airports WHERE latitude > 1 GROUP BY state LIMIT 0, 5',
    );
    expect(answer.columns).toEqual(['Operator: Utf8', 'Operator_Id: Int32', 'Parent_Id: Int32']);
    expect(answer.column(2)).toEqual(['-1', ...answer.column(1).slice(0, -1)]);
  });

  test('a query as clients of Apache Pinot write it is bound to its parameters, by their types', async () => {
    const answer = await db.answer('SELECT COUNT(*), ? / 2 FROM airports WHERE state = ?', [
      { type: 'INT', value: 7 },
      { type: 'STRING', value: 'AK' },
    ]);
    expect(answer.rows()).toEqual([['263', '3.5']]);
  });

  test('a query as clients of Apache Pinot write it has one meaning, whatever else is in it', async () => {
    const expressions = [
      'ROUND(1234567, 1000)',
      'SUBSTR(city, 1, 3)',
      'CAST(7/2 AS LONG)',
      "STRPOS(city, 'a')",
    ];
    for (const expression of expressions) {
      const plain = `SELECT ${expression} FROM airports ORDER BY iata LIMIT 1`;
      const others = [
        plain.replace('airports', 'default.airports'),
        `${plain} OPTION(timeoutMs=1000)`,
        `SELECT ${expression} FROM airports ORDER BY iata LIMIT 0, 1`,
      ];
      const [value] = (await db.answer(plain)).column(0);
      for (const sql of others) {
        expect([sql, (await db.answer(sql)).column(0)]).toEqual([sql, [value]]);
      }
    }
  });
});

describe('a query that cannot be answered is refused in its own words', () => {
  test.each([
    [
      'SELECT nothing FROM airports',
      'COLUMN_NOT_FOUND',
      "Column 'nothing' does not exist. The columns are iata, name",
    ],
    ['SELECT latitude AS x FROM airports WHERE x > 1', 'COLUMN_NOT_FOUND', "Column 'x'"],
    [
      'SELECT * FROM nowhere',
      'TABLE_NOT_FOUND',
      'Table nowhere does not exist. There is Airports.',
    ],
    ['SELECT a FROM other.airports', 'TABLE_NOT_FOUND', 'other.airports'],
    ['SELECT DATETRNC(1)', 'QUERY_INVALID', "has no function 'DATETRNC'"],
    ['SELECT list_value(1)', 'QUERY_INVALID', "has no function 'list_value'"],
    ["SELECT read_text('/etc/passwd')", 'QUERY_INVALID', "has no function 'read_text'"],
    ["SELECT * FROM read_csv('/etc/passwd')", 'QUERY_SYNTAX', 'found ‘(’ at line 1, column 23'],
    ['SELECT state FRM airports', 'QUERY_SYNTAX', 'found ‘airports’ at line 1, column 18'],
    ['SELECT state\nFROM airports WHERE', 'QUERY_SYNTAX', 'the query ends at line 2, column 20'],
    ['SELECT 1; SELECT 2', 'QUERY_SYNTAX', 'expected the end of the query'],
    ["SELECT 'open", 'QUERY_SYNTAX', 'at line 1, column 8'],
    ['DROP TABLE airports', 'QUERY_SYNTAX', 'expected SELECT'],
    ['SELECT UPPER()', 'QUERY_INVALID', 'UPPER has 0 arguments; expected 1.'],
    ['SELECT CAST(1 AS WORD)', 'QUERY_INVALID', '‘WORD’ is not a type'],
    [`SELECT TODATETIME(0, 'yyyy ww')`, 'QUERY_INVALID', 'no format for ‘ww’'],
    [`SELECT AGO('P1')`, 'QUERY_INVALID', '‘P1’ is not a duration'],
    ["SELECT DATETRUNC('DAYISH', 1)", 'QUERY_INVALID', "'DAYISH' of DATETRUNC is not a unit"],
    [
      "SELECT COUNT(*) FROM airports WHERE latitude = 'north'",
      'QUERY_INVALID',
      "'north' is used as a number",
    ],
    ['SELECT state, COUNT(*) FROM airports', 'QUERY_INVALID', 'must appear in the GROUP BY clause'],
    ['SELECT 1 FROM airports GROUP BY 3', 'QUERY_INVALID', '3 is not the position of a column'],
    ['SET enableNullHandling = false; SELECT 1', 'QUERY_INVALID', 'enableNullHandling is false'],
    [`SELECT ${'('.repeat(300)}1${')'.repeat(300)}`, 'QUERY_SYNTAX', 'nested more than'],
  ])(
    'a query that cannot be answered is refused in its own words: %s',
    async (sql, code, message) => {
      const failure = await db.failure(sql);
      expect([failure.code, failure.message]).toEqual([code, expect.stringContaining(message)]);
      expect(failure.message).not.toMatch(/LINE|Candidate|Did you mean|epoch_ms|"Airports"\./);
    },
  );

  test('a long text of digits with a letter is refused, without trying each of its divisions', async () => {
    const { code } = await db.failure(`SELECT '${'1'.repeat(400_000)}x' + 1`);
    expect(code).toBe('QUERY_INVALID');
  });

  const notNumber = (text: string) =>
    `The text '${text}' is used as a number, but is not a number.`;
  const quoted = (text: string) => `The text "${text}" is used as a number, but is not a number.`;
  const outOfRange = (value: string, type: string) =>
    `The value ${value} is out of range for ${type}.`;
  const calendar = 'the calendar of the embedded engine';

  test.each([
    ['SELECT CAST(city AS INT) FROM airports', quoted('Bay Springs')],
    ["SELECT CAST('abc' AS LONG)", quoted('abc')],
    ["SELECT CAST('abc' AS BIG_DECIMAL)", quoted('abc')],
    ["SELECT CAST('abc' AS TIMESTAMP)", `The text "abc" is used as a timestamp`],
    ["SELECT CAST(a AS TIMESTAMP) FROM (VALUES ('2024-13-45')) t(a)", 'used as a timestamp'],
    ['SELECT CAST(3000000000 AS INT)', outOfRange('3000000000', 'INT')],
    ['SELECT CAST(latitude * 1e300 AS INT) FROM airports', 'is out of range for LONG.'],
    ['SELECT CAST(a AS LONG) FROM (VALUES (1e30)) t(a)', outOfRange('1e+30', 'LONG')],
    [
      'SELECT CAST(1/0 AS INT)',
      'The value inf of a calculation cannot be converted to a whole number.',
    ],
    [
      'SELECT INTDIV(1, 0)',
      'The value inf of a calculation cannot be converted to a whole number.',
    ],
    ['SELECT iata FROM airports LIMIT 99999999999999999999', 'is out of range for LONG.'],
    ['SELECT city + 1 FROM airports', notNumber('Bay Springs')],
    ['SELECT SUM(city) FROM airports', notNumber('Bay Springs')],
    ['SELECT ABS(city) FROM airports', notNumber('Bay Springs')],
    ["SELECT SUBSTR(city, 'a') FROM airports", quoted('a')],
    ['SELECT a.iata FROM airports a JOIN airports b ON a.latitude = b.city', 'used as a number'],
    ["SELECT JSON_EXTRACT_SCALAR(city, '$.a', 'INT') FROM airports", 'is used as JSON'],
    [`SELECT JSON_EXTRACT_SCALAR('{"a":"x"}', '$.a', 'INT')`, quoted('x')],
    ["SELECT REGEXP_LIKE(city, '(') FROM airports", 'expression is not valid: missing ): ('],
    ["SELECT REGEXP_LIKE(city, state || '[') FROM airports", 'expression is not valid: missing ]'],
    ["SELECT REGEXP_EXTRACT(city, '(?<') FROM airports", 'expression is not valid: invalid perl'],
    ["SELECT REGEXP_REPLACE(city, '*', '') FROM airports", 'expression is not valid: no argument'],
    ["SELECT REGEXP_LIKE(city, 'a\\') FROM airports", 'expression is not valid: it ends with'],
    ['SELECT REPEAT(city, 1000000000) FROM airports', 'exceeds the maximum length of texts'],
    ["SELECT CAST('99999999999999999999' AS LONG)", outOfRange('99999999999999999999', 'LONG')],
    [`SELECT SUM(CAST('"x"' AS JSON)) FROM airports`, 'is used as a number'],
    ["SELECT iata FROM airports WHERE city LIKE 'a\\'", 'ends with its escape character'],
    [
      "SELECT FROMDATETIME(city, 'yyyy-MM-dd') FROM airports",
      'does not match the date-time format',
    ],
    ["SELECT TODATETIME(1, 'yyyy', 'Nowhere/At')", "The time zone 'Nowhere/At' is not known."],
    ["SELECT DATETRUNC('day', 9223372036854775807)", calendar],
    ["SELECT TIMESTAMPADD('YEAR', 9000000, LENGTH(city)) FROM airports", calendar],
    ['SELECT FROMEPOCHDAYS(9223372036854775807)', 'of a calculation is out of range for LONG.'],
    ['SELECT HEXTOBYTES(city) FROM airports', 'A text with ‘y’'],
    ['SELECT FROMBASE64(city) FROM airports', 'is not Base64'],
    ['SELECT CHR(-1)', 'CHR has no character for -1.'],
    ['SELECT (SELECT city FROM airports)', 'A scalar subquery'],
    ['SELECT a FROM (VALUES (1), (2, 3)) t(a)', 'different numbers of columns'],
    ["SELECT * FROM result('nope')", 'result takes the id of a stored result'],
    ["SELECT LPAD(city, 150000000, 'x') FROM airports", 'needs more memory'],
    ['SELECT iata FROM airports WHERE COUNT(*) > 1', 'WHERE clause cannot contain aggregates'],
  ])(
    'a query that cannot be answered is refused in its own words at run time, too: %s',
    async (sql, message) => {
      const failure = await db.failure(sql);
      expect(failure.message).toContain(message);
      expect(failure.message).not.toMatch(
        /LINE|SELECT|Error:|Candidate|Did you mean|SET |INT\d|DECIMAL|DOUBLE|Timestamp\(|%Y|quire_|\n/,
      );
      expect(failure.code).not.toBe('INTERNAL');
    },
  );
});

describe('in the dialect duckdb nothing is translated', () => {
  beforeAll(() => {
    db.dialect = 'duckdb';
  });
  afterAll(() => {
    db.dialect = 'pinot';
  });

  test.each([
    ['SELECT typeof(now())', ['TIMESTAMP WITH TIME ZONE']],
    ['SELECT round(1234567, 2000)', ['1234567']],
    ['SELECT CAST(7/2 AS LONG)', ['4']],
    [`SELECT "default".x FROM (SELECT {'x': 1} AS "default")`, ['1']],
    [`SELECT date_trunc('day', DATE '2024-02-29')`, ['2024-02-29 00:00:00']],
    ['SELECT 1 AS option FROM range(1) ago', ['1']],
  ])('in the dialect duckdb nothing is translated: %s', async (sql, cells) => {
    expect((await db.answer(sql)).column(0)).toEqual(cells);
  });

  test.each([
    ['SELECT DATETIMECONVERT(1, 1, 1, 1)', 'QUERY_INVALID'],
    ['SELECT DISTINCTCOUNT(state) FROM airports', 'QUERY_INVALID'],
    ['SELECT iata FROM airports LIMIT 1, 2', 'QUERY_SYNTAX'],
    ['SELECT iata FROM airports OPTION(timeoutMs=1)', 'QUERY_SYNTAX'],
    ['SELECT iata FROM "default".airports', 'TABLE_NOT_FOUND'],
  ])('in the dialect duckdb nothing is translated: %s is refused', async (sql, code) => {
    expect((await db.failure(sql)).code).toBe(code);
  });

  test('a table goes by its name with type as well', async () => {
    expect((await db.answer('SELECT count(*) FROM airports_OFFLINE')).column(0)).toEqual(['3376']);
  });
});

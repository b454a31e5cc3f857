import { isQuireError, MiB, type NamedRows, type QueryExecution, QuireError } from '@quire/core';
import { ManualClock } from '@quire/core/testing';
import { Field, Float16, Int32, Schema, Utf8 } from 'apache-arrow';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Answer, TestEngine } from './test-engine.ts';

const id = '01a20251-2772-7786-91d8-f77fbbe6b612';
let db: TestEngine;
beforeAll(async () => {
  db = await TestEngine.open();
});
afterAll(() => db[Symbol.asyncDispose]());

/** Returns the answer of a query in the form of a stored result's rows. */
async function storedRows(sql: string, requestId = id): Promise<NamedRows> {
  const { fields, batches } = await db.answer(sql);
  return {
    requestId,
    schema: new Schema([...fields]),
    rowCount: batches.reduce((sum, { numRows }) => sum + numRows, 0),
    async *read() {
      for (const { numRows, data } of batches) yield { rowCount: numRows, columns: data.children };
    },
  };
}

async function ask(sql: string, ...results: readonly NamedRows[]): Promise<Answer> {
  await using execution = await db.engine.execute(
    { sql },
    { limits: { timeoutMs: 240_000 }, results },
  );
  const batches = [];
  for await (const batch of execution.batches) batches.push(batch);
  return new Answer(execution.schema.fields, batches);
}

async function failureOf(sql: string, ...results: readonly NamedRows[]): Promise<QuireError> {
  try {
    await ask(sql, ...results);
  } catch (error) {
    if (isQuireError(error)) return error;
    throw error;
  }
  throw new Error(`This must fail: ${sql}`);
}

/**
 * Every kind of value that a result may hold, with nulls in between, over more rows than a chunk
 * has.
 */
const everything = `
  SELECT i AS n, i % 3 = 0 AS flag, CAST(i % 100 AS TINYINT) AS tiny, CAST(i AS SMALLINT) AS small, CAST(i % 9 AS UTINYINT) AS utiny,
    CAST(i AS UBIGINT) + 18446744073709540000 AS ubig, CAST(i AS UINTEGER) AS uint, i * 1000000000000 AS big,
    CAST(i AS HUGEINT) * 34028236692093846346337460743176821 AS huge, CAST(i AS BIGNUM) * 1 AS digits, i / 7 AS double, CAST(i / 7 AS FLOAT) AS float,
    CAST(i % 999 AS DECIMAL(4,1)) AS d4, CAST(-i AS DECIMAL(9,2)) AS d9, CAST(-i AS DECIMAL(18,4)) AS d18, CAST(-i AS DECIMAL(30,10)) AS d30,
    CASE WHEN i % 5 = 0 THEN NULL ELSE repeat('é', i % 20) END AS text, CAST('ab' || chr(CAST(i % 7 AS INTEGER)) AS BLOB) AS bytes,
    DATE '2020-01-01' + CAST(i AS INTEGER) AS day, TIME '00:00:00' + to_seconds(i) AS clock, TIMESTAMP '2020-01-01' + to_seconds(i) AS stamp,
    CAST(TIMESTAMP '2020-01-01' + to_seconds(i) AS TIMESTAMP_S) AS stamp_s, CAST(TIMESTAMP '2020-01-01' + to_seconds(i) AS TIMESTAMP_MS) AS stamp_ms,
    CAST(TIMESTAMP '2020-01-01' + to_seconds(i) AS TIMESTAMP_NS) AS stamp_ns, CAST(TIMESTAMP '2020-01-01' + to_seconds(i) AS TIMESTAMPTZ) AS stamp_tz,
    CAST(md5(CAST(i AS TEXT)) AS UUID) AS uuid, CAST('{"a": ' || i || '}' AS JSON) AS json,
    CASE WHEN i % 4 = 0 THEN NULL ELSE range(i % 5) END AS list, [[i], NULL, [NULL, i]] AS lists,
    CAST(CASE WHEN i % 6 = 0 THEN NULL ELSE [i, NULL, i + 1] END AS BIGINT[3]) AS trio,
    CASE WHEN i % 7 = 0 THEN NULL ELSE {'a': i, 'b': CASE WHEN i % 2 = 0 THEN 'a text that is long' END, 'c': [i]} END AS pair,
    CASE WHEN i % 8 = 0 THEN NULL ELSE MAP {'k' || i: i, 'a key that is quite long': NULL} END AS map, NULL AS nothing
  FROM range(5000) t(i)`;

describe('a query over a stored result', () => {
  test('a query over a stored result of long texts does not hold all of them outside its memory', async () => {
    await using small = await TestEngine.open({ memoryMaxBytes: 64 * MiB, spillMaxBytes: 0 });
    const { fields, batches } = await db.answer("SELECT repeat('x', 1000000) AS s");
    let batchCount = 0;
    const rows: NamedRows = {
      requestId: id,
      schema: new Schema([...fields]),
      rowCount: 200,
      async *read() {
        for (; batchCount < 200; batchCount += 1) {
          yield { rowCount: 1, columns: batches[0]?.data.children ?? [] };
        }
      },
    };
    const query = { sql: `FROM result('${id}')` };
    await expect(
      small.engine.execute(query, { limits: { timeoutMs: 240_000 }, results: [rows] }),
    ).rejects.toThrow(/^Out of Memory Error: .*\(engine\.duckdb\.memory\.maxMB\)\.$/);
    // Without a limit, 204,800 rows would be read before the first is moved to DuckDB's memory.
    expect(batchCount).toBeLessThan(150);
  });

  test('a query over a stored result reads the rows that were stored, of every type', async () => {
    const rows = await storedRows(everything);
    const [before, after] = [await db.answer(everything), await ask(`FROM result('${id}')`, rows)];
    expect(after.fields.map(String)).toEqual(before.fields.map(String));
    expect(after.fields.map(({ metadata }) => [...metadata])).toEqual(
      before.fields.map(({ metadata }) => [...metadata]),
    );
    expect(after.rows()).toEqual(before.rows());
  });

  test('a query over a stored result with a LIMIT has the first rows, without sorting them by their place', async () => {
    const rows = await storedRows('SELECT i FROM range(5000) t(i)');
    const sql = `FROM result('${id}') LIMIT 4000`;
    const plan = (await ask(`EXPLAIN ${sql}`, rows)).column(0) as string[];
    expect(plan.join(' ')).toContain('STREAMING_LIMIT');
    expect(plan.join(' ')).not.toContain('ORDER_BY');
    expect((await ask(sql, rows)).column(0)).toEqual(
      Array.from({ length: 4000 }, (_, i) => `${i}`),
    );
  });

  test('a query over a stored result filters, sorts, groups and joins as over a table of the same rows', async () => {
    const flights = `SELECT i, i % 97 AS origin, hash(i) % 1000 AS delay FROM range(20000) t(i)`;
    const rows = await storedRows(flights);
    const other = await storedRows(
      'SELECT i, i * 2 AS twice FROM range(100) t(i)',
      id.replace('01', '02'),
    );
    for (const shape of [
      'SELECT * FROM $ WHERE delay < 20 ORDER BY delay DESC, i LIMIT 50',
      'SELECT origin, count(*), avg(delay), max(i) FROM $ GROUP BY ALL ORDER BY ALL',
      'SELECT * FROM $ AS a JOIN $ AS b USING (i) WHERE i < 10 ORDER BY ALL',
      'WITH late AS (FROM $ WHERE delay > 900) SELECT count(*) FROM late WHERE i IN (SELECT i FROM $ WHERE origin = 5)',
    ]) {
      const over = (relation: string): string => shape.replaceAll('$', relation);
      const expected = await db.answer(over(`(${flights})`));
      expect((await ask(over(`result('${id}')`), rows)).rows()).toEqual(expected.rows());
    }
    const joined = `SELECT sum(twice) FROM Result('${id.toUpperCase()}') JOIN result('${other.requestId}') USING (i)`;
    expect((await ask(joined, rows, other)).rows()).toEqual([['9900']]);
  });

  test('a query over a stored result gives columns of the same name names of their own, and an empty result no rows', async () => {
    const rows = await storedRows('SELECT 1 AS a, 2 AS A, 3 AS "a_1" WHERE false');
    const answer = await ask(`FROM result('${id}')`, rows);
    expect([answer.fields.map(({ name }) => name), answer.rows()]).toEqual([
      ['a', 'A_1', 'a_1_1'],
      [],
    ]);
  });

  test.each([
    `FROM result('${id.replace('b', 'c')}')`,
    `FROM result('${id}', 1)`,
    `FROM result('${id}' || '')`,
    `FROM result($1)`,
    `FROM result((SELECT '${id}'))`,
    `FROM "rows ${id}"`,
    `FROM "result ${id}"`,
    `FROM temp."result ${id}"`,
    `FROM query_table('result ${id}')`,
    `SELECT result('${id}')`,
  ])('a query over a stored result reads nothing by %s', async (sql) => {
    const { code } = await failureOf(sql, await storedRows('SELECT 1 AS n'));
    expect(['QUERY_INVALID', 'TABLE_NOT_FOUND', 'QUERY_FAILED', 'QUERY_SYNTAX']).toContain(code);
  });

  test('a query over a stored result takes no more memory than queries may, and room for what it spills', async () => {
    const piece = await storedRows('SELECT i, i * 7 AS j FROM range(20000) t(i)');
    // 128 MB in all.
    const rows = {
      requestId: id,
      schema: piece.schema,
      rowCount: 8_000_000,
      async *read() {
        for (let count = 0; count < 400; count += 1) yield* piece.read({});
      },
    };
    await using small = await TestEngine.open({ memoryMaxBytes: 64 * MiB });
    await using without = await TestEngine.open({ memoryMaxBytes: 64 * MiB, spillMaxBytes: 0 });
    const start = (of: TestEngine): Promise<QueryExecution> =>
      of.engine.execute(
        { sql: `SELECT sum(j) AS s FROM result('${id}')` },
        { limits: { timeoutMs: 240_000 }, results: [rows] },
      );
    await using execution = await start(small);
    for await (const { data } of execution.batches) {
      expect(data.children[0]?.values[0]).toBe(559972000000n);
    }
    await expect(start(without)).rejects.toMatchObject({ code: 'QUERY_LIMIT_EXCEEDED' });
  });

  test('a query over a stored result leaves nothing for the next query', async () => {
    const rows = await storedRows('SELECT 1 AS n');
    expect((await ask(`SHOW ALL TABLES`)).rows()).toEqual([]);
    expect((await ask(`FROM result('${id}')`, rows)).rows()).toEqual([['1']]);
    expect((await failureOf(`FROM result('${id}')`)).message).toContain("result('01a2…')");
    expect((await ask(`SHOW ALL TABLES`)).rows()).toEqual([]);
  });

  test('a query over a stored result is described by its columns, without reading a row', async () => {
    const rows = await storedRows("SELECT 1 AS n, 'x' AS t");
    const read = (): never => {
      throw new Error('It must not be read.');
    };
    const { schema, parameterTypes } = await db.engine.describe(
      {
        sql: `SELECT t, sum(n) AS s FROM result('${id}') WHERE n > ? GROUP BY t`,
        parameters: [{ type: 'NULL', value: null }],
      },
      { limits: { timeoutMs: 240_000 }, results: [{ ...rows, read }] },
    );
    expect([schema.fields.map(String), parameterTypes]).toEqual([['t: Utf8', 's: Int64'], ['INT']]);
  });

  test('a query over a stored result stops at its time limit, and when it is cancelled, while the store gives no rows', async () => {
    const clock = new ManualClock();
    await using stopped = await TestEngine.open({ clock });
    const rows = await storedRows('SELECT 1 AS n');
    const ask = (signal?: AbortSignal) => {
      const reading = Promise.withResolvers<AbortSignal | undefined>();
      // A generator that waits cannot be closed either.
      const read: NamedRows['read'] = async function* ({ signal: given }) {
        reading.resolve(given);
        yield await new Promise<never>(() => undefined);
      };
      const outcome = stopped.engine.execute(
        { sql: `FROM result('${id}')` },
        { limits: { timeoutMs: 300 }, signal, results: [{ ...rows, read }] },
      );
      outcome.catch(() => undefined);
      return { outcome, reading: reading.promise };
    };
    const late = ask();
    const lateSignal = await late.reading;
    await clock.advance(300);
    await expect(late.outcome).rejects.toMatchObject({ code: 'QUERY_TIMED_OUT' });
    const controller = new AbortController();
    const cancelled = ask(controller.signal);
    const cancelledSignal = await cancelled.reading;
    controller.abort();
    await expect(cancelled.outcome).rejects.toMatchObject({ code: 'ABORTED' });
    expect([lateSignal?.aborted, cancelledSignal?.aborted]).toEqual([true, true]);
  });

  test('a query over a stored result fails as the reading of the result does, and names a column that it cannot read', async () => {
    const rows = await storedRows('SELECT 1 AS n');
    const lost = new QuireError('RESULT_DELETED', 'It was deleted.');
    // oxlint-disable-next-line require-yield -- it fails first
    const read = async function* (): AsyncGenerator<never> {
      throw lost;
    };
    expect(await failureOf(`FROM result('${id}')`, { ...rows, read })).toBe(lost);
    const schema = new Schema([
      new Field('n', new Int32()),
      new Field('half', new Float16()),
      new Field('t', new Utf8()),
    ]);
    expect(await failureOf(`FROM result('${id}')`, { ...rows, schema })).toMatchObject({
      code: 'UNSUPPORTED_COLUMN_TYPE',
      message:
        "Column 'half' of the result has type Float, which a query over results cannot read.",
    });
  });
});

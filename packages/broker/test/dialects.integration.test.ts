import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { TestBroker } from '../../../test/src/testkit/broker-server.ts';

/**
 * The dialect of a query is that of the caller, or otherwise that of the settings; it is never
 * guessed.
 */

let broker: TestBroker;

beforeEach(async () => {
  broker = await TestBroker.start({
    dialects: {
      known: ['duckdb', 'pinot'],
      defaultOf: (name) => (name === 'bob' ? 'pinot' : 'duckdb'),
    },
    listTables: async () => ['flights'],
    reuse: { ageMaxMs: 60_000 },
  });
});

afterEach(() => broker[Symbol.asyncDispose]());

type Caller = 'ann' | 'bob';

async function send(as: Caller, body: object, parameters = ''): Promise<Record<string, unknown>> {
  const call = { method: 'POST', as, body: JSON.stringify(body) };
  return (await broker.call(`/query/sql${parameters}`, call)).json();
}

const asked = (): unknown => broker.engine.queries.at(-1);

describe('a query is in the language', () => {
  test.each<[string, Caller, object, string]>([
    ['of the settings', 'ann', { sql: 'rows 1' }, 'duckdb'],
    ['of its principal', 'bob', { sql: 'rows 1' }, 'pinot'],
    ['that queryOptions name', 'ann', { sql: 'rows 1', queryOptions: 'dialect=pinot' }, 'pinot'],
    [
      'that queryOptions name, against its principal',
      'bob',
      { sql: 'rows 1', queryOptions: 'dialect=DuckDB' },
      'duckdb',
    ],
    ['that SET names', 'ann', { sql: "SET dialect = 'pinot'; rows 1" }, 'pinot'],
    [
      'that SET names, against queryOptions',
      'ann',
      { sql: 'SET dialect = pinot; rows 1', queryOptions: 'dialect=duckdb' },
      'pinot',
    ],
  ])('a query is in the language: %s', async (_, as, body, dialect) => {
    await send(as, body);
    expect(asked()).toMatchObject({ sql: 'rows 1', dialect });
  });
});

test('a language that the engine does not know is refused before the query runs', async () => {
  expect(await send('ann', { sql: 'rows 1', queryOptions: 'dialect=mysql' })).toMatchObject({
    code: 400,
    error: "dialect in the query options is 'mysql'; expected duckdb or pinot.",
  });
  await using other = await TestBroker.start();
  const refused = await other.call('/query/sql', {
    method: 'POST',
    body: JSON.stringify({ sql: 'rows 1', queryOptions: 'dialect=pinot' }),
  });
  expect(refused.json()).toMatchObject({ code: 400, reason: 'INVALID_BODY' });
  expect([...broker.engine.queries, ...other.engine.queries]).toEqual([]);
});

test('options behind a query of Apache Pinot are applied as those in front, and in the other language are part of the text', async () => {
  const options = 'OPTION(timeoutMs=250)';
  await send('bob', { sql: `rows 1 ${options}` });
  expect(asked()).toMatchObject({ sql: `rows 1 ${options}`, limits: { timeoutMs: 250 } });
  await send('bob', { sql: `SET timeoutMs = 125; rows 1 ${options}` });
  expect(asked()).toMatchObject({ limits: { timeoutMs: 125 } });
  await send('ann', { sql: `rows 1 ${options}` });
  expect(asked()).toMatchObject({ limits: { timeoutMs: 60_000 } });
  expect(await send('bob', { sql: 'rows 1 OPTION(timeoutMs=soon)' })).toMatchObject({ code: 400 });
  await send('bob', { sql: 'rows 1 -- OPTION(timeoutMs=7)' });
  expect(asked()).toMatchObject({ limits: { timeoutMs: 60_000 } });
});

test('the same text in another language is another question', async () => {
  broker.engine.version = '1';
  const parameters = '?doPaginate=true';
  const ids: unknown[] = [];
  for (const queryOptions of ['dialect=duckdb', 'dialect=pinot', 'dialect=duckdb', '']) {
    const { requestId } = await send('ann', { sql: 'rows 1', queryOptions }, parameters);
    ids.push(requestId);
  }
  const [first, second, third, fourth] = ids;
  expect([second === first, third === first, fourth === first]).toEqual([false, true, true]);
});

test("the list of tables says which language the caller's queries are in", async () => {
  expect((await broker.call('/tables', { as: 'bob' })).json()).toEqual({
    tables: ['flights'],
    dialect: 'pinot',
  });
});

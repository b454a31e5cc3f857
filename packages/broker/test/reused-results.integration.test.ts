import type { ErrorBody, RunningQueryList } from '@quire/api';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import {
  type Answer,
  type CallOptions,
  TestBroker,
} from '../../../test/src/testkit/broker-server.ts';

let broker: TestBroker;
/** Each test requests another number of rows, because earlier requests are cached. */
let rowCount = 1000;
let reuse: { readonly ageMaxMs: number } | undefined;

beforeAll(async () => {
  broker = await TestBroker.start({
    get reuse() {
      return reuse;
    },
  });
});
afterAll(() => broker[Symbol.asyncDispose]());
beforeEach(() => {
  rowCount += 1;
  reuse = { ageMaxMs: 0 };
  broker.engine.version = 'one';
  broker.engine.queries.length = 0;
});

interface Asked {
  readonly id: string;
  readonly isReused: boolean;
}

async function ask(
  options: CallOptions = {},
  parameters = '',
  sql = `rows ${rowCount}`,
): Promise<Asked> {
  const { requestId, reused, numRowsResultSet } = (
    await broker.query(sql, `?doPaginate=true&numRows=10${parameters}`, options)
  ).json();
  expect(numRowsResultSet).toBe(rowCount);
  return { id: requestId, isReused: reused === true };
}

const ranCount = (): number => broker.engine.queries.length;

test('the same question has the same answer, which runs once and says so', async () => {
  const first = await broker.query(`rows ${rowCount}`, '?doPaginate=true&numRows=10');
  const again = await broker.query(`rows ${rowCount}`, '?doPaginate=true&numRows=10');
  expect(first.json()).not.toHaveProperty('reused');
  expect(again.json()).toEqual({ ...first.json(), reused: true });
  expect(again.headers.get('quire-expiration-time-ms')).toBe(
    first.headers.get('quire-expiration-time-ms'),
  );
  expect(ranCount()).toBe(1);
  const csv = await broker.query(`rows ${rowCount}`, '?doPaginate=true&numRows=10&format=csv');
  expect(csv.headers.get('quire-reused')).toBe('true');
  const grown = await ask({}, '&async=true');
  expect([grown, ranCount()]).toEqual([{ id: first.json().requestId, isReused: true }, 1]);
  const page = await broker.call(`/query/${first.json().requestId}/results?offset=0&numRows=10`);
  expect(page.json()).not.toHaveProperty('reused');
});

test('it runs again for other data, of data that is not known, and after its result has gone', async () => {
  const first = await ask();
  broker.engine.version = 'two';
  const second = await ask();
  expect([second.isReused, (await ask()).id]).toEqual([false, second.id]);
  broker.engine.version = undefined;
  expect([(await ask()).isReused, (await ask()).isReused]).toEqual([false, false]);
  broker.engine.version = 'two';
  const last = await ask();
  expect((await broker.call(`/query/resultStore/${last.id}`, { method: 'DELETE' })).status).toBe(
    200,
  );
  const renewed = await ask();
  expect(renewed.isReused).toBe(false);
  expect([last.id, new Set([first.id, second.id, renewed.id]).size]).toEqual([second.id, 3]);
});

test('it is not for another principal, and not for a caller who wants a new one or a younger one', async () => {
  const { id } = await ask();
  expect((await ask({ as: 'bob' })).isReused).toBe(false);
  expect((await ask({ as: 'root' })).isReused).toBe(false);
  await broker.clock.advance(5000);
  expect((await ask({ headers: { 'cache-control': 'max-age=6' } })).id).toBe(id);
  expect((await ask({ headers: { 'cache-control': 'Max-Age="4"' } })).isReused).toBe(false);
  const { id: newer } = await ask({ headers: { 'cache-control': 'no-cache' } });
  expect([newer === id, (await ask()).id]).toEqual([false, newer]);
  const body = JSON.stringify({ sql: `rows ${rowCount}`, queryOptions: 'reuseResults=false' });
  expect((await ask({ body })).isReused).toBe(false);
});

test('other values and other options are other questions; without pagination nothing is kept to answer with', async () => {
  const { id } = await ask();
  for (const more of [
    { parameters: [1] },
    { queryOptions: 'useMultistageEngine=true' },
    { sql: `rows ${rowCount} ` },
  ]) {
    expect(
      (await ask({ body: JSON.stringify({ sql: `rows ${rowCount}`, ...more }) })).isReused,
    ).toBe(false);
  }
  expect((await broker.query(`rows ${rowCount}`)).json()).not.toHaveProperty('reused');
  expect((await ask()).id).toBe(id);
  reuse = undefined;
  expect((await ask()).isReused).toBe(false);
});

/** Starts the same query several times, which all wait for the first one. */
async function startTogether(sql: string, count: number): Promise<Promise<Answer>[]> {
  const answers = Array.from({ length: count }, () =>
    broker.query(sql, '?doPaginate=true&numRows=10'),
  );
  await untilUnderWay(count);
  return answers;
}

/** Resolves once `count` queries run or wait, and at least one of them has reached the engine. */
async function untilUnderWay(count: number): Promise<void> {
  const ranBefore = ranCount();
  let found = 0;
  while (found < count || (ranBefore === 0 && ranCount() === 0)) {
    found = (await broker.call('/queries')).json<RunningQueryList>().queries.length;
  }
}

test('the same query at the same time runs once', async () => {
  const sql = `rows ${rowCount} then wait`;
  // More than may run and wait in total: queries that wait for an identical one occupy no slot.
  const answers = await startTogether(sql, 8);
  expect(ranCount()).toBe(1);
  broker.engine.resume();
  const all = await Promise.all(answers);
  expect(new Set(all.map((answer) => answer.json().requestId)).size).toBe(1);
  expect(all.filter((answer) => answer.json().reused === true).length).toBe(7);
  expect(ranCount()).toBe(1);
});

test('one that is cancelled does not cancel the others: the next one runs', async () => {
  const sql = `rows ${rowCount} then wait`;
  const answers = await startTogether(sql, 3);
  const { queries } = (await broker.call('/queries')).json<RunningQueryList>();
  const running = queries.find(({ state }) => state === 'RUNNING')?.requestId ?? '';
  const waiting = queries.find(({ state }) => state === 'QUEUED')?.requestId ?? '';
  expect((await broker.call(`/query/${waiting}`, { method: 'DELETE' })).status).toBe(200);
  expect([ranCount(), broker.engine.openCount]).toEqual([1, 1]);
  expect((await broker.call(`/query/${running}`, { method: 'DELETE' })).status).toBe(200);
  while (ranCount() < 2) await broker.call('/queries');
  broker.engine.resume();
  const all = (await Promise.all(answers)).map((answer) => answer.json());
  expect(
    all
      .map(({ exceptions }) => exceptions[0]?.errorCode ?? 0)
      .toSorted((left, right) => left - right),
  ).toEqual([0, 503, 503]);
});

test('what fails for one fails for those who wait, but a limit of one is not theirs', async () => {
  const failed = await startTogether(`rows ${rowCount} then wait then fail QUERY_FAILED`, 3);
  broker.engine.resume();
  expect((await Promise.all(failed)).map((answer) => answer.json().exceptions)).toEqual(
    Array.from({ length: 3 }, () => [{ errorCode: 200, message: 'The script says QUERY_FAILED.' }]),
  );
  expect(ranCount()).toBe(1);
  const limited = await startTogether(`rows ${rowCount} then wait then fail QUERY_TIMED_OUT`, 2);
  broker.engine.resume();
  broker.engine.resume();
  await Promise.all(limited);
  expect(ranCount()).toBe(3);
});

test('a result that another was answered with stays when its first caller has gone', async () => {
  const gone = new AbortController();
  const sql = `rows ${rowCount} then wait`;
  const first = broker.query(sql, '?doPaginate=true', { signal: gone.signal });
  await untilUnderWay(1);
  const second = broker.query(sql, '?doPaginate=true');
  await untilUnderWay(2);
  gone.abort();
  await expect(first).rejects.toThrow('abort');
  broker.engine.resume();
  const { requestId } = (await second).json();
  expect((await broker.call(`/query/${requestId}/results?offset=0`)).status).toBe(200);
});

test('an option that is not a boolean is refused', async () => {
  const body = JSON.stringify({ sql: 'rows 1', queryOptions: 'reuseResults=maybe' });
  expect((await broker.query('', '', { body })).json<ErrorBody>()).toMatchObject({
    code: 400,
    reason: 'INVALID_BODY',
  });
});

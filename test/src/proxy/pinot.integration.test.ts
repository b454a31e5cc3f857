import type { ErrorBody, PinotCursorResponse, PinotStoredResponse } from '@quire/api';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { scriptedRowsJson } from '../testkit/broker-engine.ts';
import type { TestBroker } from '../testkit/broker-server.ts';
import { forwardTo, startBroker, TestProxy } from '../testkit/proxy-server.ts';

/** The dialect of Apache Pinot's cursors, through a proxy in front of two brokers. */

let one: TestBroker;
let two: TestBroker;
let proxy: TestProxy;

beforeEach(async () => {
  one = await startBroker('one', { listTables: async () => ['flights', 'trees'] });
  two = await startBroker('two', { listTables: async () => ['flights', 'trees'] });
  proxy = await TestProxy.start([one, two]);
});

afterEach(async () => {
  for (const each of [proxy, two, one]) await each[Symbol.asyncDispose]();
});

/** A cursor on each broker, in the order of the brokers. */
async function openCursors(
  path = '/query/sql',
): Promise<readonly [PinotCursorResponse, PinotCursorResponse]> {
  const found = new Map<string, PinotCursorResponse>();
  while (found.size < 2) {
    const body = JSON.stringify({ sql: 'rows 30' });
    const answer = await proxy.call(`${path}?getCursor=true&numRows=10`, { method: 'POST', body });
    const cursor = answer.json<PinotCursorResponse>();
    found.set(cursor.brokerHost, cursor);
    for (const { clock } of [one, two]) await clock.advance(1000);
  }
  return [found.get('one.example')!, found.get('two.example')!];
}

test.each(['/query/sql', '/query'])(
  'a cursor opened at %s names its broker as the broker does, and every page is found there',
  async (path) => {
    for (const [cursor, name] of (await openCursors(path)).map(
      (each, index) => [each, index === 0 ? 'one' : 'two'] as const,
    )) {
      const { requestId } = cursor;
      const page = await proxy.call(`/responseStore/${requestId}/results?offset=10&numRows=10`);
      const metadata = (
        await proxy.call(`/responseStore/${requestId}/`)
      ).json<PinotStoredResponse>();
      expect([
        page.status,
        page.headers.get('x-pinot-error-code'),
        page.text.includes(scriptedRowsJson(10, 20)),
      ]).toEqual([200, '-1', true]);
      for (const each of [cursor, page.json<PinotCursorResponse>(), metadata]) {
        expect([each.brokerHost, each.brokerPort]).toEqual([`${name}.example`, 8099]);
      }
      const deleted = await proxy.call(`/responseStore/${requestId}`, { method: 'DELETE' });
      expect([deleted.status, deleted.text]).toEqual([
        200,
        `Query Results for ${requestId} deleted.`,
      ]);
      expect((await proxy.call(`/responseStore/${requestId}`)).status).toBe(410);
    }
  },
);

test('the headers that name a broker are heeded, and name a configured broker or none', async () => {
  const [{ requestId }] = await openCursors();
  await using restarted = await TestProxy.start([one, two]);
  const path = `/responseStore/${requestId}/results?offset=20`;
  const statuses = [];
  for (const headers of [forwardTo('one'), forwardTo('two'), forwardTo('evil')]) {
    statuses.push((await restarted.call(path, { headers })).status);
  }
  expect(statuses).toEqual([200, 404, 400]);
  expect(await restarted.metric('quire_proxy_routed_total{by="asked"}')).toBe(0);
});

test('the list is one array of what all brokers hold, newest first, for admins', async () => {
  const cursors = [...(await openCursors()), ...(await openCursors())];
  const list = await proxy.call('/responseStore', { as: 'root' });
  const entries = list.json<readonly PinotStoredResponse[]>();
  const newestFirst = entries.toSorted((a, b) => b.submissionTimeMs - a.submissionTimeMs);
  expect(entries.map(({ requestId }) => requestId)).toEqual(
    newestFirst.map(({ requestId }) => requestId),
  );
  expect(entries.map(({ requestId }) => requestId)).toEqual(
    expect.arrayContaining(cursors.map(({ requestId }) => requestId)),
  );
  expect(new Set(entries.map(({ brokerHost }) => brokerHost))).toEqual(
    new Set(['one.example', 'two.example']),
  );
  expect((await proxy.call('/responseStore')).status).toBe(403);
});

test('what has expired is deleted at all brokers, and the proxy adds up how much', async () => {
  await openCursors();
  const remove = async (parameters: string): Promise<string> =>
    (await proxy.call(`/responseStore${parameters}`, { method: 'DELETE', as: 'root' })).text;
  expect(await remove('?expiredBefore=5')).toBe('Deleted 0 expired response(s).');
  const stored = (await one.results.usage()).resultCount + (await two.results.usage()).resultCount;
  expect(await remove(`?expiredBefore=${Number.MAX_SAFE_INTEGER}`)).toBe(
    `Deleted ${stored} expired response(s).`,
  );
  expect([
    (await one.results.usage()).resultCount,
    (await two.results.usage()).resultCount,
  ]).toEqual([0, 0]);
});

test('what no broker has is told in the words of the peer', async () => {
  for (const [method, path] of [
    ['GET', '/responseStore/dummy'],
    ['GET', '/responseStore/dummy/results'],
    ['DELETE', '/responseStore/dummy'],
  ] as const) {
    const answer = await proxy.call(path, { method });
    expect(answer.json()).toEqual({
      code: 404,
      error: 'Query results for dummy not found.',
      reason: 'RESULT_NOT_FOUND',
    });
  }
});

test('tables and their columns are told as long as any broker is up', async () => {
  await one[Symbol.asyncDispose]();
  for (let count = 0; count < 3; count += 1) {
    expect((await proxy.call('/tables')).json()).toEqual({ tables: ['flights', 'trees'] });
    expect((await proxy.call('/tables/trees/schema')).json()).toMatchObject({
      schemaName: 'trees',
    });
  }
  expect((await proxy.call('/tables/rivers/schema')).json()).toMatchObject({
    code: 404,
    reason: 'TABLE_NOT_FOUND',
  });
  const list = await proxy.call('/responseStore', { as: 'root' });
  expect([list.status, list.headers.get('x-quire-partial')]).toEqual([
    200,
    'Broker_one.example_8099',
  ]);
  await two[Symbol.asyncDispose]();
  const none = await proxy.call('/tables');
  expect([none.status, none.json<ErrorBody>().reason]).toEqual([503, 'BROKER_UNAVAILABLE']);
});

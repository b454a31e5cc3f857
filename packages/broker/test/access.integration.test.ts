import { brokerOperations } from '@quire/api';
import { expect, test } from 'vitest';
import { TestBroker } from '../../../test/src/testkit/broker-server.ts';
import type { CallOptions } from '../../../test/src/testkit/http-caller.ts';

/** The operations of a broker that offers no links. */
const { readLink: _notServed, ...operations } = brokerOperations;
const calls = Object.values(operations).map(({ method, path }) => ({ method, path }));
const someId = '0190163d-8694-739b-aea5-966c26f8ad91';

/** The calls that are about one result. */
const resultCalls = (id: string): readonly [string, CallOptions][] => [
  [`/query/${id}/results?offset=0`, {}],
  [`/query/${id}/results?offset=0`, { headers: { 'if-none-match': '*' } }],
  [`/query/${id}/results?offset=999999&format=csv`, {}],
  [`/query/${id}/metadata`, {}],
  [`/query/resultStore/${id}`, { method: 'DELETE' }],
  [`/query/resultStore/${id}`, { method: 'PATCH', body: '{"expiration":"2h"}' }],
];

test.each(calls.filter(({ path }) => path !== '/health'))(
  '$method $path needs credentials',
  async ({ method, path }) => {
    await using broker = await TestBroker.start();
    const target = path.replace(':requestId', someId);
    for (const authorization of [
      undefined,
      '',
      'Bearer',
      'Bearer wrong',
      'Basic d3Jvbmc=',
      'Digest x',
      'Bearer ann-token, Bearer x',
    ]) {
      const headers = authorization === undefined ? {} : { authorization };
      const answer = await broker.call(target, { method, as: undefined, headers });
      expect(answer.status).toBe(401);
      expect(answer.headers.get('www-authenticate')).toBe(
        'Basic realm="quire", charset="UTF-8", Bearer realm="quire"',
      );
      expect(answer.json()).toEqual({
        code: 401,
        error: 'The credentials are wrong.',
        reason: 'UNAUTHENTICATED',
      });
    }
    expect(broker.store.calls).toEqual([]);
  },
);

test('paths that do not exist need credentials too', async () => {
  await using broker = await TestBroker.start();
  expect((await broker.call('/admin', { as: undefined })).status).toBe(401);
});

test('credentials are asked for before the body is read', async () => {
  await using broker = await TestBroker.start();
  const answer = await broker.call('/query/sql', {
    method: 'POST',
    as: undefined,
    body: 'x'.repeat(100_000),
  });
  expect(answer.status).toBe(401);
});

test('anybody may ask whether the broker is alive', async () => {
  await using broker = await TestBroker.start();
  expect((await broker.call('/health', { as: undefined })).status).toBe(200);
});

test.each([
  ['GET', '/query/resultStore'],
  ['DELETE', '/query/resultStore'],
  ['DELETE', '/query/resultStore?expiredBefore=0'],
])('%s %s is for admins', async (method, path) => {
  await using broker = await TestBroker.start();
  const answer = await broker.call(path, { method, as: 'ann' });
  expect(answer.json()).toEqual({
    code: 403,
    error: 'This call needs the role admin, which ann does not have.',
    reason: 'FORBIDDEN',
  });
  expect((await broker.call(path, { method, as: 'root' })).status).toBe(200);
});

test("strangers cannot tell somebody else's result from one that never existed", async () => {
  await using broker = await TestBroker.start();
  const requestId = await broker.stored(10, 'ann');
  const real = resultCalls(requestId);
  for (const [index, [path, options]] of resultCalls(someId).entries()) {
    const never = await broker.call(path, { ...options, as: 'bob' });
    expect(never.status).toBe(404);
    expect(never.json()).toEqual({
      code: 404,
      error: `Query results for ${someId} not found.`,
      reason: 'RESULT_NOT_FOUND',
    });
    const [realPath, realOptions] = real[index]!;
    const stranger = await broker.call(realPath, { ...realOptions, as: 'bob' });
    expect(stranger.text.replaceAll(requestId, someId)).toBe(never.text);
    expect(comparableHeaders(stranger.headers)).toEqual(comparableHeaders(never.headers));
    expect(stranger.status).toBe(404);
  }
  expect((await broker.call(`/query/${requestId}/metadata`)).status).toBe(200);
});

test.each(['deleted', 'evicted', 'expired'] as const)(
  'strangers cannot tell a result that was %s either',
  async (reason) => {
    await using broker = await TestBroker.start();
    const requestId = await broker.stored(10, 'ann');
    if (reason === 'expired') await broker.clock.advance(3_600_000);
    else await broker.results.delete(requestId, { reason });
    for (const [path, options] of resultCalls(requestId)) {
      const stranger = await broker.call(path, { ...options, as: 'bob' });
      expect(stranger.json()).toEqual({
        code: 404,
        error: `Query results for ${requestId} not found.`,
        reason: 'RESULT_NOT_FOUND',
      });
      for (const as of ['ann', 'root'] as const) {
        expect((await broker.call(path, { ...options, as })).json()).toMatchObject({
          code: 410,
          reason: `RESULT_${reason.toUpperCase()}`,
        });
      }
    }
  },
);

test("an admin may do everything with anybody's result", async () => {
  await using broker = await TestBroker.start();
  const requestId = await broker.stored(10, 'ann');
  const statuses: number[] = [];
  for (const [path, options] of [
    [`/query/${requestId}/results?offset=0`, {}],
    [`/query/${requestId}/metadata`, {}],
    [`/query/resultStore/${requestId}`, { method: 'PATCH', body: '{"expiration":"2h"}' }],
    [`/query/resultStore/${requestId}`, { method: 'DELETE' }],
  ] as const) {
    statuses.push((await broker.call(path, { ...options, as: 'root' })).status);
  }
  expect(statuses).toEqual([200, 200, 200, 200]);
});

test('an admin can delete what cannot be opened any more', async () => {
  await using broker = await TestBroker.start();
  const requestId = await broker.stored(10);
  const recordKey = (await broker.objectKeys()).find((key) => key.endsWith('.json')) ?? '';
  await broker.store.put(recordKey, Buffer.from('{"torn'));
  await using successor = await broker.startSuccessor();
  expect((await successor.call(`/query/${requestId}/metadata`)).json()).toMatchObject({
    code: 500,
    reason: 'RESULT_CORRUPT',
  });
  expect(
    (await successor.call(`/query/resultStore/${requestId}`, { method: 'DELETE', as: 'root' }))
      .status,
  ).toBe(200);
  expect(await broker.objectKeys()).toEqual([]);
});

test('a broker that has just started knows whose the results are', async () => {
  await using broker = await TestBroker.start();
  const requestId = await broker.stored(10, 'ann');
  await using successor = await broker.startSuccessor();
  const path = `/query/${requestId}/results?offset=0`;
  expect((await successor.call(path, { as: 'bob' })).status).toBe(404);
  expect((await successor.call(path, { as: 'ann' })).status).toBe(200);
});

/** All headers but those that differ between any two calls. */
function comparableHeaders(headers: Headers): Record<string, string> {
  const { date: _date, 'x-request-id': _id, ...rest } = Object.fromEntries(headers);
  return rest;
}

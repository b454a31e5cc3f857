import { parseResultList } from '@quire/client/wire';
import { ManualClock } from '@quire/core/testing';
import type { AuthorizationProvider } from '@quire/auth';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { BrokerClient } from '../src/broker-client.ts';
import { fakeBroker, storedResult } from './controller-builder.ts';
import { deleteExpired, listResults, planDeletions } from '../src/broker-calls.ts';

let clock: ManualClock;
let client: BrokerClient;
let tokens: string[];
const { signal } = new AbortController();

/** Gives the first token until it is refused, then the next one. */
const authorization: AuthorizationProvider = {
  authorization: async ({ refused } = {}) => {
    if (refused === `Bearer ${tokens[0]}` && tokens.length > 1) tokens.shift();
    return `Bearer ${tokens[0]}`;
  },
};

beforeEach(() => {
  clock = new ManualClock();
  tokens = ['t1', 't2'];
  client = new BrokerClient({ authorization, clock, timeoutMs: () => 5000 });
});

afterEach(async () => {
  await client[Symbol.asyncDispose]();
});

const list = (...results: object[]) => ({
  status: 200,
  body: JSON.stringify({ resultMetadataList: results }),
});

describe('deleting what has expired', () => {
  test('deleting what has expired is one call, with the token; the broker goes by its own clock', async () => {
    await using broker = await fakeBroker(() => ({
      status: 200,
      body: 'Deleted 12 expired response(s).',
    }));
    expect(await deleteExpired(client, broker.url, { signal })).toBe(12);
    expect(broker.calls).toEqual(['DELETE /query/resultStore Bearer t1']);
  });

  test('deleting what has expired is tried again, once, with a token that was read again', async () => {
    await using broker = await fakeBroker(({ headers }) =>
      headers.authorization === 'Bearer t2'
        ? { status: 200, body: 'Deleted 1 expired response(s).' }
        : { status: 401, body: 'Bearer t1 is old' },
    );
    expect(await deleteExpired(client, broker.url, { cutoffMs: 5, signal })).toBe(1);
    expect(broker.calls).toEqual([
      'DELETE /query/resultStore?expiredBefore=5 Bearer t1',
      'DELETE /query/resultStore?expiredBefore=5 Bearer t2',
    ]);
  });

  test('deleting what has expired ends when the token is refused for good', async () => {
    await using broker = await fakeBroker(() => ({ status: 401, body: '' }));
    const message =
      'The broker refuses the Authorization of the controller with status 401: see controller.admin.auth.';
    await expect(deleteExpired(client, broker.url, { signal })).rejects.toMatchObject({
      code: 'BROKER_FAILED',
      message,
    });
    expect(broker.calls).toHaveLength(2);
    await expect(deleteExpired(client, broker.url, { signal })).rejects.toMatchObject({
      code: 'BROKER_FAILED',
      message,
    });
    expect(broker.calls).toHaveLength(3); // there is no other token
  });

  test.each([404, 405])(
    'deleting what has expired goes by the list where it cannot be done by time (%i): what is gone already is as good as deleted',
    async (status) => {
      const statuses: Record<string, number> = { a: 200, b: 404, c: 410 };
      await using broker = await fakeBroker(({ method, url = '' }, response) => {
        response.setHeader('date', new Date(5000).toUTCString());
        if (method === 'GET') {
          return list(
            ...['a', 'b', 'c', 'kept'].map((id) => storedResult(id, id === 'kept' ? 5001 : 5000)),
          );
        }
        const id = url.slice('/query/resultStore/'.length);
        return { status: id === '' ? status : (statuses[id] ?? 500), body: '' };
      });
      expect(await deleteExpired(client, broker.url, { signal })).toBe(3);
      expect(broker.calls.slice(1).toSorted()).toEqual([
        'DELETE /query/resultStore/a Bearer t1',
        'DELETE /query/resultStore/b Bearer t1',
        'DELETE /query/resultStore/c Bearer t1',
        'GET /query/resultStore Bearer t1',
      ]);
    },
  );

  test('deleting what has expired goes on past results that cannot be deleted, and says so', async () => {
    await using broker = await fakeBroker(({ method, url = '' }) => {
      if (method === 'GET') return list(...['a', 'b', 'c'].map((id) => storedResult(id, 1)));
      return {
        status: url.endsWith('/b') ? 500 : url.endsWith('Store?expiredBefore=7') ? 405 : 200,
        body: '',
      };
    });
    await expect(deleteExpired(client, broker.url, { cutoffMs: 7, signal })).rejects.toMatchObject({
      code: 'BROKER_FAILED',
      message: '1 of 3 results could not be deleted: The broker answered with status 500.',
    });
    expect(broker.calls).toHaveLength(5);
  });
});

describe('what misbehaves is an error, in our own words', () => {
  const unreadable = 'The answer does not contain the number of deleted results.';
  test.each([
    [200, 'Deleted all.', unreadable],
    [200, 'Deleted -1 expired response(s).', unreadable],
    [200, '<html>secret</html>', unreadable],
    [302, '', 'The broker answered with status 302.'],
    [500, 'secret', 'The broker answered with status 500.'],
    [200, 'x'.repeat(100_000), 'The answer is longer than 65536 bytes.'],
  ])('what misbehaves is an error, in our own words: %# %i', async (status, body, message) => {
    await using broker = await fakeBroker((_request, response) => {
      response.setHeader('location', '/elsewhere');
      return { status, body };
    });
    await expect(deleteExpired(client, broker.url, { signal })).rejects.toMatchObject({
      code: 'BROKER_FAILED',
      message,
    });
    expect(broker.calls).toHaveLength(1);
  });

  test('no answer in time, whether before it begins or in its middle', async () => {
    await using broker = await fakeBroker(({ method }, response) => {
      if (method === 'GET') response.writeHead(200).write('{"resultMetadataList":[');
      return undefined;
    });
    const outcomes = Promise.allSettled([
      deleteExpired(client, broker.url, { signal }),
      listResults(client, broker.url, signal),
    ]);
    await broker.untilCalled(2);
    await clock.advance(5000);
    const error = {
      code: 'BROKER_TIMED_OUT',
      message: 'There was no complete answer within 5000 ms.',
    };
    expect(await outcomes).toMatchObject([
      { status: 'rejected', reason: error },
      { status: 'rejected', reason: error },
    ]);
    expect(clock.sleeperCount).toBe(0);
  });

  test('an answer that breaks off, and nobody there', async () => {
    const broker = await fakeBroker(({ socket }) => void socket.destroy());
    await expect(listResults(client, broker.url, signal)).rejects.toMatchObject({
      code: 'BROKER_FAILED',
    });
    await broker[Symbol.asyncDispose]();
    await expect(listResults(client, broker.url, signal)).rejects.toMatchObject({
      code: 'BROKER_UNAVAILABLE',
      message: 'The connection failed (ECONNREFUSED).',
    });
  });

  test('a provider of tokens that hangs', async () => {
    await using stuck = new BrokerClient({
      authorization: { authorization: () => new Promise(() => undefined) },
      clock,
      timeoutMs: () => 5000,
    });
    const outcome = listResults(stuck, 'http://127.0.0.1:9', signal).catch(
      (error: unknown) => error,
    );
    await clock.untilSleeping();
    await clock.advance(5000);
    expect(await outcome).toMatchObject({ code: 'BROKER_TIMED_OUT' });
  });

  test.each([
    { authorization: () => Promise.reject(new TypeError('fetch failed')), what: 'rejects' },
    {
      authorization: () => {
        throw new TypeError('fetch failed');
      },
      what: 'throws',
    },
  ])('a provider of tokens that $what with an error of its own', async ({ authorization }) => {
    await using failing = new BrokerClient({
      authorization: { authorization },
      clock,
      timeoutMs: () => 5000,
    });
    await expect(listResults(failing, 'http://127.0.0.1:9', signal)).rejects.toMatchObject({
      code: 'SERVER_UNREACHABLE',
      message: 'The provider of the Authorization for brokers failed: fetch failed',
      cause: { message: 'fetch failed' },
    });
  });

  test('a caller that gives up ends the calls to brokers', async () => {
    await using broker = await fakeBroker(() => undefined);
    const giveUp = new AbortController();
    const outcome = listResults(client, broker.url, giveUp.signal).catch((error: unknown) => error);
    await broker.untilCalled(1);
    giveUp.abort();
    expect(await outcome).toMatchObject({ code: 'ABORTED' });
  });
});

describe('a list of results', () => {
  const good = storedResult('a', 5);
  test('a list of results is read with what it has beside, and planned by the boundary', () => {
    const text = JSON.stringify({
      resultMetadataList: [{ ...good, more: 1 }, storedResult('b', 6)],
      more: 1,
    });
    const results = parseResultList(text);
    expect(results).toEqual([good, storedResult('b', 6)]);
    expect([4, 5, 6].map((cutoffMs) => planDeletions(results, cutoffMs))).toEqual([
      [],
      ['a'],
      ['a', 'b'],
    ]);
  });

  test.each([
    '',
    'null',
    '[]',
    '{}',
    '{"resultMetadataList":{}}',
    ...[
      [null],
      [{}],
      [{ ...good, requestId: '../etc' }],
      [{ ...good, requestId: 'x'.repeat(65) }],
      [{ ...good, expirationTimeMs: '5' }],
      [{ ...good, expirationTimeMs: 1e300 }],
      [{ ...good, submissionTimeMs: -1 }],
      [{ ...good, responseMetadata: undefined }],
      [{ ...good, responseMetadata: [{}] }],
      [{ ...good, brokerId: 7 }],
    ].map((resultMetadataList) => JSON.stringify({ resultMetadataList })),
  ])('a list of results is refused when it is not one: %#', (text) => {
    expect(() => parseResultList(text)).toThrow('The answer is not a list of stored results.');
  });
});

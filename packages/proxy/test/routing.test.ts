import { brokerOperations } from '@quire/api';
import { createRequestId, QuireError, systemRandom } from '@quire/core';
import { ManualClock } from '@quire/core/testing';
import { createService, routeOf, ServiceMetrics } from '@quire/service';
import type { FastifyRequest } from 'fastify';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parseBrokerUrl } from '../src/brokers/broker-address.ts';
import { BrokerSet } from '../src/brokers/broker-set.ts';
import type { Broker } from '../src/brokers/broker.ts';
import { RouteCache } from '../src/brokers/route-cache.ts';
import type { AnswerHead, ExchangeOutcome } from '../src/forwarding/exchange.ts';
import type { ForwardedCall } from '../src/forwarding/forwarded-call.ts';
import type { ProxyContext } from '../src/proxy-context.ts';
import { ProxyMetrics } from '../src/proxy-metrics.ts';
import { anyBroker, brokersForQuery, knownHolders } from '../src/routing/candidates.ts';
import { forwardToHolder, forwardToOneOf } from '../src/routing/forward-call.ts';

const clock = new ManualClock();
const requestId = createRequestId(clock, systemRandom);
let act: (request: FastifyRequest) => Promise<unknown>;
let url: string;

/** Calls belong to a service; this one handles each as the test defines. */
const service = createService({
  server: {
    host: '127.0.0.1',
    port: 0,
    version: '1',
    authenticate: async () => ({ name: 'me', role: 'query' }),
    bodyBytesMax: 1000,
    headerBytesMax: 16_384,
    requestTimeoutMs: 30_000,
    idleTimeoutMs: 75_000,
    shutdownGraceMs: 30_000,
  },
  about: { title: 'Test', description: 'Acts.', tags: [] },
  metrics: new ServiceMetrics(),
  routes: () => [routeOf(brokerOperations.readMetadata, async (request) => [await act(request)])],
});
beforeAll(async () => ({ url } = await service.listen()));
afterAll(() => service.close());

/** Runs an action as a call with these headers; returns its value, or the error's code. */
async function inCall<T>(
  action: (request: FastifyRequest) => T | Promise<T>,
  headers: Record<string, string> = {},
): Promise<T | string> {
  let outcome: T | string = 'never ran';
  act = async (request) => {
    try {
      outcome = await action(request);
    } catch (error) {
      outcome = error instanceof QuireError ? error.code : String(error);
    }
  };
  await fetch(`${url}/query/${requestId}/metadata`, { headers });
  return outcome;
}

/** A proxy in front of brokers a, b and c, which are up; no connection is opened. */
function proxyOf(isStoreShared: boolean | 'auto' = 'auto', says = false) {
  const brokers = new BrokerSet({ connectionsMax: 1, connectTimeoutMs: 1000 });
  brokers.update(['http://a:1', 'http://b:1', 'http://c:1'].map(parseBrokerUrl));
  for (const broker of brokers.all) {
    broker.recordHealthy({
      brokerId: `Broker_${broker.address.host}_1`,
      version: '1',
      storeType: 'fs',
      isStoreShared: says,
    });
  }
  const routes = new RouteCache(() => 10);
  const options = { isStoreShared, timeouts: { healthMs: 1000 } };
  const context = {
    brokers,
    routes,
    options,
    clock,
    metrics: new ProxyMetrics(),
  } as unknown as ProxyContext;
  const [a, b, c] = brokers.all as readonly [Broker, Broker, Broker];
  return { context, routes, brokers, a, b, c };
}

const hostsOf = (brokers: readonly Broker[]): string[] =>
  brokers.map(({ address }) => address.host);

/** A call that brokers answer by their host: with a status, or with a failure. */
function callAnswered(
  answers: Readonly<Record<string, number | 'unsent' | 'unanswered'>>,
  { isSafe = true, isWhole = true } = {},
): { readonly call: ForwardedCall; readonly asked: string[] } {
  const asked: string[] = [];
  const forwardTo = async (
    { address }: Broker,
    accepts: (head: AnswerHead) => boolean,
  ): Promise<ExchangeOutcome> => {
    asked.push(address.host);
    const answer = answers[address.host] ?? 200;
    if (typeof answer === 'string') {
      return { kind: answer, error: new QuireError('BROKER_TIMED_OUT', 'Too late.') };
    }
    const head = { status: answer, headers: {} };
    return { kind: accepts(head) ? 'answered' : 'declined', head };
  };
  return { call: { isSafe, isWhole, forwardTo } as unknown as ForwardedCall, asked };
}

const noBody = async () => Buffer.alloc(0);

describe('the broker for a query', () => {
  const named = (sql: string) => async () => Buffer.from(JSON.stringify({ sql }));
  const body = `SELECT * FROM result('${requestId}')`;

  test.each([
    ['reads a result', body, 'learnt'],
    ['reads it over lines', `SELECT * FROM RESULT (\n'${requestId}' )`, 'learnt'],
    ['has a result of another name', body.replace('result(', 'my_result('), 'query'],
    ['names something other than an id', "SELECT * FROM result('x')", 'query'],
    ['reads a table', 'SELECT 1', 'query'],
  ])('the broker for a query that %s is found', async (_, sql, by) => {
    const { context, routes, b } = proxyOf();
    routes.set(requestId, b);
    const found = await inCall((request) => brokersForQuery(context, request, named(sql)));
    expect(found).toMatchObject(by === 'learnt' ? { by, brokers: [b] } : { by });
  });

  test('the broker for a query is any one where brokers share a store, and no body is waited for', async () => {
    const { context } = proxyOf(true);
    const found = await inCall((request) =>
      brokersForQuery(context, request, () => Promise.reject(new Error('read'))),
    );
    expect(found).toMatchObject({ by: 'query' });
  });
});

describe('the brokers that may have a result', () => {
  test('the brokers that may have a result are unknown at first, then the one that was learnt, which may be wrong', async () => {
    const { context, routes, b } = proxyOf();
    expect(await inCall((request) => knownHolders(context, request, requestId))).toBeUndefined();
    routes.set(requestId, b);
    expect(await inCall((request) => knownHolders(context, request, requestId))).toMatchObject({
      by: 'learnt',
      brokers: [b],
      mayDecline: true,
    });
  });

  test('the brokers that may have a result are all of them where they share a store, the one that was learnt first', async () => {
    const { context, routes, c } = proxyOf('auto', true);
    const shared = await inCall((request) => knownHolders(context, request, requestId));
    expect(shared).toMatchObject({ by: 'shared', mayDecline: true });
    routes.set(requestId, c);
    const learnt = (await inCall((request) => knownHolders(context, request, requestId))) as {
      brokers: readonly Broker[];
    };
    expect(hostsOf(learnt.brokers)[0]).toBe('c');
    expect(hostsOf(learnt.brokers).toSorted()).toEqual(['a', 'b', 'c']);
  });

  test('the brokers that may have a result may be wrong in a store that the settings call shared: a query is known to the broker that runs it alone', async () => {
    const { context } = proxyOf(true);
    const found = await inCall((request) => knownHolders(context, request, requestId));
    expect(found).toMatchObject({ by: 'shared', mayDecline: true });
  });

  test('the brokers that may have a result are the one that the caller names, which has the last word', async () => {
    const { context, routes, a, b } = proxyOf();
    routes.set(requestId, a);
    const named = await inCall((request) => knownHolders(context, request, requestId), {
      forward_host: 'b',
      forward_port: '1',
    });
    expect(named).toMatchObject({ by: 'forward', brokers: [b], mayDecline: false });
  });

  test.each([
    [{ forward_host: 'x', forward_port: '1' }],
    [{ forward_host: 'a', forward_port: '2' }],
    [{ forward_host: 'a' }],
    [{ forward_host: 'a/b', forward_port: '1' }],
    [{ forward_host: 'a', forward_port: 'x' }],
  ])(
    'the brokers that may have a result are never what the caller makes up: %j',
    async (headers) => {
      const { context } = proxyOf();
      expect(await inCall((request) => knownHolders(context, request, requestId), headers)).toBe(
        'INVALID_PARAMETER',
      );
    },
  );
});

describe('a call', () => {
  test('a call goes to another broker where nothing of it was sent, and to no further one after an answer', async () => {
    const { context } = proxyOf();
    const { call, asked } = callAnswered({ a: 'unsent', b: 'unsent', c: 500 }, { isSafe: false });
    await inCall((request) => forwardToOneOf(context, request, call, anyBroker(context)));
    expect(asked.toSorted()).toEqual(expect.arrayContaining(['c']));
    expect(new Set(asked).size).toBe(asked.length);
    expect(asked.at(-1)).toBe('c');
  });

  test.each([
    ['a query that may have run', 'unanswered', { isSafe: false }],
    ['one whose body is not whole any more', 'unsent', { isWhole: false }],
  ] as const)('a call never goes out twice: %s', async (_what, kind, facts) => {
    const { context } = proxyOf();
    const { call, asked } = callAnswered({ a: kind, b: kind, c: kind }, facts);
    expect(
      await inCall((request) =>
        brokersForQuery(context, request, noBody).then((found) =>
          forwardToOneOf(context, request, call, found),
        ),
      ),
    ).toBe('BROKER_TIMED_OUT');
    expect(asked).toHaveLength(1);
  });

  test('a call is tried at three brokers at most, and fails as the last of them did', async () => {
    const { context } = proxyOf();
    const { call, asked } = callAnswered({ a: 'unanswered', b: 'unanswered', c: 'unanswered' });
    expect(
      await inCall((request) => forwardToOneOf(context, request, call, anyBroker(context))),
    ).toBe('BROKER_TIMED_OUT');
    expect(asked.toSorted()).toEqual(['a', 'b', 'c']);
  });

  test('a call about a result teaches where it is, and unteaches it with a 404', async () => {
    const { context, routes, b } = proxyOf(true);
    const known = { by: 'learnt', brokers: [b], triesMax: 1, mayDecline: false } as const;
    await inCall((request) =>
      forwardToOneOf(context, request, callAnswered({ b: 200 }).call, known, requestId),
    );
    expect(routes.get(requestId)).toBe(b);
    await inCall((request) =>
      forwardToOneOf(context, request, callAnswered({ b: 404 }).call, known, requestId),
    );
    expect(routes.get(requestId)).toBeUndefined();
  });

  test('a call goes to the broker that was learnt alone, as long as that has the result', async () => {
    const { context, routes, c } = proxyOf();
    routes.set(requestId, c);
    const { call, asked } = callAnswered({ c: 410 });
    await inCall((request) => forwardToHolder(context, request, call, requestId));
    expect([asked, routes.get(requestId)]).toEqual([['c'], c]);
  });
});

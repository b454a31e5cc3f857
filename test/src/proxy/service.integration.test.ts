import type { ErrorBody, ProxyHealthResponse } from '@quire/api';
import { proxyOperations } from '@quire/api';
import { CallLimits } from '@quire/auth';
import { ManualClock } from '@quire/core/testing';
import { Validator } from '@seriousme/openapi-schema-validator';
import { generate } from 'selfsigned';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { answers, hangs, MisbehavingBroker } from '../testkit/servers/misbehaving-broker.ts';
import { scriptedRowsJson } from '../testkit/broker-engine.ts';
import { type LogLine, recordingLogger, untilLogged } from '../testkit/broker-log.ts';
import type { TestBroker } from '../testkit/broker-server.ts';
import { forwardTo, startBroker, TestProxy } from '../testkit/proxy-server.ts';

let one: TestBroker;
let two: TestBroker;

beforeAll(async () => {
  [one, two] = [await startBroker('one'), await startBroker('two')];
});

afterAll(async () => {
  for (const each of [one, two]) await each[Symbol.asyncDispose]();
});

describe('the API document of the proxy', () => {
  test('the API document of the proxy is valid, and has the calls of the proxy and no other', async () => {
    await using proxy = await TestProxy.start([one]);
    const document = (await proxy.call('/openapi.json')).json<{
      info: { title: string };
      paths: Record<
        string,
        Record<string, { operationId: string; parameters?: { name: string; in: string }[] }>
      >;
    }>();
    const valid = await new Validator().validate(structuredClone(document));
    const documented = Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(
        ([method, { operationId }]) => `${operationId} ${method} ${path}`,
      ),
    );
    const expected = Object.entries(proxyOperations).map(
      ([name, { method, path }]) =>
        `${name} ${method.toLowerCase()} ${path.replaceAll(/:(\w+)/g, '{$1}')}`,
    );
    const page = document.paths['/query/{requestId}/results']?.['get']?.parameters ?? [];

    expect([valid, document.info.title]).toEqual([{ valid: true }, 'Quire proxy']);
    expect(documented.toSorted((a, b) => a.localeCompare(b))).toEqual(
      expected.toSorted((a, b) => a.localeCompare(b)),
    );
    expect(page.filter(({ in: place }) => place === 'header').map(({ name }) => name)).toEqual([
      'FORWARD_HOST',
      'FORWARD_PORT',
    ]);
    expect((await proxy.call('/docs')).text).toContain('Quire proxy');
  });

  test('documents every status that its calls give', async () => {
    await using proxy = await TestProxy.start([one, { url: 'http://127.0.0.1:1' }]);
    const document = (await proxy.call('/openapi.json')).json<{
      paths: Record<
        string,
        Record<string, { operationId: string; responses: Record<string, unknown> }>
      >;
    }>();
    const id = '0190163d-8694-739b-aea5-966c26f8ad91';
    const undocumented: string[] = [];
    for (const [path, methods] of Object.entries(document.paths)) {
      for (const [method, { operationId, responses }] of Object.entries(methods)) {
        const target = path.replaceAll('{requestId}', id).replaceAll(/\{\w+\}/g, 'x');
        const body =
          method === 'post'
            ? '{"sql":"rows 1"}'
            : method === 'patch'
              ? '{"expiration":"1h"}'
              : undefined;
        const options = {
          method: method.toUpperCase(),
          as: 'root' as const,
          ...(body !== undefined && { body }),
        };
        const statuses = [
          (await proxy.call(target, options)).status,
          (await proxy.call(target, { ...options, headers: { authorization: 'Bearer x' } })).status,
          (await proxy.call(target, { ...options, headers: { forward_host: 'x' } })).status,
        ];
        undocumented.push(
          ...statuses
            .filter((status) => !(String(status) in responses))
            .map((status) => `${operationId} ${status}`),
        );
      }
    }
    expect(undocumented).toEqual([]);
  });
});

describe('credentials', () => {
  test('credentials are checked before any broker is called, where the proxy is told to', async () => {
    await using broker = await MisbehavingBroker.start();
    broker.conduct = answers(200, '{}');
    await using proxy = await TestProxy.start([broker], { authMode: 'check' });
    const stranger = await proxy.query('rows 1', '', {
      headers: { authorization: 'Bearer bob-token' },
    });
    const nobody = await proxy.query('rows 1', '', { as: undefined });
    const known = await proxy.query('rows 1');

    expect([stranger.status, nobody.status, known.status]).toEqual([401, 401, 200]);
    expect(broker.calls.map(({ headers }) => headers.authorization)).toEqual(['Bearer ann-token']);
  });

  test('credentials of the proxy are needed for what it tells of itself', async () => {
    await using proxy = await TestProxy.start([one]);
    const paths = ['/metrics', '/openapi.json', '/docs', '/nowhere'];
    const statuses = [];
    for (const path of paths) statuses.push((await proxy.call(path, { as: 'bob' })).status);
    expect(statuses).toEqual([401, 401, 401, 401]);
    expect((await proxy.call('/health', { as: undefined })).status).toBe(200);
  });
});

test('an address that guesses at credentials that brokers check is held back; a caller that was let in before is not', async () => {
  const settings = {
    callsPerSecondMax: Infinity,
    callsRunningMax: Infinity,
    failuresPerMinuteMax: 2,
  };
  await using proxy = await TestProxy.start([one], {
    limits: new CallLimits(() => settings, new ManualClock()),
  });
  const guess = (token: string) =>
    proxy.query('rows 1', '', { headers: { authorization: `Bearer ${token}` } });
  const statuses = [];
  for (const token of ['ann-token', 'a', 'b', 'c', 'ann-token']) {
    statuses.push((await guess(token)).status);
  }
  const held = await guess('d');

  expect(statuses).toEqual([200, 401, 401, 429, 200]);
  expect([held.json<ErrorBody>().reason, held.headers.get('retry-after')]).toEqual([
    'TOO_MANY_REQUESTS',
    '30',
  ]);
});

test('a guess whose caller leaves before its answer is not a caller that was let in before', async () => {
  const settings = {
    callsPerSecondMax: Infinity,
    callsRunningMax: Infinity,
    failuresPerMinuteMax: 2,
  };
  const lines: LogLine[] = [];
  await using broker = await MisbehavingBroker.start();
  await using proxy = await TestProxy.start([broker], {
    limits: new CallLimits(() => settings, new ManualClock()),
    logger: recordingLogger(lines),
  });
  const guess = (token: string, signal?: AbortSignal) =>
    proxy.query('rows 1', '', {
      headers: { authorization: `Bearer ${token}` },
      ...(signal && { signal }),
    });
  broker.conduct = hangs;
  const leaving = new AbortController();
  const left = guess('a', leaving.signal).catch(() => 'left');
  await broker.untilCalled();
  leaving.abort();
  expect(await left).toBe('left');
  await untilLogged(lines, 'call aborted');

  broker.conduct = answers(401, '{}');
  const statuses = [];
  for (const token of ['b', 'c', 'a']) statuses.push((await guess(token)).status);
  // The call that was left did not count as a failure either: two were answered.
  expect(statuses).toEqual([401, 401, 429]);
});

describe('the brokers of a proxy', () => {
  test('the brokers of a proxy change with its settings; calls under way end where they began', async () => {
    let brokers = [one.address.url];
    await using proxy = await TestProxy.start([], {
      get brokers() {
        return brokers;
      },
    });
    const ofOne = await proxy.stored(10);
    const ofTwo = await two.stored(10);
    const unknown = await proxy.call(`/query/${ofTwo}/results?offset=0`, {
      headers: forwardTo('two'),
    });
    const ending = new AbortController();
    const hanging = proxy.query('hang', '', { signal: ending.signal }).catch(() => 'gone');
    await one.engine.untilHanging();
    brokers = [two.address.url];
    await proxy.nextRound();
    const found = await proxy.call(`/query/${ofTwo}/results?offset=0`, {
      headers: forwardTo('two'),
    });
    const taken = await proxy.call(`/query/${ofOne}/results?offset=0`, {
      headers: forwardTo('one'),
    });
    const lost = await proxy.call(`/query/${ofOne}/results?offset=0`);
    const still = one.engine.openCount;

    expect([unknown.status, found.status, taken.status, lost.status]).toEqual([400, 200, 400, 404]);
    expect(still).toBe(0);
    expect(
      (await proxy.call('/health'))
        .json<ProxyHealthResponse>()
        .brokers.map(({ brokerId }) => brokerId),
    ).toEqual(['Broker_two.example_8099']);
    expect(await Promise.race([hanging, proxy.call('/health').then(() => 'still waiting')])).toBe(
      'still waiting',
    );
    ending.abort();
    await hanging;
    await one.engine.untilIdle();
  });

  test('the brokers of a proxy are those that a name stands for at the moment', async () => {
    const { port } = one.address;
    let addresses = ['127.0.0.1'];
    const asked: string[] = [];
    await using proxy = await TestProxy.start([], {
      brokers: [],
      brokersName: `http://brokers.example:${port}`,
      resolveIntervalMs: 5000,
      resolveName: async (name) => {
        asked.push(name);
        return addresses;
      },
    });
    const requestId = await proxy.stored(3);
    const page = await proxy.call(`/query/${requestId}/results?offset=0`, {
      headers: forwardTo('one'),
    });
    addresses = ['127.0.0.2'];
    await proxy.nextRound();
    const gone = (await proxy.call('/health')).json<ProxyHealthResponse>();

    expect([page.status, asked]).toEqual([200, ['brokers.example', 'brokers.example']]);
    expect(gone).toMatchObject({
      status: 'unavailable',
      brokers: [{ brokerId: null, state: 'down' }],
    });
  });

  test('the brokers of a proxy may speak HTTPS, with a certificate that the proxy trusts', async () => {
    const altNames = [{ type: 7 as const, ip: '127.0.0.1' }];
    const { cert, private: key } = await generate([{ name: 'commonName', value: 'broker' }], {
      keyType: 'ec' as const,
      algorithm: 'sha256',
      extensions: [{ name: 'subjectAltName' as const, altNames }],
    });
    await using broker = await startBroker('secure', { tls: { certificate: cert, key } });
    await using trusting = await TestProxy.start([broker], { certificateAuthorities: cert });
    await using wary = await TestProxy.start([broker]);
    const answer = await trusting.query('rows 2');
    const refused = await wary.query('rows 2');

    expect(answer.text).toContain(scriptedRowsJson(0, 2));
    expect([refused.status, refused.json<ErrorBody>().reason]).toEqual([503, 'BROKER_UNAVAILABLE']);
  });

  test('the brokers of a proxy have to be named at the start', async () => {
    await expect(TestProxy.start([{ url: 'broker-1:8099' }])).rejects.toMatchObject({
      code: 'INVALID_SETTING',
    });
  });
});

test('a proxy that shuts down lets calls under way end, and refuses others', async () => {
  await using proxy = await TestProxy.start([two]);
  const ending = new AbortController();
  const hanging = proxy
    .query('rows 5 then hang', '?doPaginate=true', { signal: ending.signal })
    .catch(() => 'gone');
  await two.engine.untilHanging();
  const closed = proxy.proxy.close();
  const refused = await proxy.query('rows 1');
  const health = await proxy.call('/health');
  expect([refused.status, refused.json<ErrorBody>().reason, health.status]).toEqual([
    503,
    'SHUTTING_DOWN',
    503,
  ]);
  expect(two.engine.openCount).toBe(1);
  await proxy.clock.advance(10_000);
  const answer = await hanging;
  expect(answer).toMatchObject({ status: 503 });
  await closed;
  await two.engine.untilIdle();
});

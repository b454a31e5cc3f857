import { createHash } from 'node:crypto';
import { brokerOperations, type RunningQueryList } from '@quire/api';
import { BrokerMetrics } from '@quire/broker';
import { isRequestId } from '@quire/core';
import { expect, test } from 'vitest';
import { type LogLine, recordingLogger } from '../../../test/src/testkit/broker-log.ts';
import { TestBroker } from '../../../test/src/testkit/broker-server.ts';
import { until } from '../../../test/src/testkit/until.ts';

test('health tells that the broker lives, and no secrets', async () => {
  await using broker = await TestBroker.start({
    storeLocation: 'file:///srv/private/quire',
    storeType: 'fs',
  });
  await broker.clock.advance(1234);
  const answer = await broker.call('/health/', { as: undefined });
  expect(answer.headers.get('cache-control')).toBe('no-store');
  expect(answer.json<unknown>()).toEqual({
    status: 'ok',
    version: '1.2.3',
    brokerId: 'Broker_127.0.0.1_8099',
    uptimeMs: 1234,
    storeType: 'fs',
    isStoreShared: false,
    queriesRunning: 0,
    queriesQueued: 0,
  });
});

test('every call is one line in the log: who, what, how it ended and how long it took', async () => {
  const log: LogLine[] = [];
  await using broker = await TestBroker.start({ logger: recordingLogger(log) });
  const requestId = await broker.stored(10);
  const answer = await broker.call(`/query/${requestId}/results/?offset=99&hush=secret-parameter`);
  await broker.call('/nowhere?hush=secret-parameter', {
    as: 'root',
    headers: { cookie: 'secret-cookie' },
  });
  await broker.call('/metrics', {
    as: undefined,
    headers: { authorization: 'Bearer secret-token' },
  });
  await broker.broker.close();
  const calls = log.filter(({ msg }) => msg === 'call ended');
  const line = { level: 'info', msg: 'call ended', durationMs: 0 };
  expect(calls).toEqual([
    { ...line, requestId, method: 'POST', route: '/query/sql', status: 200, principal: 'ann' },
    {
      ...line,
      requestId: answer.headers.get('x-request-id'),
      method: 'GET',
      route: '/query/:requestId/results',
      status: 416,
      principal: 'ann',
    },
    {
      ...line,
      requestId: expect.any(String),
      method: 'GET',
      route: 'none',
      status: 404,
      principal: 'root',
    },
    {
      ...line,
      requestId: expect.any(String),
      method: 'GET',
      route: '/metrics',
      status: 401,
      principal: undefined,
    },
  ]);
  expect(calls.map((call) => isRequestId(String(call['requestId'])))).toEqual([
    true,
    true,
    true,
    true,
  ]);
});

test('the log tells what a query cost, and nothing of what it asked', async () => {
  const log: LogLine[] = [];
  await using broker = await TestBroker.start({ logger: recordingLogger(log) });
  await broker.query('rows 10 -- secret-sql', '?doPaginate=true');
  await broker.query('fail TABLE_NOT_FOUND');
  await broker.broker.close();
  expect(log).toContainEqual(
    expect.objectContaining({ level: 'info', msg: 'query stored', rowCount: 10, elapsedMs: 12.4 }),
  );
  expect(log).toContainEqual(
    expect.objectContaining({
      level: 'info',
      msg: 'query failed',
      reason: 'TABLE_NOT_FOUND',
      errorCode: 190,
    }),
  );
  const text = JSON.stringify(log, (_key, value: unknown) =>
    value instanceof Error ? value.stack : value,
  );
  expect(text).not.toMatch(/secret-|ann-token|root-token|bearer/i);
});

test('what nobody expected is in the log, whole, under the id that the caller was given', async () => {
  const log: LogLine[] = [];
  await using broker = await TestBroker.start({ logger: recordingLogger(log) });
  const answer = await broker.query('crash');
  const line = log.find(({ level }) => level === 'error');
  expect(line).toMatchObject({
    msg: 'query failed unexpectedly',
    requestId: answer.headers.get('x-request-id'),
  });
  expect(line).toHaveProperty('err.cause', expect.any(TypeError));
});

/** The samples of a Prometheus text, by name and labels. */
function samplesOf(text: string): Map<string, number> {
  const samples = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  return new Map(
    samples.map((line) => [
      line.slice(0, line.lastIndexOf(' ')),
      Number(line.slice(line.lastIndexOf(' '))),
    ]),
  );
}

test('the metrics count calls, queries, rows, bytes and store calls', async () => {
  const metrics = new BrokerMetrics();
  await using broker = await TestBroker.start({ metrics });
  const requestId = await broker.stored(2500);
  const csv = await broker.call(`/query/${requestId}/results?offset=0&numRows=2500&format=csv`);
  await broker.call(`/query/${requestId}/results?offset=x`);
  await broker.query('fail QUERY_SYNTAX');
  for (const call of broker.endedCalls) metrics.observeStoreCall(call);
  const answer = await broker.call('/metrics');
  expect(answer.headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8');
  const samples = samplesOf(answer.text);
  const expected = {
    'quire_http_request_duration_seconds_count{method="POST",route="/query/sql",status="200"}': 2,
    'quire_http_request_duration_seconds_count{method="GET",route="/query/:requestId/results",status="200"}': 1,
    'quire_http_request_duration_seconds_count{method="GET",route="/query/:requestId/results",status="400"}': 1,
    'quire_query_duration_seconds_count{outcome="ok"}': 1,
    'quire_query_duration_seconds_count{outcome="QUERY_SYNTAX"}': 1,
    'quire_rows_served_total{format="json"}': 1,
    'quire_rows_served_total{format="csv"}': 2500,
    'quire_bytes_served_total{format="csv"}': csv.bytes.length,
    quire_queries_running: 0,
    quire_queries_queued: 0,
    'quire_store_call_duration_seconds_count{op="put",outcome="ok"}': 2,
  };
  expect(
    Object.fromEntries(Object.keys(expected).map((name) => [name, samples.get(name)])),
  ).toEqual(expected);
  expect([...samples.keys()]).toContain('nodejs_eventloop_lag_seconds');
  expect(answer.text).not.toContain(requestId);
});

test('the gauges show what runs and waits', async () => {
  await using broker = await TestBroker.start({ queriesRunningMax: 1, queriesQueuedMax: 1 });
  const abort = new AbortController();
  const calls = [1, 2].map(() =>
    broker.query('hang', '', { signal: abort.signal }).catch(() => 'gone'),
  );
  await broker.untilQueued(1);
  const samples = samplesOf((await broker.call('/metrics')).text);
  expect([samples.get('quire_queries_running'), samples.get('quire_queries_queued')]).toEqual([
    1, 1,
  ]);
  abort.abort();
  await Promise.all(calls);
});

test('admins see in metrics and lists who has what runs and waits, and what it waits for; others see no names', async () => {
  await using broker = await TestBroker.start({
    queriesRunningMax: 4,
    queriesQueuedMax: 8,
    reuse: { ageMaxMs: 0 },
  });
  broker.engine.version = 'one';
  const abort = new AbortController();
  const call = (sql: string, as: 'ann' | 'bob') =>
    broker.query(sql, '?doPaginate=true', { as, signal: abort.signal }).catch(() => 'gone');
  const calls = [1, 2, 3].map((rowCount) => call(`rows ${rowCount} then hang`, 'ann'));
  await broker.engine.untilHanging(3);
  calls.push(call('rows 3 then hang', 'ann'), call('rows 4', 'ann'));
  await broker.untilQueued(1);
  calls.push(call('rows 4', 'bob'));
  await broker.untilQueued(2);
  const listed = async (as: 'ann' | 'root') => {
    const { queries } = (await broker.call('/queries', { as })).json<RunningQueryList>();
    return queries.map(({ owner, query, state, waitsFor }) => [owner, query, state, waitsFor]);
  };
  await until(async () => (await listed('root')).length === 6, 'all queries are listed');

  const ofPrincipals = (text: string) =>
    Object.fromEntries([...samplesOf(text)].filter(([name]) => name.includes('principal')));
  expect(ofPrincipals((await broker.call('/metrics', { as: 'root' })).text)).toEqual({
    'quire_queries_running_by_principal{principal="ann"}': 3,
    'quire_queries_queued_by_principal{principal="ann"}': 1,
    'quire_queries_queued_by_principal{principal="bob"}': 1,
  });
  expect(ofPrincipals((await broker.call('/metrics')).text)).toEqual({});
  const all = await listed('root');
  expect(all.filter(([, , state]) => state === 'RUNNING').length).toBe(3);
  expect(all).toEqual(
    expect.arrayContaining([
      ['ann', 'rows 3 then hang', 'QUEUED', 'SAME_QUERY'],
      ['ann', 'rows 4', 'QUEUED', 'SHARE'],
      ['bob', 'rows 4', 'QUEUED', 'SLOT'],
    ]),
  );
  expect((await listed('ann')).length).toBe(5);
  abort.abort();
  await Promise.all(calls);
});

test('the docs are one page about every call, which needs nothing from elsewhere and runs one script', async () => {
  await using broker = await TestBroker.start();
  const answer = await broker.call('/docs');
  expect(answer.headers.get('content-type')).toBe('text/html; charset=utf-8');
  expect(answer.headers.get('content-security-policy')).toContain("default-src 'none'");
  // No store that signs links, no cleaner, and no usage count.
  const {
    readLink: _link,
    readUsage: _usage,
    readSweepPlan: _sweep,
    readBrokerSettings: _settings,
    ...operations
  } = brokerOperations;
  const missing = Object.values(operations).filter(
    ({ path, schema }) =>
      !answer.text.includes(`<article id="${schema.operationId}"`) ||
      !answer.text.includes(path.replaceAll(/:(\w+)/g, '{$1}')),
  );
  expect(missing).toEqual([]);
  const [page = '', script = '', ...others] = answer.text.split(/<script>|<\/script>/);
  expect([others.length, page.match(/<script|<img|<link|@import|url\(|https?:|\son\w+=/i)]).toEqual(
    [1, null],
  );
  const digest = createHash('sha256').update(script).digest('base64');
  expect(answer.headers.get('content-security-policy')).toContain(
    `script-src 'sha256-${digest}'; `,
  );
  expect(page.match(/<form data-method/g)).toHaveLength(Object.keys(operations).length);
  const targets = [...answer.text.matchAll(/href="#([^"]+)"/g)].map(([, id]) => id);
  expect(targets.filter((id) => !answer.text.includes(`<article id="${id}"`))).toEqual([]);
});

test('metrics and docs can be switched off', async () => {
  await using broker = await TestBroker.start({ metricsEnabled: false, docsEnabled: false });
  for (const path of ['/metrics', '/docs', '/openapi.json']) {
    expect((await broker.call(path)).json()).toMatchObject({
      code: 404,
      reason: 'ROUTE_NOT_FOUND',
    });
  }
});

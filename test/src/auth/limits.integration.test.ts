import { CallLimits, type CallLimitSettings } from '@quire/auth';
import { ManualClock } from '@quire/core/testing';
import { expect, test } from 'vitest';
import { type LogLine, recordingLogger } from '../testkit/broker-log.ts';
import { TestBroker } from '../testkit/broker-server.ts';

const clock = new ManualClock();
const unlimited: CallLimitSettings = {
  callsPerSecondMax: Infinity,
  callsRunningMax: Infinity,
  failuresPerMinuteMax: Infinity,
};

function start(settings: Partial<CallLimitSettings>, log: LogLine[] = []): Promise<TestBroker> {
  const limits = new CallLimits(() => ({ ...unlimited, ...settings }), clock);
  return TestBroker.start({ limits, logger: recordingLogger(log) });
}

const audited = (log: readonly LogLine[]): readonly LogLine[] =>
  log.filter((line) => line['audit'] === true);

test('one who calls too often is told when to come back, before anything is done; others are not affected', async () => {
  const log: LogLine[] = [];
  await using broker = await start({ callsPerSecondMax: 1 }, log);
  const first = await broker.query('rows 1');
  const callCount = broker.store.calls.length;
  const second = await broker.query('rows 1');
  const health = await broker.call('/health', { as: undefined });
  const bob = await broker.query('rows 1', '', { as: 'bob' });

  expect([first.status, second.status, health.status, bob.status]).toEqual([200, 429, 200, 200]);
  expect(second.headers.get('retry-after')).toBe('1');
  expect(second.json()).toEqual({
    code: 429,
    error:
      'ann has exceeded its calls per second (engine.auth.limit.requestsPerSecond = 1); try again in 1 s.',
    reason: 'TOO_MANY_REQUESTS',
  });
  expect(callCount).toBeGreaterThan(0);
  expect(audited(log)).toMatchObject([
    {
      event: 'call refused',
      principal: 'ann',
      reason: 'TOO_MANY_REQUESTS',
      remoteAddress: '127.0.0.1',
      route: '/query/sql',
    },
  ]);
  await clock.advance(1000);
  expect((await broker.query('rows 1')).status).toBe(200);
});

test('one who has too many calls under way waits for one of them to end, also by its client going away', async () => {
  await using broker = await start({ callsRunningMax: 1 });
  const abort = new AbortController();
  const running = broker.query('hang', '', { signal: abort.signal }).catch(() => 'gone');
  await broker.engine.untilHanging();

  const refused = await broker.call('/metrics');
  const bob = await broker.call('/metrics', { as: 'bob' });
  abort.abort();
  await running;
  let again = await broker.call('/metrics');
  while (again.status === 429) again = await broker.call('/metrics');

  expect(refused.json()).toMatchObject({
    code: 429,
    error: 'ann has 1 call in progress (engine.auth.limit.concurrency = 1); try again in 1 s.',
  });
  expect([bob.status, again.status]).toEqual([200, 200]);
});

test('a query counts until it has ended, though its call was answered; its principal can still read and cancel it', async () => {
  await using broker = await start({ callsRunningMax: 2 });
  const post = (as: 'ann' | 'bob' = 'ann') =>
    broker.query('hang', '?doPaginate=true&async=true&wait=0s', { as });
  const ids = [(await post()).json().requestId, (await post()).json().requestId];

  const [refused, plain] = [await post(), await broker.query('rows 1')];
  const reading = await Promise.all([
    broker.call(`/query/${ids[0]}`),
    broker.call(`/query/${ids[1]}/results?offset=0&wait=0s`),
  ]);
  const bob = await post('bob');
  const cancelled = await broker.call(`/query/${ids[0]}`, { method: 'DELETE' });
  const third = await post();

  expect([refused.status, refused.headers.get('retry-after'), plain.status]).toEqual([
    429,
    '1',
    429,
  ]);
  expect(refused.json()).toEqual({
    code: 429,
    error:
      'ann has 1 call in progress, and 2 earlier calls whose queries or other work are still running (engine.auth.limit.concurrency = 2); try again in 1 s.',
    reason: 'TOO_MANY_REQUESTS',
  });
  expect([...reading, bob, cancelled, third].map(({ status }) => status)).toEqual([
    200, 202, 202, 200, 202,
  ]);
});

test('who tries many credentials is not listened to any more; who has shown good ones is', async () => {
  const log: LogLine[] = [];
  await using broker = await start({ failuresPerMinuteMax: 2 }, log);
  const guess = (token: string) =>
    broker.call('/metrics', { as: undefined, headers: { authorization: `Bearer ${token}` } });
  await broker.call('/metrics', { as: 'ann' });

  const answers = [
    await guess('secret-a'),
    await guess('secret-b'),
    await guess('secret-c'),
    await guess('bob-token'),
  ];
  const ann = await broker.call('/metrics', { as: 'ann' });
  const nobody = await broker.call('/metrics', { as: undefined });

  expect(answers.map(({ status }) => status)).toEqual([401, 401, 429, 429]);
  expect(answers[2]?.headers.get('retry-after')).toBe('30');
  expect(answers[2]?.json()).toMatchObject({
    error: 'Too many wrong credentials came from this address; try again in 30 s.',
  });
  expect([ann.status, nobody.status]).toEqual([200, 401]);
  expect(audited(log).map((line) => [line['reason'], line['principal']])).toEqual([
    ['UNAUTHENTICATED', undefined],
    ['UNAUTHENTICATED', undefined],
    ['TOO_MANY_REQUESTS', undefined],
    ['TOO_MANY_REQUESTS', undefined],
    ['UNAUTHENTICATED', undefined],
  ]);
  expect(JSON.stringify(log)).not.toMatch(/secret-|-token/);
  await clock.advance(60_000);
  expect((await guess('bob-token')).status).toBe(200);
});

test('every deletion and every refusal of a role is one line that says who, what and from where', async () => {
  const log: LogLine[] = [];
  await using broker = await start({}, log);
  const [requestId, other] = [await broker.stored(3), await broker.stored(3)];
  await broker.call(`/query/resultStore/${requestId}`, { method: 'DELETE' });
  await broker.call('/query/resultStore?expiredBefore=9999999999999', {
    method: 'DELETE',
    as: 'root',
  });
  await broker.call('/query/resultStore', { method: 'DELETE', as: 'bob' });
  // A refused deletion does not count as a deletion.
  await broker.call(`/query/resultStore/${other}`, { method: 'DELETE' });

  const line = {
    level: 'info',
    audit: true,
    remoteAddress: '127.0.0.1',
    requestId: expect.any(String),
  };
  const [deleted, expired, refused] = [
    'result deleted',
    'expired results deleted',
    'call refused',
  ] as const;
  expect(audited(log)).toEqual([
    {
      ...line,
      msg: deleted,
      event: deleted,
      principal: 'ann',
      resultId: requestId,
      reason: 'deleted',
      sizeBytes: expect.any(Number),
    },
    {
      ...line,
      msg: expired,
      event: expired,
      principal: 'root',
      reason: 'expired',
      deletedCount: 1,
      cutoffMs: 9_999_999_999_999,
    },
    {
      ...line,
      msg: refused,
      event: refused,
      principal: 'bob',
      reason: 'FORBIDDEN',
      method: 'DELETE',
      route: '/query/resultStore',
    },
  ]);
});

test("who asks for somebody else's result hears that there is none; the log knows better", async () => {
  const log: LogLine[] = [];
  await using broker = await start({}, log);
  const [requestId, gone] = [await broker.stored(3), await broker.stored(3)];
  await broker.results.delete(gone);
  const never = '0190163d-8694-739b-aea5-966c26f8ad91';
  for (const id of [requestId, gone, never]) {
    const answers = [
      await broker.call(`/query/${id}/results?offset=0`, { as: 'bob' }),
      await broker.call(`/query/resultStore/${id}`, { as: 'bob', method: 'DELETE' }),
    ];
    expect(answers.map(({ status }) => status)).toEqual([404, 404]);
  }
  expect(
    audited(log).map((line) => [
      line['event'],
      line['principal'],
      line['resultId'],
      line['reason'],
      line['details'],
    ]),
  ).toEqual(
    [requestId, requestId, gone, gone].map((id) => [
      'call refused',
      'bob',
      id,
      'RESULT_NOT_FOUND',
      'the result belongs or belonged to another principal',
    ]),
  );
});

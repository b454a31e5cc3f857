import { describe, expect, it } from 'vitest';
import { QuireClient, QuireClientError } from '../src/index.ts';
import { parseRetryAfterMs } from '../src/server-error.ts';
import { errorOf, thrownBy } from './client-of-one-answer.ts';
import { FakeResult, requestId } from './fake-result.ts';

const unavailable = (headers: Record<string, string> = {}) =>
  Response.json(
    { code: 503, error: 'Try again.', reason: 'STORE_UNAVAILABLE' },
    { status: 503, headers },
  );

/** Advances time until the call has ended; returns its duration and its outcome. */
async function timed(
  fake: FakeResult,
  call: Promise<unknown>,
): Promise<{ readonly elapsedMs: number; readonly outcome: unknown }> {
  const startMs = fake.clock.monotonicMs();
  let outcome: unknown;
  const ended = call.then(
    () => (outcome = 'ok'),
    (error: unknown) => (outcome = error instanceof QuireClientError ? error.code : error),
  );
  for (let turns = 0; outcome === undefined && turns < 10_000; turns += 1) {
    await fake.clock.advance(50);
  }
  await ended;
  return { elapsedMs: fake.clock.monotonicMs() - startMs, outcome };
}

describe('a read that fails for a reason that may pass', () => {
  it.each<[string, () => Response | Error | 'cut']>([
    [
      'no connection',
      () => new TypeError('fetch failed', { cause: new Error('connect ECONNREFUSED') }),
    ],
    ['a body that is cut short', () => 'cut'],
    ['503 of a broker', () => unavailable()],
    ['502 of some proxy', () => new Response('<html>', { status: 502 })],
    [
      '429',
      () =>
        Response.json(
          { code: 429, error: 'Slowly.', reason: 'TOO_MANY_REQUESTS' },
          { status: 429 },
        ),
    ],
  ])(
    'a read that fails for a reason that may pass is made again, after waits that double: %s',
    async (_name, fault) => {
      const fake = new FakeResult({
        rowCount: 3,
        fault: (_call, index) => (index < 3 ? fault() : undefined),
      });
      const { elapsedMs, outcome } = await timed(
        fake,
        fake.client.page(requestId, { offset: 1, rowCount: 1 }),
      );
      expect({ outcome, calls: fake.calls.length }).toEqual({ outcome: 'ok', calls: 4 });
      // Random is 0.5: three quarters of 200, 400 and 800 ms.
      expect(elapsedMs).toBe(1050);
    },
  );

  it('a read that fails for a reason that may pass gives up after as many attempts as it may make, with the last failure', async () => {
    const fake = new FakeResult({
      rowCount: 3,
      fault: () => unavailable(),
      client: { retry: { attemptsMax: 2 } },
    });
    expect(await timed(fake, fake.client.metadata(requestId))).toEqual({
      elapsedMs: 150,
      outcome: 'STORE_UNAVAILABLE',
    });
    expect(fake.calls.length).toBe(2);
  });

  it('a read that fails for a reason that may pass waits as long as the server asks for, and not at all for one that asks for too much', async () => {
    const patient = new FakeResult({
      rowCount: 3,
      fault: (_call, index) => (index === 0 ? unavailable({ 'retry-after': '30' }) : undefined),
    });
    expect(await timed(patient, patient.client.metadata(requestId))).toEqual({
      elapsedMs: 30_000,
      outcome: 'ok',
    });
    const asked = new FakeResult({
      rowCount: 3,
      fault: () => unavailable({ 'retry-after': '3600' }),
    });
    const error: unknown = await asked.client
      .metadata(requestId)
      .catch((reason: unknown) => reason);
    expect(error).toMatchObject({
      code: 'STORE_UNAVAILABLE',
      status: 503,
      retryAfterMs: 3_600_000,
      retryable: true,
    });
    expect(asked.calls.length).toBe(1);
  });

  it('a read that fails for a reason that may pass is not made again once it is aborted, not even during a wait', async () => {
    const fake = new FakeResult({ rowCount: 3, fault: () => unavailable() });
    const aborter = new AbortController();
    const reading = thrownBy(fake.client.metadata(requestId, { signal: aborter.signal }));
    await fake.clock.untilSleeping();
    await fake.clock.advance(10);
    const reason = new Error('enough');
    aborter.abort(reason);
    expect(await reading).toBe(reason);
    expect([fake.calls.length, fake.clock.sleeperCount]).toEqual([1, 0]);
  });
});

describe('nothing else is made again', () => {
  it.each(['query', 'delete', 'renew'] as const)(
    'no call but a read that may pass is made again: not a %s',
    async (kind) => {
      const fake = new FakeResult({ rowCount: 3, fault: () => unavailable() });
      const { client } = fake;
      const calls = {
        query: () => client.query('SELECT 1'),
        delete: () => client.delete(requestId),
        renew: () => client.renew(requestId, '1h'),
      };
      expect((await errorOf(calls[kind]())).code).toBe('STORE_UNAVAILABLE');
      expect(fake.calls.length).toBe(1);
    },
  );

  it.each([
    [400, 'INVALID_PARAMETER'],
    [401, 'UNAUTHENTICATED'],
    [404, 'RESULT_NOT_FOUND'],
    [410, 'RESULT_EXPIRED'],
    [410, 'RESULT_EVICTED'],
    [410, 'RESULT_DELETED'],
    [500, 'INTERNAL'],
    [500, 'RESULT_CORRUPT'],
    [507, 'STORE_FULL'],
  ])(
    'no call but a read that may pass is made again: not a read that %i %s answers',
    async (status, reason) => {
      const body = { code: status, error: 'No.', reason };
      const fake = new FakeResult({ rowCount: 3, fault: () => Response.json(body, { status }) });
      const error: unknown = await fake.client
        .page(requestId, { offset: 0 })
        .catch((thrown: unknown) => thrown);
      expect(error).toBeInstanceOf(QuireClientError);
      expect(error).toMatchObject({ code: reason, message: 'No.', status, retryable: false });
      expect(fake.calls.length).toBe(1);
    },
  );
});

describe('what may be retried', () => {
  it.each([
    { attemptsMax: 0 },
    { attemptsMax: 1.5 },
    { delayMs: -1 },
    { delayMs: 10, delayMaxMs: 5 },
    { retryAfterMaxMs: Number.NaN },
  ])('what may be retried is not described by %j', (retry) => {
    expect(() => new QuireClient({ baseUrl: 'http://quire.test', retry })).toThrow(
      expect.objectContaining({ code: 'INVALID_PARAMETER' }),
    );
  });

  it.each([
    ['12', 12_000],
    ['0', 0],
    ['Thu, 01 Jan 2026 00:00:30 GMT', 30_000],
    ['Wed, 31 Dec 2025 23:00:00 GMT', 0],
    ['soon', undefined],
    ['', undefined],
    [null, undefined],
  ])('what may be retried comes after %j, which is %j ms', (header, expectedMs) => {
    expect(parseRetryAfterMs(header, Date.UTC(2026, 0, 1))).toBe(expectedMs);
  });
});

describe('a server that is silent', () => {
  it('a server that is silent is given up after the time for headers, of which a query has more', async () => {
    const limits = { headersTimeoutMs: 5000, queryTimeoutMs: 90_000, retry: { attemptsMax: 2 } };
    const fake = new FakeResult({ rowCount: 3, fault: () => 'hang', client: limits });
    expect(await timed(fake, fake.client.query('SELECT 1'))).toEqual({
      elapsedMs: 90_000,
      outcome: 'SERVER_UNREACHABLE',
    });
    expect(await timed(fake, fake.client.metadata(requestId))).toEqual({
      elapsedMs: 10_150,
      outcome: 'SERVER_UNREACHABLE',
    });
    expect(fake.calls.length).toBe(3);
    expect(fake.clock.sleeperCount).toBe(0);
  });

  it('a server that is silent in the middle of a body is given up as well; a reader that takes its time is not', async () => {
    const silent = () =>
      new Response(
        new ReadableStream({
          start: (controller) => controller.enqueue(new TextEncoder().encode('n\n1\n')),
        }),
      );
    const fake = new FakeResult({ rowCount: 3, fault: silent, client: { idleTimeoutMs: 1000 } });
    const chunks = fake.client
      .stream(requestId, { offset: 0, format: 'csv' })
      [Symbol.asyncIterator]();
    await chunks.next();
    await fake.clock.advance(60_000);
    const second = errorOf(chunks.next());
    await fake.clock.advance(1000);
    expect(await second).toEqual({
      code: 'SERVER_UNREACHABLE',
      message: 'http://quire.test has sent nothing for 1 s.',
    });
  });

  it.each([0, -1, Number.NaN, 2 ** 31, Number.POSITIVE_INFINITY])(
    'a server that is silent is not waited for %d ms',
    (headersTimeoutMs) => {
      expect(() => new QuireClient({ baseUrl: 'http://quire.test', headersTimeoutMs })).toThrow(
        expect.objectContaining({ code: 'INVALID_PARAMETER' }),
      );
    },
  );

  it('a server that is silent leaves no timer behind when it answers', async () => {
    const fake = new FakeResult({ rowCount: 3 });
    const cursor = await fake.client.query('SELECT 1', { rowCount: 1 });
    await cursor.next();
    for await (const _page of cursor) break;
    expect(fake.clock.sleeperCount).toBe(0);
  });
});

import { QuireClient, QuireClientError } from '@quire/client';
import type { ErrorCode } from '@quire/core';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { TestBroker } from '../testkit/broker-server.ts';

let broker: TestBroker;
let client: QuireClient;

beforeEach(async () => {
  broker = await TestBroker.start();
  client = new QuireClient({
    baseUrl: broker.address.url,
    token: 'ann-token',
    retry: { delayMs: 1, delayMaxMs: 1 },
  });
});

afterEach(async () => {
  await broker[Symbol.asyncDispose]();
});

/** Returns the properties of an error that callers can examine. */
async function failureOf(call: Promise<unknown>) {
  const error: unknown = await call.then(
    () => 'none',
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof QuireClientError)) return error;
  const { code, kind, status, retryable } = error;
  return { code, kind, status, retryable };
}

const gone = (code: ErrorCode) => ({ code, kind: 'missing', status: 410, retryable: false });

describe('a result that is gone says why', () => {
  test('a result that is gone says why when it expired', async () => {
    const cursor = await client.query('rows 10', { rowCount: 5 });
    await broker.clock.advance(3_600_000);
    expect(await failureOf(cursor.next())).toEqual(gone('RESULT_EXPIRED'));
    expect(await failureOf(cursor.renew('1h'))).toEqual(gone('RESULT_EXPIRED'));
    expect(cursor.offset).toBe(0);
  });

  test('a result that is gone says why when it was evicted', async () => {
    const cursor = await client.query('rows 10', { rowCount: 5 });
    await broker.results.delete(cursor.requestId, { reason: 'evicted' });
    expect(await failureOf(cursor.toArrow())).toEqual(gone('RESULT_EVICTED'));
  });

  test('a result that is gone says why when it was deleted, and at the end of the block nothing more is said', async () => {
    await using cursor = await client.query('rows 10', { rowCount: 5 });
    await cursor.delete();
    expect(await failureOf(cursor.metadata())).toEqual(gone('RESULT_DELETED'));
  });

  test('a result that never was is told from one that is gone', async () => {
    const never = client.open('018f6b1e-0000-7000-8000-000000000001');
    expect(await failureOf(never)).toEqual({
      code: 'RESULT_NOT_FOUND',
      kind: 'missing',
      status: 404,
      retryable: false,
    });
  });

  test('a result that is gone says why in the middle of a walk, behind the rows that came', async () => {
    const cursor = await client.query('rows 1000', { rowCount: 100 });
    const seen: unknown[] = [];
    const walk = (async () => {
      for await (const [n] of cursor.rows()) {
        seen.push(n);
        if (n === 350) await broker.results.delete(cursor.requestId, { reason: 'evicted' });
      }
    })();
    expect(await failureOf(walk)).toEqual(gone('RESULT_EVICTED'));
    // The page read ahead may have arrived before the result was deleted.
    expect([400, 500]).toContain(seen.length);
  });
});

describe('a query that fails', () => {
  test.each([
    ['QUERY_SYNTAX', 'invalid', false],
    ['TABLE_NOT_FOUND', 'invalid', false],
    ['COLUMN_NOT_FOUND', 'invalid', false],
    ['QUERY_LIMIT_EXCEEDED', 'unavailable', false],
    ['QUERY_TIMED_OUT', 'unavailable', false],
  ] as const)(
    'a query that fails with %s says so, and has run once',
    async (code, kind, retryable) => {
      expect(await failureOf(client.query(`fail ${code}`))).toEqual({
        code,
        kind,
        status: 200,
        retryable,
      });
      expect(broker.engine.queries.length).toBe(1);
    },
  );

  test('a query that fails without a free slot may be asked again by its caller, not by the client', async () => {
    const aborter = new AbortController();
    const hanging = [1, 2, 3].map(() =>
      failureOf(client.query('hang', { signal: aborter.signal })),
    );
    await broker.engine.untilHanging(2);
    await broker.untilQueued(1);
    expect(await failureOf(client.query('rows 1'))).toMatchObject({
      code: 'TOO_MANY_QUERIES',
      retryable: true,
    });
    expect(broker.engine.queries.length).toBe(2);
    aborter.abort();
    await Promise.all(hanging);
  });

  test('a query that fails because it was aborted is cancelled on the server, and leaves nothing behind', async () => {
    const aborter = new AbortController();
    const running = client.query('rows 5000 then hang', { signal: aborter.signal });
    await broker.engine.untilHanging();
    aborter.abort();
    await expect(running).rejects.toBe(aborter.signal.reason);
    await broker.engine.untilIdle();
    await broker.untilStoreIsEmpty();
  });
});

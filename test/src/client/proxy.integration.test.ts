import { QuireClient, type ResultCursor } from '@quire/client';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { TestBroker } from '../testkit/broker-server.ts';
import { startBroker, TestProxy } from '../testkit/proxy-server.ts';

let one: TestBroker;
let two: TestBroker;
let proxy: TestProxy;

beforeEach(async () => {
  one = await startBroker('one');
  two = await startBroker('two');
  proxy = await TestProxy.start([one, two]);
});

afterEach(async () => {
  await proxy[Symbol.asyncDispose]();
  await one[Symbol.asyncDispose]();
  await two[Symbol.asyncDispose]();
});

const clientOf = ({ address }: TestProxy): QuireClient =>
  new QuireClient({ baseUrl: address.url, token: 'ann-token' });

/** Numbers of all rows of a result. */
async function numbersOf(cursor: ResultCursor): Promise<unknown[]> {
  const numbers: unknown[] = [];
  for await (const [n] of cursor.rows()) numbers.push(n);
  return numbers;
}

const first = (rowCount: number): number[] => Array.from({ length: rowCount }, (_, index) => index);

describe('a client of a proxy in front of two brokers', () => {
  test('a client of a proxy in front of two brokers reads, renews and deletes each result where it is', async () => {
    const client = clientOf(proxy);
    const cursors = await Promise.all(
      [300, 301, 302, 303].map((count) => client.query(`rows ${count}`, { rowCount: 100 })),
    );
    expect(new Set(cursors.map(({ broker }) => broker?.host))).toEqual(
      new Set(['one.example', 'two.example']),
    );
    expect(await Promise.all(cursors.map((cursor) => numbersOf(cursor)))).toEqual(
      [300, 301, 302, 303].map(first),
    );
    for (const cursor of cursors) {
      expect((await cursor.renew('2h')).requestId).toBe(cursor.requestId);
      await cursor.delete();
      await expect(cursor.next()).rejects.toMatchObject({ code: 'RESULT_DELETED' });
    }
  });

  test('a client of a proxy in front of two brokers goes on through another proxy that has learnt nothing, without having it ask around', async () => {
    const { requestId, broker } = await clientOf(proxy).query('rows 300', { rowCount: 100 });
    await using restarted = await TestProxy.start([one, two]);
    const cursor = await clientOf(restarted).open(requestId, { rowCount: 100, broker });
    expect(await numbersOf(cursor)).toEqual(first(300));
    expect(cursor.broker).toEqual(broker);
    const routedBy = (source: string): Promise<number> =>
      restarted.metric(`quire_proxy_routed_total{by="${source}"}`);
    expect([await routedBy('forward'), await routedBy('asked')]).toEqual([3, 0]);
  });

  test('a client of a proxy in front of two brokers finds a result by its id alone', async () => {
    const { requestId } = await clientOf(proxy).query('rows 300', { rowCount: 100 });
    await using restarted = await TestProxy.start([one, two]);
    expect(await numbersOf(await clientOf(restarted).open(requestId, { rowCount: 100 }))).toEqual(
      first(300),
    );
  });

  test('a client of a proxy in front of two brokers lists what all brokers hold', async () => {
    const client = clientOf(proxy);
    const ids = await Promise.all(
      [1, 2, 3].map(async (count) => (await client.query(`rows ${count}`)).requestId),
    );
    const admin = new QuireClient({ baseUrl: proxy.address.url, token: 'root-token' });
    expect((await admin.list()).map(({ requestId }) => requestId).toSorted()).toEqual(
      ids.toSorted(),
    );
  });
});

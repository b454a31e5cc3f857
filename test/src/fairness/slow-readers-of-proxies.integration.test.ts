import type { IncomingMessage } from 'node:http';
import { expect, test } from 'vitest';
import { TestBroker } from '../testkit/broker-server.ts';
import { TestProxy } from '../testkit/proxy-server.ts';
import { numbers, openUnread } from './unread-page.ts';

const rowCount = 3_000_000;

test('clients of a proxy that read nothing keep no others from the broker, and get their pages when they read on', async () => {
  await using broker = await TestBroker.start({}, { batchSizeBytes: 256 * 1024 });
  await using proxy = await TestProxy.start([broker], { connectionsMax: 2 });
  const { requestId } = (await broker.results.create(numbers(rowCount), { owner: 'ann' })).entry;
  const path = `/query/${requestId}/results?offset=0&numRows=${rowCount}&format=arrow`;
  const unread = await Promise.all(
    Array.from({ length: 5 }, () => openUnread(proxy.address.url + path)),
  );
  const small = await proxy.call(`/query/${requestId}/results?offset=0&numRows=5&format=csv`);
  const whole = await proxy.call(path);
  expect([small.status, whole.status]).toEqual([200, 200]);
  for (const response of unread) {
    expect(Buffer.concat(await response.toArray()).equals(whole.bytes)).toBe(true);
  }
});

test('the limit of a principal on its pages holds behind a proxy', async () => {
  await using broker = await TestBroker.start(
    { pageStreamsMax: 2 },
    { batchSizeBytes: 256 * 1024 },
  );
  await using proxy = await TestProxy.start([broker]);
  const { requestId } = (await broker.results.create(numbers(rowCount), { owner: 'ann' })).entry;
  const path = `/query/${requestId}/results?offset=0&numRows=${rowCount}&format=arrow`;
  const unread = await Promise.all(
    Array.from({ length: 2 }, () => openUnread(proxy.address.url + path)),
  );
  const refused = await proxy.call(path);
  expect([
    refused.status,
    refused.headers.get('retry-after'),
    refused.json<{ reason: string }>().reason,
  ]).toEqual([429, '1', 'TOO_MANY_REQUESTS']);
  expect((await proxy.call(path, { as: 'root' })).status).toBe(200);
  await (unread[0] as IncomingMessage).toArray();
  // The broker may detect the end of a page later than its reader.
  await expect.poll(async () => (await proxy.call(path)).status).toBe(200);
  for (const response of unread) response.destroy();
});

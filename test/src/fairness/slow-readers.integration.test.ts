import { mkdtemp, rm } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { withLimit } from '@quire/core';
import { FileObjectStore } from '@quire/store-file';
import { expect, test } from 'vitest';
import { TestBroker } from '../testkit/broker-server.ts';
import { numbers, openUnread } from './unread-page.ts';

/** More bytes than the buffers of a connection: a page of all rows has to wait for its client. */
const arrowRowCount = 2_000_000;

test.each([
  [40, 'json', 'identity', 1_000_000],
  [8, 'csv', 'gzip', 1_400_000],
  [40, 'arrow', 'identity', arrowRowCount],
])(
  '%i pages as %s (%s) whose clients read nothing hold no slot: the pages of others come, and theirs when they read on',
  async (count, format, encoding, rowCount) => {
    const root = await mkdtemp(join(tmpdir(), 'quire-slow-readers-'));
    await using files = await FileObjectStore.open({ root });
    const store = withLimit(files, { concurrentMax: 4 });
    await using broker = await TestBroker.start(
      {},
      { store, batchSizeBytes: 256 * 1024, cacheBytesMax: 8 * 1024 * 1024 },
    );
    const hers = (await broker.results.create(numbers(rowCount), { owner: 'ann' })).entry.requestId;
    const his = (await broker.results.create(numbers(rowCount), { owner: 'bob' })).entry.requestId;
    const page = `${broker.address.url}/query/${hers}/results?offset=0&numRows=${rowCount}&format=${format}`;

    const opening = Promise.all(
      Array.from({ length: count }, () => openUnread(page, { encoding })),
    );
    let isOpen = false;
    void opening.finally(() => (isOpen = true));
    // Only turns of large pages have a time limit: slots of the store, of which there are fewer,
    // have none.
    while (!isOpen) await broker.clock.advance(100);
    const unread = await opening;
    await broker.clock.advance(100);
    const answer = await broker.call(
      `/query/${his}/results?offset=0&numRows=100000&format=${format}`,
      { as: 'bob' },
    );
    expect(answer.status).toBe(200);
    expect(unread.map(({ statusCode }) => statusCode)).toEqual(
      Array.from({ length: count }, () => 200),
    );

    // Nothing of theirs was lost in the meantime.
    const [first, ...others] = unread;
    const whole = Buffer.concat(await (first as IncomingMessage).toArray());
    const last = Buffer.concat(await (others.pop() as IncomingMessage).toArray());
    expect(whole.byteLength).toBeGreaterThan(6_000_000);
    expect(last.equals(whole)).toBe(true);
    for (const response of others) response.destroy();
    await rm(root, { recursive: true, maxRetries: 10 });
  },
  180_000,
);

test('a principal reads as many pages at the same time as it may; others, and its small pages, go on', async () => {
  await using broker = await TestBroker.start(
    { pageStreamsMax: 3 },
    { batchSizeBytes: 256 * 1024 },
  );
  const requestId = (await broker.results.create(numbers(arrowRowCount), { owner: 'ann' })).entry
    .requestId;
  const path = `/query/${requestId}/results?offset=0&numRows=${arrowRowCount}&format=arrow`;
  const unread = await Promise.all(
    Array.from({ length: 3 }, () => openUnread(broker.address.url + path)),
  );

  const refused = await broker.call(path);
  expect([refused.status, refused.headers.get('retry-after'), refused.json()]).toEqual([
    429,
    '1',
    {
      code: 429,
      reason: 'TOO_MANY_REQUESTS',
      error:
        'ann is reading 3 pages, which is the limit (engine.auth.limit.pageStreams); finish one, then retry.',
    },
  ]);
  // Refused before it runs, because its work would be lost.
  expect([(await broker.query('rows 1')).status, broker.engine.queries]).toEqual([429, []]);
  const others = await Promise.all([
    broker.call(path, { as: 'root' }),
    broker.call(`/query/${requestId}/results?offset=0&numRows=5&format=csv`, { as: 'root' }),
    broker.call(`/query/${requestId}/metadata`),
  ]);
  expect(others.map(({ status }) => status)).toEqual([200, 200, 200]);
  expect((await broker.call('/metrics')).text).toContain('\nquire_page_streams 3\n');

  // Once read to its end, it no longer counts; the next one is admitted at once, any number of
  // times.
  for (let turn = 0; turn < 5; turn += 1) {
    await (unread.shift() as IncomingMessage).toArray();
    unread.push(await openUnread(broker.address.url + path));
    expect(unread.at(-1)?.statusCode).toBe(200);
  }
  // A response that was given up no longer counts either.
  for (const response of unread) response.destroy();
  while (!(await broker.call('/metrics')).text.includes('\nquire_page_streams 0\n'));
});

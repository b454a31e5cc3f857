import { withLimit } from '@quire/core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { TestBroker } from '../testkit/broker-server.ts';
import { type Backend, backendKinds } from '../testkit/remote-backends.ts';
import { FaultProxy } from '../testkit/servers/fault-proxy.ts';
import { describeWithTool } from '../testkit/toolchain.ts';
import { numbers, openUnread } from './unread-page.ts';

const rowCount = 2_000_000;

for (const kind of backendKinds) {
  describeWithTool(kind.tool, `slow readers of results in ${kind.name}`, (path) => {
    let backend: Backend;
    beforeAll(async () => {
      backend = await kind.start(path);
    });
    afterAll(async () => backend[Symbol.asyncDispose]());

    test(`slow readers of results in ${kind.name} hold no slot of the store and no connection that others need, and get their pages when they read on`, async () => {
      await using proxy = await FaultProxy.start(backend.port);
      await using objects = await backend.open(proxy);
      const store = withLimit(objects, { concurrentMax: 4 });
      await using broker = await TestBroker.start(
        {},
        { store, batchSizeBytes: 256 * 1024, cacheBytesMax: 8 * 1024 * 1024 },
      );
      const { requestId } = (await broker.results.create(numbers(rowCount), { owner: 'ann' }))
        .entry;
      const path = `/query/${requestId}/results?offset=0&format=arrow&numRows=`;
      const unread = await Promise.all(
        Array.from({ length: 5 }, () => openUnread(`${broker.address.url}${path}${rowCount}`)),
      );
      const whole = await broker.call(path + rowCount, { as: 'root' });
      const part = await broker.call(path + 200_000, { as: 'root' });
      expect([whole.status, part.status]).toEqual([200, 200]);
      for (const response of unread) {
        const bytes = Buffer.concat(await response.toArray());
        expect(bytes.equals(whole.bytes)).toBe(true);
      }
    });
  });
}

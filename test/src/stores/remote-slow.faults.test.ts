import { readObject } from '@quire/core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { expectBytes, expectRejection } from '@quire/core/conformance';
import { patternBytes } from '@quire/core/testing';
import { describeWithTool } from '../testkit/toolchain.ts';
import { type Backend, backendKinds } from '../testkit/remote-backends.ts';
import { calls, openRemote, timed } from './remote-fixture.ts';

for (const kind of backendKinds) {
  describeWithTool(kind.tool, `${kind.name}, slow`, (path) => {
    let backend: Backend;
    beforeAll(async () => {
      backend = await kind.start(path);
    });
    afterAll(async () => backend[Symbol.asyncDispose]());

    test.each([0, 50])(
      'a body that stops after %i bytes is STORE_TIMED_OUT, and its connection is not used again',
      async (afterBytes) => {
        await using remote = await openRemote(backend);
        remote.proxy.intercept = () => ({ kind: 'stall', afterBytes });
        await expectRejection(readObject(timed(remote.store, 100), 'k'), 'STORE_TIMED_OUT');
        remote.proxy.intercept = () => undefined;
        expectBytes(await readObject(remote.store, 'k'), patternBytes(100));
      },
    );

    test.each(Object.entries(calls))(
      `${kind.name}, slow: %s waits for a first byte that is slow to come`,
      async (_, call) => {
        await using remote = await openRemote(backend);
        remote.proxy.intercept = () => ({ kind: 'delay', delayMs: 200 });
        await call(timed(remote.store, 20_000));
        expect(remote.proxy.requests.length).toBeGreaterThan(0);
      },
    );
  });
}

import { type ObjectBody, readObject } from '@quire/core';
import { expectBytes } from '@quire/core/conformance';
import { collect, patternBytes } from '@quire/core/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Backend, backendKinds } from '../testkit/remote-backends.ts';
import { describeWithTool } from '../testkit/toolchain.ts';
import { openRemote } from './remote-fixture.ts';

for (const kind of backendKinds) {
  describeWithTool(kind.tool, `${kind.name}, and bodies that are not read`, (path) => {
    let backend: Backend;
    beforeAll(async () => {
      backend = await kind.start(path);
    });
    afterAll(async () => backend[Symbol.asyncDispose]());

    test('a hundred bodies that are open and not read keep no other call waiting, and give their bytes later', async () => {
      await using remote = await openRemote(backend);
      const { store } = remote;
      const bytes = patternBytes(300_000);
      await store.put('large', bytes);
      const bodies: ObjectBody[] = [];
      for (let count = 0; count < 100; count += 1) {
        bodies.push(await store.get('large', { range: { start: 0, end: 300_000 } }));
      }
      expectBytes(await readObject(store, 'k'), patternBytes(100));
      await store.delete('k');
      for (const { body } of bodies) {
        expect(Buffer.concat(await collect(body)).equals(bytes)).toBe(true);
      }
    });
  });
}

import type { ObjectBody } from '@quire/core';
import { MemoryObjectStore } from '@quire/core/memory';
import { expect, test } from 'vitest';
import { queryCalls } from '../src/queries/query-work.ts';
import { StoreHost } from '../src/queries/store-host.ts';

const key = 'broker/01890a5d-ac96-774b-bcce-b302099a8057/data.arrow';
const reachable = { writePrefix: 'broker/', readKeys: [key] };

/** A store that waits with each chunk of a put until it `goesOn`. */
class SlowStore extends MemoryObjectStore {
  readonly hasChunk = Promise.withResolvers<void>();
  readonly goesOn = Promise.withResolvers<void>();

  override put(name: string, body: Uint8Array | AsyncIterable<Uint8Array>) {
    return super.put(name, this.#slowly(body as AsyncIterable<Uint8Array>));
  }

  async *#slowly(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    for await (const chunk of chunks) {
      this.hasChunk.resolve();
      await this.goesOn.promise;
      yield chunk;
    }
  }
}

test('a put ends when its writer dies while the store takes a chunk, and stores nothing', async () => {
  const store = new SlowStore({ sizeMaxBytes: 1000 });
  const host = new StoreHost(store, reachable);
  await host.handlers[queryCalls.putBegin]?.(key);
  const writing = host.handlers[queryCalls.putChunk]?.(Uint8Array.of(1, 2, 3));
  await store.hasChunk.promise;
  const closing = host.close();
  store.goesOn.resolve();
  await Promise.all([writing, closing]);
  await expect(store.head(key)).rejects.toMatchObject({ code: 'OBJECT_NOT_FOUND' });
  expect(store.usedBytes).toBe(0);
});

test('an object that is opened after its reader has died is closed', async () => {
  const store = new MemoryObjectStore({ sizeMaxBytes: 1000 });
  const opening = Promise.withResolvers<ObjectBody>();
  store.get = () => opening.promise;
  const host = new StoreHost(store, reachable);
  const starting = host.handlers[queryCalls.getBegin]?.({ key });
  await host.close();
  let closedCount = 0;
  opening.resolve({
    sizeBytes: 3,
    body: new MemoryBody(),
    [Symbol.asyncDispose]: async () => void (closedCount += 1),
  });
  await starting;
  expect(closedCount).toBe(1);
});

class MemoryBody implements AsyncIterable<Uint8Array> {
  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array> {
    yield Uint8Array.of(1, 2, 3);
  }
}

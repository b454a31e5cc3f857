import { MiB } from '@quire/core';
import { MemoryObjectStore } from '@quire/core/memory';
import { ManualClock, SeededRandom } from '@quire/core/testing';
import { Field, Int32, Schema, Struct } from 'apache-arrow';
import { expect, test } from 'vitest';
import { ResultStore } from '../src/index.ts';

const fields = Array.from({ length: 400 }, (_, index) => new Field(`c${index}`, new Int32(), true));

test.each([
  ['one column', [new Field('n', new Int32(), true)], 100],
  ['many columns', fields, 79],
  ['many columns within one', [new Field('s', new Struct(fields), true)], 78],
])(
  'the cache of commit records has as many of them as its memory allows: with %s',
  async (_what, columns, expected) => {
    await using results = new ResultStore({
      store: new MemoryObjectStore({ sizeMaxBytes: 100 * MiB }),
      brokerId: 'Broker_a_1',
      expirationMs: 1e9,
      expirationMaxMs: 1e9,
      clock: new ManualClock(),
      random: new SeededRandom(1),
    });
    const ids: string[] = [];
    for (let count = 0; count < 100; count += 1) {
      const { entry } = await results.create(
        { schema: new Schema(columns), batches: ReadableStream.from([]) },
        { owner: 'ana' },
      );
      ids.push(entry.requestId);
    }
    const cached = ids.filter((id) => results.openCached(id) !== undefined);
    expect(cached).toEqual(ids.slice(-expected));
  },
);

import { MiB } from '@quire/core';
import { expect, test } from 'vitest';
import { BufferPool } from '../src/buffer-pool.ts';
import { MessageSplitter } from '../src/message-splitter.ts';

test('a message of many chunks needs the memory of itself and of one chunk', async () => {
  const pool = new BufferPool();
  const messages = new MessageSplitter(pool, 16 * MiB);
  const leased: number[] = [];
  async function* body(): AsyncGenerator<Uint8Array> {
    for (let start = 0; start < 16 * MiB;) {
      const chunk = await Promise.resolve(messages.lend(MiB));
      leased.push(pool.leasedBytes);
      yield chunk.fill(start / MiB);
      start += chunk.length;
    }
  }
  messages.open(body());
  const first = await messages.take(8.5 * MiB);
  expect([first[0], first[MiB], first.at(-1)]).toEqual([0, 1, 8]);
  // Its memory is not lent to others.
  pool.release(pool.lease(first.byteLength).fill(99));
  expect(first.at(-1)).toBe(8);
  const second = await messages.take(7.5 * MiB);
  expect([second[0], second[MiB], second.at(-1)]).toEqual([8, 9, 15]);
  // The pool rounds sizes up, by a quarter at most.
  expect(Math.max(...leased)).toBeLessThan(13 * MiB);
  messages.close();
  expect(pool.leasedBytes).toBe(0);
});

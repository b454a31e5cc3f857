import type { ServerResponse } from 'node:http';
import { ManualClock } from '@quire/core/testing';
import { expect, test } from 'vitest';
import { progressOf, StallWatch } from '../src/stall-watch.ts';

/** As much of a response as is looked at. */
class FakeResponse {
  socket: { bytesWritten: number; writableLength: number } | null = {
    bytesWritten: 0,
    writableLength: 0,
  };

  get writableLength(): number {
    return this.socket?.writableLength ?? 0;
  }

  /** Writes `bytes`, of which the system accepts `takenBytes`. */
  write(bytes: number, takenBytes: number): void {
    if (this.socket === null) return;
    this.socket.bytesWritten += bytes;
    this.socket.writableLength += bytes - takenBytes;
  }

  take(bytes: number): void {
    if (this.socket !== null) this.socket.writableLength -= bytes;
  }
}

function watching(timeoutMs = 60_000) {
  const clock = new ManualClock();
  const watch = new StallWatch(clock, timeoutMs);
  const stalled: string[] = [];
  const begin = (name: string) => {
    const response = new FakeResponse();
    const unwatch = watch.watch(
      () => progressOf(response as unknown as ServerResponse),
      () => stalled.push(name),
    );
    return { response, unwatch };
  };
  return { clock, watch, stalled, begin };
}

test('a response of which nothing is taken is reported once, after the timeout and not before', async () => {
  const { clock, stalled, begin } = watching();
  begin('unread').response.write(1000, 400);
  await clock.advance(74_999);
  expect(stalled).toEqual([]);
  await clock.advance(1);
  expect(stalled).toEqual(['unread']);
  await clock.advance(1_000_000);
  expect(stalled).toEqual(['unread']);
});

test('a slow client that takes some of it within each timeout may take as long as it likes', async () => {
  const { clock, stalled, begin } = watching();
  const { response } = begin('slow');
  response.write(1000, 0);
  for (let taken = 0; taken < 999; taken += 37) {
    response.take(37);
    await clock.advance(59_000);
  }
  expect(stalled).toEqual([]);
  await clock.advance(75_000);
  expect(stalled).toEqual(['slow']);
});

test('a call that has nothing to write yet, or waits for its turn on the connection, is not stalled', async () => {
  const { clock, stalled, begin } = watching();
  const working = begin('working').response;
  const queued = begin('queued').response;
  queued.socket = null;
  await clock.advance(1_000_000);
  expect(stalled).toEqual([]);
  working.write(1000, 0);
  await clock.advance(75_000);
  expect(stalled).toEqual(['working']);
});

test('nothing is watched any more once it has ended, and the watch sleeps only while there is something', async () => {
  const { clock, stalled, begin } = watching();
  const { response, unwatch } = begin('ended');
  response.write(1000, 0);
  unwatch();
  expect(clock.sleeperCount).toBe(1);
  await clock.advance(75_000);
  expect([stalled, clock.sleeperCount]).toEqual([[], 0]);
  begin('next').response.write(10, 0);
  await clock.advance(75_000);
  expect(stalled).toEqual(['next']);
});

test('a watch that is closed, or has no timeout, does not sleep', async () => {
  const closed = watching();
  closed.begin('a').response.write(10, 0);
  closed.watch.close();
  await closed.clock.advance(0);
  expect(closed.clock.sleeperCount).toBe(0);
  const none = watching(Infinity);
  none.begin('a').response.write(10, 0);
  expect(none.clock.sleeperCount).toBe(0);
  await none.clock.advance(1_000_000);
  expect(none.stalled).toEqual([]);
});

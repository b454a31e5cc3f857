import { expect, test } from 'vitest';
import { LateStream } from '../src/late-stream.ts';
import type { MessageStream } from '../src/message-stream.ts';

test('a stream whose client could not be loaded is opened again by the next call', async () => {
  const partitions = [{ partition: 0, earliestOffset: 0, latestOffset: 3 }];
  let closedCount = 0;
  const opened = {
    readPartitions: async () => partitions,
    [Symbol.asyncDispose]: async () => void (closedCount += 1),
  } as Partial<MessageStream> as MessageStream;
  let openCount = 0;
  await using stream = new LateStream('a topic', async () => {
    openCount += 1;
    if (openCount === 1) throw new Error('EMFILE');
    return opened;
  });
  await expect(stream.readPartitions()).rejects.toThrow('EMFILE');
  expect(await stream.readPartitions()).toBe(partitions);
  expect(await stream.readPartitions()).toBe(partitions);
  await stream[Symbol.asyncDispose]();
  expect([openCount, closedCount]).toEqual([2, 1]);
});

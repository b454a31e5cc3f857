import { mkdtemp, readFile, rm, unlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ManualClock } from '@quire/core/testing';
import { FileProducer, FileStream } from '@quire/streams';
import { describeMessageStream } from './message-stream-conformance.ts';
import type { StreamFixture } from './stream-fixture.ts';

async function openFileStream(): Promise<StreamFixture> {
  const directory = await mkdtemp(join(tmpdir(), 'quire-stream-'));
  const clock = new ManualClock();
  const openProducer = (partitionCount: number): Promise<FileProducer> =>
    FileProducer.open({ directory, topic: 'orders', partitionCount, clock });
  const producer = await openProducer(2);
  const path = (name: string): string => join(directory, 'orders', name);
  return {
    stream: new FileStream({ directory, topic: 'orders' }),
    append: async (partition, values, timeMs = clock.nowMs()) => {
      clock.stepWallClock(timeMs - clock.nowMs());
      await producer.append(
        values.map((value) => ({ key: null, value: Buffer.from(value), partition })),
      );
    },
    addPartition: async () => {
      await openProducer(3);
    },
    trim: async (partition, beforeOffset) => {
      const bytes = await readFile(path(`${partition}.jsonl`));
      await writeFile(path(`${partition}.${beforeOffset}.jsonl`), bytes.subarray(beforeOffset));
      await unlink(path(`${partition}.jsonl`));
    },
    deleteTopic: () => rm(path(''), { recursive: true }),
    [Symbol.asyncDispose]: () => rm(directory, { recursive: true }),
  };
}

describeMessageStream('file stream', openFileStream);

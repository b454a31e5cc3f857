/**
 * A producer that appends numbered messages to two partitions until it is killed; prints `open`
 * when it starts. It continues with the number after the existing ones. Its argument is a
 * TrialSetup as JSON.
 */
import { flushCompileCache } from 'node:module';
import { isQuireError, systemClock } from '@quire/core';
import { openProducer, openStream } from '@quire/streams';
import { type TrialSetup, trialMessageBytes } from './kill-trial.ts';

const { config, options, offsetStep } = JSON.parse(process.argv[2] ?? '') as TrialSetup;
const atOnce = 20;

const producer = await openProducer(config, { ...options, partitionCount: 2 });
await using stream = openStream(config, options);
// Node writes its compile cache at the exit of a process, but this one is killed.
flushCompileCache();

/** Returns the number of messages of each partition. */
async function readCounts(): Promise<number[]> {
  let ends: number[] = [];
  // The last messages may still be in transit.
  for (let before: number[] | undefined; String(ends) !== String(before);) {
    before = ends;
    await systemClock.sleep(20);
    ends = (await stream.readPartitions()).map(({ latestOffset }) => latestOffset);
  }
  return ends.map((offset) => offset / offsetStep);
}

async function produce(): Promise<never> {
  const counts = await readCounts();
  for (;;) {
    for (const [partition, first] of counts.entries()) {
      const messages = Array.from({ length: atOnce }, (_, index) => {
        const n = first + index;
        const text = JSON.stringify({ p: partition, n, ts: 1_700_000_000_000 + n });
        return { key: null, partition, value: Buffer.from(text.padEnd(trialMessageBytes)) };
      });
      await producer.append(messages);
      counts[partition] = first + atOnce;
    }
    await systemClock.sleep(5);
  }
}

// The parent has exited.
process.on('disconnect', () => process.exit(0));
process.send?.('open');
for (;;) {
  try {
    await produce();
  } catch (error) {
    // A broker without processor time loses its partitions for a moment. The topic shows which
    // messages exist.
    if (!isQuireError(error, 'STREAM_UNAVAILABLE')) throw error;
    await systemClock.sleep(100);
  }
}

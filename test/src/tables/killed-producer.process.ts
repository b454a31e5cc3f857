/**
 * A producer that appends numbered messages to two partitions until it is killed; says `open` when it begins. It goes on with the number
 * behind those that are there. Its argument is a TrialSetup as JSON.
 */
import { systemClock } from '@quire/core';
import { openProducer, openStream } from '@quire/streams';
import { type TrialSetup, trialMessageBytes } from './kill-trial.ts';

const { config, options, offsetStep } = JSON.parse(process.argv[2] ?? '') as TrialSetup;
const atOnce = 20;

const producer = await openProducer(config, { ...options, partitionCount: 2 });
await using stream = openStream(config, options);
const ends = async (): Promise<number[]> => (await stream.readPartitions()).map(({ latestOffset }) => latestOffset);
// What the one before had sent may still be on its way.
let counts = await ends();
for (let before: number[] = []; String(counts) !== String(before);) {
  before = counts;
  await systemClock.sleep(20);
  counts = await ends();
}
counts = counts.map((offset) => offset / offsetStep);
// Nobody to work for.
process.on('disconnect', () => process.exit(0));
process.send?.('open');
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

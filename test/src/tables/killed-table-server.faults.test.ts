import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FileProducer } from '@quire/streams';
import { expect, test } from 'vitest';
import { runKillTrial, trialMessageBytes } from './kill-trial.ts';

/** QUIRE_TABLE_SERVER_KILLS=100 for the long trial. */
const killCount = Number(process.env['QUIRE_TABLE_SERVER_KILLS'] ?? 3);

test(
  `each message of a file stream is in the table once, in every query, through ${killCount} kills of producer and server`,
  { timeout: 240_000 + killCount * 10_000 },
  async () => {
    const directory = await mkdtemp(join(tmpdir(), 'quire-streams-'));
    await using producer = await FileProducer.open({
      directory,
      topic: 'ticks',
      partitionCount: 2,
    });
    await producer[Symbol.asyncDispose]();
    const config = {
      streamType: 'file',
      'stream.file.topic.name': 'ticks',
      'stream.file.consumer.prop.auto.offset.reset': 'smallest',
    };
    try {
      // The newline of a message counts.
      const trial = runKillTrial(
        { config, options: { fileDirectory: directory }, offsetStep: trialMessageBytes + 1 },
        killCount,
      );
      await expect(trial).resolves.toBeUndefined();
    } finally {
      await rm(directory, { recursive: true, maxRetries: 10 });
    }
  },
);

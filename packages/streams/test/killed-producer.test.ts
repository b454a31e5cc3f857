import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { FileProducer, FileStream } from '@quire/streams';
import { expect, test } from 'vitest';
import { temporaryDirectory } from './temporary-directory.ts';

/** The number of kills; the variable selects a long trial. */
const killCount = Number(process.env['QUIRE_PRODUCER_KILLS'] ?? 3);

/**
 * Starts a producer, kills it once it has written some batches, and returns the number of batches
 * that it confirmed.
 */
async function runAndKill(directory: string, who: string, batchCount: number): Promise<number> {
  const child = spawn(
    process.execPath,
    [join(import.meta.dirname, 'append-forever.process.ts'), directory, who],
    {
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  );
  let known = 0;
  for await (const line of createInterface({ input: child.stdout })) {
    known = Number(line) + 1;
    // At any point of its work.
    if (known === batchCount) child.kill('SIGKILL');
  }
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
  return known;
}

test('every batch that a killed producer knew of is there, in order, and no line is half or two', async () => {
  await using directory = await temporaryDirectory();
  const known: number[] = [];
  for (let kill = 0; kill < killCount; kill += 1) {
    known.push(await runAndKill(directory.path, `${kill}`, kill * 2 + 1));
  }
  await using producer = await FileProducer.open({ directory: directory.path, topic: 'orders' });
  await producer.append([{ key: null, value: Buffer.from('{"who":"last"}') }]);
  const stream = new FileStream({ directory: directory.path, topic: 'orders' });
  const written = new Map<string, number>();
  let isLastThere = false;
  for (let offset = 0; ;) {
    const { messages, nextOffset } = await stream.fetch(0, offset, {
      messagesMax: 1000,
      bytesMax: 10_000_000,
      waitMs: 0,
    });
    if (nextOffset === offset) break;
    offset = nextOffset;
    for (const message of messages) {
      // A partial line is not JSON, which throws.
      const row = JSON.parse(Buffer.from(message.value ?? []).toString()) as {
        who: string;
        batch: number;
        n: number;
      };
      isLastThere = row.who === 'last';
      if (isLastThere) continue;
      const { who } = row;
      const place = row.batch * 50 + row.n;
      expect(place).toBe(written.get(who) ?? 0);
      written.set(who, place + 1);
    }
  }
  expect(isLastThere).toBe(true);
  for (const [kill, batches] of known.entries()) {
    expect(written.get(`${kill}`)).toBeGreaterThanOrEqual(batches * 50);
  }
});

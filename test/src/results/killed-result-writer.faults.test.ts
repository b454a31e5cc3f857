import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { ResultStore } from '@quire/results';
import { FileObjectStore } from '@quire/store-file';
import { expect, test } from 'vitest';
import { countingJson, countingRows } from '../testkit/builders/counting-rows.ts';
import { pageText } from '../testkit/builders/page-text.ts';

test(
  'a process killed before any of its changes of the file system leaves whole results only',
  { timeout: 180_000 },
  async () => {
    const resultCounts: number[] = [];
    for (let change = 1; ; change += 1) {
      const root = await mkdtemp(join(tmpdir(), 'quire-killed-'));
      try {
        const isDone = await runWriter(root, change);
        resultCounts.push(await countWholeResults(root));
        if (isDone) break;
      } finally {
        await rm(root, { recursive: true, maxRetries: 10 });
      }
    }
    // It was killed in every stretch of its life: before the first result, between, with both, and after the deletion.
    const stretches = resultCounts.filter((count, index) => count !== resultCounts[index - 1]);
    expect(stretches).toEqual([0, 1, 2, 1]);
    expect(resultCounts.length).toBeGreaterThan(20);
  },
);

/** Resolves once the writer is dead; tells whether it had come to its end. */
async function runWriter(root: string, change: number): Promise<boolean> {
  const script = join(import.meta.dirname, 'result-writer.process.ts');
  const child = spawn(process.execPath, ['--conditions=@quire/source', script, root, String(change)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const exited = once(child, 'exit');
  try {
    for await (const line of createInterface(child.stdout)) return line === 'done';
    throw new Error('The writer ended without a word.');
  } finally {
    child.kill('SIGKILL');
    await exited;
  }
}

/** What the successor finds: every result that is listed can be read to its last row, and a new one can be stored beside them. */
async function countWholeResults(root: string): Promise<number> {
  await using store = await FileObjectStore.open({ root });
  const results = new ResultStore({ store, brokerId: 'b', expirationMs: 3_600_000, expirationMaxMs: 86_400_000 });
  const entries = await Array.fromAsync(results.list());
  for (const { requestId } of entries) {
    expect(await pageText(await results.open(requestId), 0, 100_000)).toBe(countingJson(0, 50_000));
  }
  const { entry } = await results.create(countingRows(10), { owner: 'o' });
  expect(await pageText(await results.open(entry.requestId), 0, 100)).toBe(countingJson(0, 10));
  return entries.length;
}

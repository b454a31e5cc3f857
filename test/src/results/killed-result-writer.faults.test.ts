import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { ResultStore } from '@quire/results';
import { FileObjectStore } from '@quire/store-file';
import { expect, test } from 'vitest';
import { countingJson, countingRows } from '../testkit/builders/counting-rows.ts';
import { pageText } from '../testkit/builders/page-text.ts';
import { temporaryDirectory } from '../testkit/cli-process.ts';
import { killEverywhere, killWriters } from '../testkit/killed-writers.ts';

const script = join(import.meta.dirname, 'result-writer.process.ts');

test('a process killed before any of its changes of the file system leaves whole results only', async () => {
  await using directory = await temporaryDirectory();
  const resultCounts = await killEverywhere(12, async (changes) => {
    const writers = changes.map((change) => ({
      root: join(directory.path, String(change)),
      change,
    }));
    for (const { root } of writers) await mkdir(root);
    const ends = await killWriters(script, writers);
    const left: { isDone: boolean; left: number }[] = [];
    for (const [index, { root }] of writers.entries()) {
      left.push({ isDone: ends[index] ?? false, left: await countWholeResults(root) });
    }
    return left;
  });
  // The writer was killed at every stage: before the first result, between, with both, and after
  // the deletion.
  const stretches = resultCounts.filter((count, index) => count !== resultCounts[index - 1]);
  expect(stretches).toEqual([0, 1, 2, 1]);
  expect(resultCounts.length).toBeGreaterThan(20);
});

/**
 * Checks the state that the successor finds: every listed result can be read to its last row, and a
 * new one can be stored next to them.
 */
async function countWholeResults(root: string): Promise<number> {
  await using store = await FileObjectStore.open({ root });
  const results = new ResultStore({
    store,
    brokerId: 'b',
    expirationMs: 3_600_000,
    expirationMaxMs: 86_400_000,
  });
  const entries = await Array.fromAsync(results.list());
  for (const { requestId } of entries) {
    expect(await pageText(await results.open(requestId), 0, 100_000)).toBe(countingJson(0, 50_000));
  }
  const { entry } = await results.create(countingRows(10), { owner: 'o' });
  expect(await pageText(await results.open(entry.requestId), 0, 100)).toBe(countingJson(0, 10));
  return entries.length;
}

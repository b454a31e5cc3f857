import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MemoryObjectStore } from '@quire/core/memory';
import { ManualClock, SeededRandom } from '@quire/core/testing';
import type { RecordBatch } from 'apache-arrow';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { countingJson, countingRows } from '../../../test/src/testkit/builders/counting-rows.ts';
import { pageText } from '../../../test/src/testkit/builders/page-text.ts';
import { ResultStore } from '../src/index.ts';

let home: string;
let tempDirectory: string;
let results: ResultStore;

beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'quire-growing-files-'));
  tempDirectory = join(home, 'temp');
  results = new ResultStore({
    store: new MemoryObjectStore({ sizeMaxBytes: 1e8 }),
    brokerId: 'Broker_a_1',
    expirationMs: 1e9,
    expirationMaxMs: 1e9,
    clock: new ManualClock(),
    random: new SeededRandom(1),
    tempDirectory,
  });
});

afterEach(async () => {
  await results[Symbol.asyncDispose]();
  await rm(home, { recursive: true });
});

/**
 * Stores a result of 40,000 rows. Returns the greatest number of rows that could be read before,
 * and the JSON of the first of them.
 */
async function grow(): Promise<{ readonly rowCount: number; readonly json: string }> {
  const growth = await results.grow(results.newRequestId('ana'));
  const { schema, batches } = countingRows(40_000);
  let json = '';
  async function* observed(): AsyncGenerator<RecordBatch> {
    for await (const batch of batches) {
      yield batch as RecordBatch;
      const page = growth.page({ offset: 0, rowCount: 3 });
      if (page !== undefined) {
        json = Buffer.concat(await Array.fromAsync(page.encode('json'))).toString();
      }
    }
  }
  const { requestId } = growth;
  const result = await results.create(
    { schema, batches: observed() },
    { owner: 'ana', requestId, growth },
  );
  const { rowCount } = growth;
  await growth.end();
  expect(await pageText(result, 39_998, 9)).toBe(countingJson(39_998, 40_000));
  return { rowCount, json };
}

test('a directory for growing results that was removed is created again', async () => {
  const readable = { rowCount: 40_000, json: countingJson(0, 3) };
  expect(await grow()).toEqual(readable);
  await rm(tempDirectory, { recursive: true });
  expect(await grow()).toEqual(readable);
  expect(await readdir(tempDirectory)).toEqual([]);
});

test('a result whose file for growing cannot be created has no rows before it is stored', async () => {
  await writeFile(tempDirectory, '');
  expect(await grow()).toEqual({ rowCount: 0, json: '[]' });
});

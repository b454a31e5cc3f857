import { linkSync, mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { type Clock, createRequestId, systemClock, systemRandom } from '@quire/core';
import { ResultStore } from '@quire/results';
import { tableFromArrays } from 'apache-arrow';
import { plainFileStore } from './plain-file-store.ts';

const hourMs = 3_600_000;

/** A broker's results in the file store at `root`. */
export interface ResultDirectory {
  readonly root: string;
  readonly brokerId: string;
}

/** Creates small results, all of which expired an hour ago. */
export async function makeExpiredResults(
  { root, brokerId }: ResultDirectory,
  count: number,
): Promise<void> {
  const { batches, schema } = tableFromArrays({
    n: Int32Array.from({ length: 20 }, (_, index) => index),
  });
  const nowMs = Date.now() - 2 * hourMs;
  const clock: Clock = { ...systemClock, nowMs: () => nowMs };
  const store = plainFileStore(root, nowMs);
  const results = new ResultStore({
    store,
    brokerId,
    clock,
    expirationMs: hourMs,
    expirationMaxMs: hourMs,
    cacheBytesMax: 0,
  });
  for (let index = 0; index < count; index += 1) {
    await results.create({ schema, batches: asStream(batches) }, { owner: 'bench' });
  }
}

/**
 * Multiplies the results of a directory by hard links to its files: they can be listed, but not
 * opened.
 */
export function multiplyResults({ root, brokerId }: ResultDirectory, times: number): void {
  const directory = join(root, brokerId);
  for (const original of readdirSync(directory)) {
    const names = readdirSync(join(directory, original));
    for (let copy = 1; copy < times; copy += 1) {
      const requestId = createRequestId(systemClock, systemRandom);
      mkdirSync(join(directory, requestId));
      for (const name of names) {
        linkSync(join(directory, original, name), join(directory, requestId, name));
      }
    }
  }
}

async function* asStream<T>(values: readonly T[]): AsyncGenerator<T> {
  yield* values;
}

import { join } from 'node:path';
import type { ObjectStore } from '@quire/core';
import { collect } from '@quire/core/testing';
import { ResultStore } from '@quire/results';
import { GcsObjectStore } from '@quire/store-gcs';
import { S3ObjectStore } from '@quire/store-s3';
import { expect, test } from 'vitest';
import { countingJson, countingRows } from '../testkit/builders/counting-rows.ts';
import { pageText } from '../testkit/builders/page-text.ts';
import { killEverywhere, killWriters } from '../testkit/killed-writers.ts';
import { unfinishedUploads } from '../testkit/s3-fixture.ts';
import { FaultProxy } from '../testkit/servers/fault-proxy.ts';
import { GcsServer } from '../testkit/servers/gcs-server.ts';
import { S3Server } from '../testkit/servers/s3-server.ts';
import { describeWithTool, gcsServer, s3Server } from '../testkit/toolchain.ts';

const MiB = 1024 * 1024;
/** The bytes of a part; S3 takes none that is smaller. */
const partBytes = { S3: 5 * MiB, GCS: MiB / 2 };
/** Rows of 4 bytes, enough for two parts. */
const rowCounts = { S3: 1_400_000, GCS: 350_000 };

interface Bucket {
  /** The options of a store, with a unique prefix. */
  readonly options: { readonly location: string };
  open(): Promise<ObjectStore>;
}

/** Test servers lose uploads when more arrive at once. */
const writersAtOnce = 4;

const script = join(import.meta.dirname, 'remote-writer.process.ts');

/**
 * Runs writers that are killed before their first, second … change of the bucket, until one
 * completes; counts what each left.
 */
function countsLeft(
  kind: 'S3' | 'GCS',
  port: number,
  nextBucket: () => Bucket,
): Promise<readonly number[]> {
  return killEverywhere(writersAtOnce, async (changes) => {
    await using proxies = new AsyncDisposableStack();
    const writers: object[] = [];
    const buckets: Bucket[] = [];
    const held: Promise<void>[] = [];
    for (const change of changes) {
      const bucket = nextBucket();
      const proxy = proxies.use(await FaultProxy.start(port));
      buckets.push(bucket);
      held.push(holdBack(proxy, change));
      const options = { ...bucket.options, endpoint: proxy.endpoint };
      writers.push({ kind, options, rowCount: rowCounts[kind] });
    }
    const ends = await killWriters(script, writers, held);
    const left: { isDone: boolean; left: number }[] = [];
    for (const [index, bucket] of buckets.entries()) {
      await using store = await bucket.open();
      left.push({
        isDone: ends[index] ?? false,
        left: await countWholeResults(store, rowCounts[kind]),
      });
    }
    return left;
  });
}

/**
 * Holds back the change with this number and all calls after it; resolves when one is held back.
 */
function holdBack(proxy: FaultProxy, change: number): Promise<void> {
  const held = Promise.withResolvers<void>();
  let changeCount = 0;
  proxy.intercept = ({ method }) => {
    if (method !== 'GET' && method !== 'HEAD') changeCount += 1;
    if (changeCount < change) return undefined;
    held.resolve();
    return { kind: 'stall' };
  };
  return held.promise;
}

/**
 * Checks the state that the successor finds: every listed result can be read to its last row, and a
 * new one can be stored next to them.
 */
async function countWholeResults(store: ObjectStore, rowCount: number): Promise<number> {
  const results = new ResultStore({
    store,
    brokerId: 'b',
    expirationMs: 3_600_000,
    expirationMaxMs: 86_400_000,
  });
  const entries = await Array.fromAsync(results.list());
  for (const { requestId } of entries) {
    const result = await results.open(requestId);
    expect(await pageText(result, rowCount - 1_000, 2_000)).toBe(
      countingJson(rowCount - 1_000, rowCount),
    );
  }
  const { entry } = await results.create(countingRows(10), { owner: 'o' });
  expect(await pageText(await results.open(entry.requestId), 0, 100)).toBe(countingJson(0, 10));
  return entries.length;
}

/**
 * The writer was killed at every stage: before the first result, between, with both, and after the
 * deletion.
 */
function expectEveryStretch(resultCounts: readonly number[]): void {
  expect(resultCounts.filter((count, index) => count !== resultCounts[index - 1])).toEqual([
    0, 1, 2, 1,
  ]);
  expect(resultCounts.length).toBeGreaterThan(10);
}

const title = 'a process killed before any of its changes of the bucket leaves whole results only';

describeWithTool(s3Server, 'a writer to S3', (path) => {
  test(`${title}, and uploads that a cleaner finds`, async () => {
    await using server = await S3Server.start(path);
    const locations: string[] = [];
    let foundCount = 0;
    const resultCounts = await countsLeft('S3', server.process.port, () => {
      const options = { ...server.storeOptions(), partBytes: partBytes.S3 };
      locations.push(options.location);
      return { options, open: () => S3ObjectStore.open(options) };
    });
    expectEveryStretch(resultCounts);
    for (const location of locations) {
      await using store = await S3ObjectStore.open({ ...server.storeOptions(), location });
      const uploads = await collect(store.leftovers.list({ prefix: 'b/' }));
      for (const { key } of uploads) await store.leftovers.remove(key);
      foundCount += uploads.length;
      // The uploads that a writer started when it opened its store belong to no result.
      const left = await unfinishedUploads(server, location);
      expect(left.filter((key) => !key.endsWith('/.probe'))).toEqual([]);
    }
    expect(foundCount).toBeGreaterThan(4);
  });
});

describeWithTool(gcsServer, 'a writer to GCS', (path) => {
  test(title, async () => {
    await using server = await GcsServer.start(path);
    const resultCounts = await countsLeft('GCS', server.process.port, () => {
      const options = { ...server.storeOptions(), partBytes: partBytes.GCS };
      return { options, open: () => GcsObjectStore.open(options) };
    });
    expectEveryStretch(resultCounts);
  });
});

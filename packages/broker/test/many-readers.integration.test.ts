import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { get, type IncomingMessage } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { SeededRandom } from '@quire/core/testing';
import { PageThreads, type Result, type ResultSource, ResultStore } from '@quire/results';
import { FileObjectStore } from '@quire/store-file';
import { Int32, makeVector, Table, Utf8, vectorFromArray } from 'apache-arrow';
import { expect, test } from 'vitest';
import { brokerId, TestBroker } from '../../../test/src/testkit/broker-server.ts';

const formats = ['json', 'ndjson', 'csv', 'arrow'] as const;
const rowCount = 40_000;

/** Rows that contain the number of their result, so that no result can be mistaken for another. */
function rowsOf(name: string): ResultSource {
  const texts = Array.from(
    { length: rowCount },
    (_, row) => `${name} has row ${row} ${'"'.repeat(row % 7)}`,
  );
  const table = new Table({
    n: makeVector(Int32Array.from({ length: rowCount }, (_, row) => row)),
    t: vectorFromArray(texts, new Utf8()),
  });
  const batches = async function* () {
    yield* table.batches;
  };
  expect(table.schema.fields[0]?.type).toBeInstanceOf(Int32);
  return { schema: table.schema, batches: batches() };
}

interface Read {
  readonly result: Result;
  readonly offset: number;
  readonly count: number;
  readonly format: (typeof formats)[number];
  readonly encoding: 'identity' | 'gzip';
  /** The fate of a page: read as fast as it arrives, with pauses, or abandoned after some bytes. */
  readonly manner: 'fast' | 'slow' | 'leaving';
  readonly leavingAfter: number;
}

/** Reads a page over a connection of its own; undefined when it was left. */
async function read(
  url: string,
  { result, offset, count, format, encoding, manner, leavingAfter }: Read,
) {
  const path = `/query/${result.entry.requestId}/results?offset=${offset}&numRows=${count}&format=${format}`;
  const headers = { authorization: 'Bearer root-token', 'accept-encoding': encoding };
  const request = get(`${url}${path}`, { headers, agent: false });
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  const chunks: Buffer[] = [];
  let sizeBytes = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    chunks.push(chunk);
    sizeBytes += chunk.length;
    if (manner === 'leaving' && sizeBytes > leavingAfter) {
      response.destroy();
      return undefined;
    }
    for (let turn = 0; manner === 'slow' && turn < 4; turn += 1) {
      await new Promise((resolve) => setImmediate(resolve));
    }
  }
  expect(response.statusCode).toBe(200);
  const body = Buffer.concat(chunks);
  return response.headers['content-encoding'] === 'gzip' ? gunzipSync(body) : body;
}

test.each([0, 2])(
  'many readers who take their time or go away get their own pages, no matter which reader had their memory before, with %i threads',
  async (countMax) => {
    const root = await mkdtemp(join(tmpdir(), 'quire-readers-'));
    await using store = await FileObjectStore.open({ root });
    // Two buffers of a page are cached, and few batches fit the cache.
    const reading = { store, batchSizeBytes: 32_768, cacheBytesMax: 2_000_000 };
    await using pageThreads = new PageThreads({ countMax });
    await using broker = await TestBroker.start({}, { ...reading, pageThreads });
    const random = new SeededRandom(7);
    const results = await Promise.all(
      ['ann', 'bob', 'eve'].map((name) => broker.results.create(rowsOf(name), { owner: 'root' })),
    );
    // The same pages, read by a single client into memory of their own.
    const alone = new ResultStore({
      ...reading,
      brokerId,
      expirationMs: 1000,
      expirationMaxMs: 1000,
      cacheBytesMax: 0,
      clock: broker.clock,
    });

    const one = (): Read => ({
      result: results[random.integer(results.length)] as Result,
      offset: random.integer(8) * 4000,
      count: [1, 700, 4000, 16_000, rowCount][random.integer(5)] as number,
      format: formats[random.integer(4)] as Read['format'],
      encoding: random.integer(4) === 0 ? 'gzip' : 'identity',
      manner: (['fast', 'slow', 'leaving'] as const)[random.integer(3)] as Read['manner'],
      leavingAfter: random.integer(400_000),
    });
    let compared = 0;
    const reader = async (): Promise<void> => {
      for (let round = 0; round < 12; round += 1) {
        const asked = one();
        const body = await read(broker.address.url, asked);
        if (body === undefined) continue;
        const { result, offset, count, format } = asked;
        const page = (await alone.open(result.entry.requestId)).page({ offset, rowCount: count });
        const rows = Buffer.concat(await Array.fromAsync(page.encode(format)));
        const start = format === 'json' ? body.indexOf('"rows":') + '"rows":'.length : 0;
        const behind = body.subarray(start + rows.length).toString();
        compared += 1;
        // Not by the runner's own comparison, which would take longer than the pages.
        expect([
          offset,
          count,
          format,
          body.subarray(start, start + rows.length).equals(rows),
        ]).toEqual([offset, count, format, true]);
        expect(behind.startsWith(format === 'json' ? '},"' : '')).toBe(true);
      }
    };
    await Promise.all(Array.from({ length: 16 }, reader));
    expect(compared).toBeGreaterThan(100);
    expect(pageThreads.status.partCount > 10).toBe(countMax > 0);
    await rm(root, { recursive: true, maxRetries: 10 });
  },
);

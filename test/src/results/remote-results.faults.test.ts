import { readdir } from 'node:fs/promises';
import {
  createRequestId,
  MiB,
  type ObjectStore,
  systemClock,
  systemRandom,
  withRetry,
} from '@quire/core';
import { collect } from '@quire/core/testing';
import { DuckDbEngine } from '@quire/engine-duckdb';
import { type ArrowBatch, openOrdered, ResultStore, type ResultStoreOptions } from '@quire/results';
import fc from 'fast-check';
import { GcsObjectStore } from '@quire/store-gcs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { countingJson, countingRows } from '../testkit/builders/counting-rows.ts';
import { batchesOf, jsonCells, modelTables, schemaOf } from '../testkit/builders/model-table.ts';
import { pageText, textOf } from '../testkit/builders/page-text.ts';
import { temporaryDirectory } from '../testkit/cli-process.ts';
import { type Fault, FaultProxy } from '../testkit/servers/fault-proxy.ts';
import { GcsServer } from '../testkit/servers/gcs-server.ts';
import { S3Server } from '../testkit/servers/s3-server.ts';
import { describeWithTool, gcsServer, s3Server, type Tool } from '../testkit/toolchain.ts';
import { type Backend, backendKinds, hastyClock } from '../testkit/remote-backends.ts';
import { S3ObjectStore } from '@quire/store-s3';
import { until } from '../testkit/until.ts';

const times = { expirationMs: 1e9, expirationMaxMs: 1e9 };

function resultsOn(
  store: ObjectStore,
  brokerId = 'b',
  options: Partial<ResultStoreOptions> = {},
): ResultStore {
  return new ResultStore({
    store,
    brokerId,
    isShared: true,
    cacheBytesMax: 0,
    ...times,
    ...options,
  });
}

/** Wraps a store as a broker does. */
function retrying(store: ObjectStore): ObjectStore {
  return withRetry(store, {
    clock: hastyClock,
    random: systemRandom,
    attemptsMax: 20,
    delayMs: 100,
    delayMaxMs: 5000,
  });
}

for (const kind of backendKinds) {
  describeWithTool(kind.tool, `results in ${kind.name}`, (path) => {
    let backend: Backend;
    let proxy: FaultProxy;
    let store: ObjectStore;
    beforeAll(async () => {
      backend = await kind.start(path);
      proxy = await FaultProxy.start(backend.port);
      store = await backend.open(proxy);
    });
    afterAll(async () => {
      await store[Symbol.asyncDispose]();
      await proxy[Symbol.asyncDispose]();
      await backend[Symbol.asyncDispose]();
    });

    test('a page is the slice of the rows that went in', async () => {
      const page = fc.record({ offset: fc.nat(60), rowCount: fc.integer({ min: 1, max: 60 }) });
      await fc.assert(
        fc.asyncProperty(modelTables, page, async (table, { offset, rowCount }) => {
          fc.pre(offset <= table.rows.length);
          const source = { schema: schemaOf(table), batches: batchesOf(table) };
          const { entry } = await resultsOn(store, 'b', { batchSizeBytes: 64 }).create(source, {
            owner: 'o',
          });
          const cells = table.rows
            .slice(offset, offset + rowCount)
            .map((row) => jsonCells(table, row));
          const expected = `[${cells.map((row) => `[${row.join(',')}]`).join(',')}]`;
          expect(
            await pageText(await resultsOn(store).open(entry.requestId), offset, rowCount),
          ).toBe(expected);
        }),
        { numRuns: 25 },
      );
    });

    test('a warm page takes one request, a cold one three', async () => {
      const { entry } = await resultsOn(store).create(countingRows(100_000), { owner: 'o' });
      const results = resultsOn(store);
      const requestsOf = async (): Promise<number> => {
        proxy.requests.length = 0;
        expect(await pageText(await results.open(entry.requestId), 50_000, 1000)).toBe(
          countingJson(50_000, 51_000),
        );
        return proxy.requests.length;
      };
      expect([await requestsOf(), await requestsOf()]).toEqual([3, 1]);
    });

    test('a query over a result reads what another broker has stored, as workers do', async () => {
      const stored = await resultsOn(store, 'a', { compression: 'zstd' }).create(
        countingRows(50_000),
        { owner: 'o' },
      );
      await using directory = await temporaryDirectory();
      const limits = { memoryMaxBytes: 64 * MiB, spillMaxBytes: 64 * MiB, threads: 1 };
      const place = { tables: [], spillDirectory: directory.path, clock: systemClock };
      await using engine = await DuckDbEngine.open({ ...place, ...limits });
      const results = resultsOn(store);
      const named = openOrdered(
        (await results.open(stored.entry.requestId)).readOrder(),
        retrying(store),
      );
      const [column] = named.schema.fields;
      const sql = `SELECT count(*), max("${column?.name}") FROM result('${named.requestId}') WHERE "${column?.name}" >= 40000`;
      await using execution = await engine.execute(
        { sql },
        { limits: { timeoutMs: 60_000 }, results: [named] },
      );
      expect(await pageText(await results.create(execution, { owner: 'o' }), 0, 10)).toBe(
        '[[10000,49999]]',
      );
    });

    test('the brokers of a bucket know which of them runs a query, until it has ended', async () => {
      const requestId = createRequestId(systemClock, systemRandom);
      const [runner, peer] = [resultsOn(store, 'runner'), resultsOn(store, 'peer')];
      const place = {
        owner: 'o',
        broker: { host: 'b1.example', port: 8099 },
        endsBeforeMs: systemClock.nowMs() + 60_000,
      };
      const mark = runner.markRunning(requestId, place);
      await mark?.written;
      await expect(peer.open(requestId)).rejects.toMatchObject({
        code: 'QUERY_ELSEWHERE',
        broker: place.broker,
      });
      const { entry } = await runner.create(countingRows(10), { owner: 'o', requestId });
      await mark?.end();
      expect(await pageText(await peer.open(requestId), 0, 10)).toBe(countingJson(0, 10));
      await peer.delete(requestId);
      expect(await collect(store.list(`${entry.brokerId}/${requestId}/`))).toEqual([]);
    });

    test('a write takes one request for each of its two objects, and on S3 one more to learn its date', async () => {
      proxy.requests.length = 0;
      await resultsOn(store).create(countingRows(100_000), { owner: 'o' });
      const methods = proxy.requests.map(({ method }) => method);
      const expected: Readonly<Record<string, readonly string[]>> = {
        S3: ['PUT', 'HEAD', 'PUT', 'HEAD'],
        GCS: ['POST', 'POST'],
        Azure: ['PUT', 'PUT'],
      };
      expect(methods).toEqual(expected[kind.name]);
    });

    test('rows are read while their upload goes on, from the broker alone; the bucket shows nothing before the commit', async () => {
      await using directory = await temporaryDirectory();
      const results = resultsOn(store, 'growing', { tempDirectory: directory.path });
      const growth = await results.grow(createRequestId(systemClock, systemRandom));
      const { schema, batches } = countingRows(6_000_000);
      const [isHalfThere, goOn] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
      async function* halting(): AsyncGenerator<ArrowBatch> {
        let rowCount = 0;
        for await (const batch of batches) {
          yield batch;
          rowCount += batch.data.length;
          if (rowCount < 4_000_000) continue;
          isHalfThere.resolve();
          await goOn.promise;
        }
      }
      proxy.requests.length = 0;
      const options = { owner: 'o', requestId: growth.requestId, growth };
      const creating = results.create({ schema, batches: halting() }, options);
      await isHalfThere.promise;
      // Parts of the object are in the bucket by then, and yet there is no object.
      await until(
        () => proxy.requests.some((request) => kind.isPart(request)),
        'a part is on its way',
      );
      expect(await collect(store.list('growing/'))).toEqual([]);
      proxy.requests.length = 0;
      const page = await textOf(growth.page({ offset: 3_000_000, rowCount: 1000 }));
      expect(page).toBe(countingJson(3_000_000, 3_001_000));
      expect(proxy.requests.filter(({ method }) => method === 'GET')).toEqual([]);
      goOn.resolve();
      await creating;
      await growth.end();
      expect(await pageText(await resultsOn(store).open(growth.requestId), 3_000_000, 1000)).toBe(
        page,
      );
      expect(await readdir(directory.path)).toEqual([]);
    });

    test("two brokers serve each other's results", async () => {
      const [one, two] = [resultsOn(store, 'Broker_one_1'), resultsOn(store, 'Broker_two_1')];
      const first = await one.create(countingRows(1000), { owner: 'o' });
      const second = await two.create(countingRows(2000), { owner: 'o' });
      expect(await pageText(await two.open(first.entry.requestId), 500, 10)).toBe(
        countingJson(500, 510),
      );
      expect(await pageText(await one.open(second.entry.requestId), 1500, 10)).toBe(
        countingJson(1500, 1510),
      );
    });
  });
}

/** A server that stops and starts again with all its data, and a store at one location of it. */
interface LapsingServer extends AsyncDisposable {
  /** Goes down, with calls in progress, and resolves once it is up again. */
  lapse(): Promise<void>;
  open(): Promise<ObjectStore>;
}

interface LapsingServerKind {
  readonly tool: Tool;
  readonly lapse: string;
  start(path: string): Promise<LapsingServer>;
}

const lapsingServers: Readonly<Record<string, LapsingServerKind>> = {
  S3: {
    tool: s3Server,
    lapse: 'is killed and started again',
    async start(path) {
      const server = await S3Server.start(path);
      const options = { ...server.storeOptions(), partAttemptsMax: 10, clock: hastyClock };
      return {
        lapse: () => server.process.restart(),
        open: () => S3ObjectStore.open(options),
        [Symbol.asyncDispose]: () => server.process[Symbol.asyncDispose](),
      };
    },
  },
  // The only free server loses the metadata of its files when it is killed, and then lists none at
  // all: so the connection to it fails instead.
  GCS: {
    tool: gcsServer,
    lapse: 'acts on calls without answering, and then cannot be reached for a while',
    async start(path) {
      const server = await GcsServer.start(path);
      const proxy = await FaultProxy.start(server.process.port);
      const options = {
        ...server.storeOptions(),
        endpoint: proxy.endpoint,
        partAttemptsMax: 10,
        clock: hastyClock,
      };
      return {
        async lapse() {
          const faults: Fault[] = [
            ...Array<Fault>(3).fill({ kind: 'lose answer' }),
            ...Array<Fault>(5).fill({ kind: 'reset' }),
          ];
          proxy.intercept = () => faults.shift();
          while (faults.length > 0) await hastyClock.sleep(100);
        },
        open: () => GcsObjectStore.open(options),
        async [Symbol.asyncDispose]() {
          await proxy[Symbol.asyncDispose]();
          await server[Symbol.asyncDispose]();
        },
      };
    },
  },
};

for (const [name, kind] of Object.entries(lapsingServers)) {
  describeWithTool(kind.tool, `a server of ${name} that ${kind.lapse}, under load`, (path) => {
    test(`a server of ${name} that ${kind.lapse}, under load loses no committed result, and shows no partial one`, async () => {
      await using server = await kind.start(path);
      await using store = await server.open();
      const results = resultsOn(retrying(store));
      const committed: string[] = [];
      let failedCount = 0;
      let isOver = false;
      const writing = async (): Promise<void> => {
        while (!isOver) {
          try {
            committed.push(
              (await results.create(countingRows(20_000), { owner: 'o' })).entry.requestId,
            );
          } catch {
            // The moment of the failure decides which writes fail; each must be complete or absent.
            failedCount += 1;
          }
        }
      };
      const writers = Promise.all([writing(), writing(), writing()]);
      for (let round = 1; round <= 4; round += 1) {
        const before = committed.length;
        while (committed.length < before + 5) await hastyClock.sleep(100);
        await server.lapse();
      }
      isOver = true;
      await writers;

      await using after = await server.open();
      const survivors = resultsOn(after);
      const listed: string[] = [];
      for await (const entry of survivors.list()) {
        listed.push(entry.requestId);
        expect(await pageText(await survivors.open(entry.requestId), 0, 20_000)).toBe(
          countingJson(0, 20_000),
        );
      }
      expect(committed.filter((id) => !listed.includes(id))).toEqual([]);
      expect(committed.length).toBeGreaterThanOrEqual(20);
      expect(listed.length).toBeLessThanOrEqual(committed.length + failedCount);
    });
  });
}

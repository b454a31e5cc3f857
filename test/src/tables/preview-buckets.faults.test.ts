import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import type { ObjectStore } from '@quire/core';
import { createFileFinder, type PreviewResponse } from '@quire/tables';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { TestController } from '../testkit/controller-server.ts';
import { FaultProxy } from '../testkit/servers/fault-proxy.ts';
import { describeWithTool } from '../testkit/toolchain.ts';
import { type Backend, backendKinds } from '../testkit/remote-backends.ts';

const data = join(import.meta.dirname, '../../../node_modules/vega-datasets/data');

for (const kind of backendKinds) {
  describeWithTool(kind.tool, `previews of files in ${kind.name}`, (path) => {
    let backend: Backend;
    let proxy: FaultProxy;
    let store: ObjectStore;
    let controller: TestController;

    beforeAll(async () => {
      backend = await kind.start(path);
      proxy = await FaultProxy.start(backend.port);
      store = await backend.open(proxy);
      const stocks = await readFile(join(data, 'stocks.csv'));
      await store.put('tables/one.csv', stocks);
      await store.put('tables/two.csv.gz', gzipSync(stocks));
      await store.put('tables/flights.parquet', await readFile(join(data, 'flights-3m.parquet')));
      const finder = createFileFinder({
        paths: [],
        buckets: [{ location: store.location, open: async () => store }],
      });
      controller = await TestController.start([], {
        preview: { bodyBytesMax: 1e6, limits: {}, concurrencyMax: 1, finder },
      });
    });
    afterAll(async () => {
      for (const each of [controller, store, proxy, backend]) await each[Symbol.asyncDispose]();
    });

    async function preview(...sourceFiles: readonly string[]): Promise<PreviewResponse> {
      const body = JSON.stringify({ sourceFiles });
      const answer = await controller.call('/tables/preview', { method: 'POST', body });
      expect(answer.status).toBe(200);
      return (await answer.json()) as PreviewResponse;
    }

    function columnsOf(answer: PreviewResponse): string[] {
      const schema = answer.schema as unknown as Readonly<
        Record<string, readonly { name: string; dataType: string }[]>
      >;
      const lists = ['dimensionFieldSpecs', 'dateTimeFieldSpecs', 'metricFieldSpecs'].flatMap(
        (list) => schema[list] ?? [],
      );
      return lists.map(({ name, dataType }) => `${name} ${dataType}`).toSorted();
    }

    test('plain and compressed files that match a pattern are sampled', async () => {
      const answer = await preview(`${store.location}/tables/*.csv*`);
      expect(columnsOf(answer)).toEqual(['date STRING', 'price DOUBLE', 'symbol STRING']);
      expect(answer.summary).toMatchObject({
        getnSourceRows: 100,
        getnRows: 100,
        getnFailedRows: 0,
      });
    });

    test(`previews of a Parquet file in ${kind.name} read the footer and what the sample needs, by ranges`, async () => {
      proxy.requests.length = 0;
      const answer = await preview(`${store.location}/tables/flights.parquet`);
      expect(columnsOf(answer)).toContain('date TIMESTAMP');
      const isRead = ({ method, url }: { method: string; url: string }): boolean =>
        method === 'GET' && url.includes('flights.parquet');
      // Listings and dates go by the same path; bytes are always a range of them.
      const reads = proxy.requests.filter(
        (request) =>
          isRead(request) &&
          (request.headers['range'] ?? request.headers['x-ms-range']) !== undefined,
      );
      expect(reads.length).toBeGreaterThan(0);
    });

    test('files outside of what is allowed are a finding, and nobody looks for them', async () => {
      proxy.requests.length = 0;
      const answer = await preview(
        `${store.location.replace(/[^/]+$/, 'elsewhere')}/tables/one.csv`,
      );
      expect(answer.findings.filter(({ severity }) => severity === 'error')).not.toEqual([]);
      expect(answer.summary).toMatchObject({ getnSourceRows: 0 });
      expect(proxy.requests).toEqual([]);
    });
  });
}

import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { FileProducer } from '@quire/streams';
import { expect, test } from 'vitest';
import { describeWithTool, goClient } from '../testkit/toolchain.ts';
import { LiveTables, token } from './live-tables.ts';

const data = join(import.meta.dirname, '../../../node_modules/vega-datasets/data');

/** Returns the outcome of an admin's call to the controller: 200, or the answer with the reason. */
async function post(start: LiveTables, path: string, body?: object): Promise<unknown> {
  const answer = await start.call('POST', path, body);
  return answer.status === 200 ? 200 : answer.json();
}

/** The rows of a query, or its exceptions. */
async function ask(start: LiveTables, sql: string): Promise<unknown> {
  const answer = await start.call('POST', '/query/sql', { sql }, 'broker');
  const { resultTable, exceptions } = (await answer.json()) as {
    resultTable?: { rows: unknown };
    exceptions: unknown;
  };
  return resultTable?.rows ?? exceptions;
}

/** Returns the metadata record of a query whose result is stored. */
async function metadata(start: LiveTables, sql: string): Promise<unknown> {
  const answer = await start.call('POST', '/query/sql?doPaginate=true', { sql }, 'broker');
  const { requestId } = (await answer.json()) as { requestId: string };
  const found = await start.call('GET', `/query/${requestId}/metadata`, undefined, 'broker');
  const [record] = (await found.json()) as unknown[];
  return record;
}

const stocks = {
  schemaName: 'stocks',
  dimensionFieldSpecs: [
    { name: 'symbol', dataType: 'STRING' },
    { name: 'date', dataType: 'STRING' },
  ],
  metricFieldSpecs: [{ name: 'price', dataType: 'DOUBLE' }],
};

const ticks = {
  schemaName: 'ticks',
  metricFieldSpecs: [{ name: 'n', dataType: 'INT' }],
  dateTimeFieldSpecs: [
    { name: 'ts', dataType: 'LONG', format: 'EPOCH|MILLISECONDS|1', granularity: 'MILLISECONDS|1' },
  ],
};

const ticksConfig = {
  tableName: 'ticks',
  tableType: 'REALTIME',
  segmentsConfig: { timeColumnName: 'ts' },
  ingestionConfig: {
    streamIngestionConfig: {
      streamConfigMaps: [
        {
          streamType: 'file',
          'stream.file.topic.name': 'ticks',
          'stream.file.consumer.prop.auto.offset.reset': 'smallest',
        },
      ],
    },
  },
};

test('quire start makes tables of files and streams, and answers about them', async () => {
  await using start = await LiveTables.open({ 'controller.preview.source.paths': data });
  expect(await post(start, '/schemas', stocks)).toBe(200);
  expect(await post(start, '/tables', { tableName: 'stocks', tableType: 'OFFLINE' })).toBe(200);
  expect(
    await post(start, '/ingestFromURI?tableNameWithType=stocks_OFFLINE&sourceURIStr=stocks.csv'),
  ).toBe(200);
  expect(
    await ask(start, 'SELECT symbol, count(*) FROM stocks GROUP BY symbol ORDER BY symbol'),
  ).toEqual([
    ['AAPL', 123],
    ['AMZN', 123],
    ['GOOG', 68],
    ['IBM', 123],
    ['MSFT', 123],
  ]);
  expect(await ask(start, "SELECT * FROM read_parquet('/etc/passwd')")).toEqual([
    expect.objectContaining({ errorCode: 700 }),
  ]);

  await using producer = await FileProducer.open({
    directory: join(start.home, 'streams'),
    topic: 'ticks',
    partitionCount: 1,
  });
  expect(await post(start, '/schemas', ticks)).toBe(200);
  expect(await post(start, '/tables', ticksConfig)).toBe(200);
  const values = Array.from({ length: 100 }, (_, n) =>
    Buffer.from(JSON.stringify({ n, ts: 1_700_000_000_000 + n })),
  );
  await producer.append(values.map((value) => ({ key: null, value })));
  await expect.poll(() => ask(start, 'SELECT count(*), max(n) FROM ticks')).toEqual([[100, 99]]);
  const nowMs = Date.now();
  expect(await metadata(start, 'SELECT * FROM ticks')).toMatchObject({
    numSegmentsQueried: 1,
    numSegmentsProcessed: 1,
    numConsumingSegmentsQueried: 1,
    numConsumingSegmentsProcessed: 1,
    totalDocs: 100,
  });
  const { minConsumingFreshnessTimeMs } = (await metadata(start, 'SELECT * FROM ticks')) as Record<
    string,
    number
  >;
  expect(Math.abs(nowMs - (minConsumingFreshnessTimeMs ?? 0))).toBeLessThan(60_000);
  expect(
    await metadata(start, 'SELECT * FROM stocks s JOIN ticks t ON t.n = s.price'),
  ).toMatchObject({
    numSegmentsQueried: 2,
    numConsumingSegmentsQueried: 1,
    totalDocs: 660,
  });
});

test('a live table is one of those that clients discover, at the broker and at the controller', async () => {
  await using start = await LiveTables.open({ 'controller.preview.source.paths': data });
  const read = async (path: string, service: 'broker' | 'controller'): Promise<unknown> =>
    (await start.call('GET', path, undefined, service)).json();
  expect(await read('/tables', 'broker')).toEqual({
    tables: [],
    fileTables: [],
    dialect: 'duckdb',
  });
  expect(await post(start, '/schemas', stocks)).toBe(200);
  expect(await post(start, '/tables', { tableName: 'stocks', tableType: 'OFFLINE' })).toBe(200);
  expect(
    await post(start, '/ingestFromURI?tableNameWithType=stocks_OFFLINE&sourceURIStr=stocks.csv'),
  ).toBe(200);

  const broker = {
    host: '127.0.0.1',
    port: Number(new URL(start.brokerUrl).port),
    instanceName: `Broker_127.0.0.1_${new URL(start.brokerUrl).port}`,
  };
  expect(await read('/tables', 'broker')).toMatchObject({ tables: ['stocks'] });
  expect(await read('/tables/stocks/schema', 'broker')).toMatchObject({
    schemaName: 'stocks',
    dimensionFieldSpecs: [{ name: 'symbol' }, { name: 'date' }, { name: 'price' }],
  });
  expect(await read('/tables', 'controller')).toEqual({ tables: ['stocks'], dialect: 'duckdb' });
  expect(await read('/v2/brokers/tables', 'controller')).toEqual({ stocks: [broker] });
  expect(await read('/brokers/tables/stocks', 'controller')).toEqual([broker.instanceName]);
  expect(await read('/tables/livebrokers', 'controller')).toEqual({ stocks_OFFLINE: [broker] });
  expect(await read('/tables/stocks/instances', 'controller')).toMatchObject({
    tableName: 'stocks',
    brokers: [{ tableType: 'offline', instances: [broker.instanceName] }],
    server: [{ tableType: 'offline' }],
  });

  await start.call('DELETE', '/tables/stocks');
  expect(await read('/tables', 'broker')).toMatchObject({ tables: [] });
  expect((await start.call('GET', '/tables/stocks/schema', undefined, 'broker')).status).toBe(404);
});

describeWithTool(goClient, "Apache Pinot's client for Go", (program) => {
  test("Apache Pinot's client for Go finds the broker of a live table through the controller", async () => {
    await using start = await LiveTables.open({ 'controller.preview.source.paths': data });
    expect(await post(start, '/schemas', stocks)).toBe(200);
    expect(await post(start, '/tables', { tableName: 'stocks', tableType: 'OFFLINE' })).toBe(200);
    expect(
      await post(start, '/ingestFromURI?tableNameWithType=stocks_OFFLINE&sourceURIStr=stocks.csv'),
    ).toBe(200);
    const controller = new URL(start.controllerUrl).host;
    const { stdout } = await promisify(execFile)(
      program,
      [controller, 'stocks', "SELECT COUNT(*) AS c FROM stocks WHERE symbol = 'AAPL'"],
      { env: { QUIRE_TOKEN: token } },
    );
    expect(stdout.split('\n').map((line) => line.trimEnd())).toEqual(['c LONG', '123', '']);
  });
});

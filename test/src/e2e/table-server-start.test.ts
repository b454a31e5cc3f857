import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FileProducer } from '@quire/streams';
import { expect, test, vi } from 'vitest';
import { CliProcess } from './cli-process.ts';

const data = join(import.meta.dirname, '../../../node_modules/vega-datasets/data');
const token = 'ann-has-a-token-of-32-characters';

/** `quire start` with tables, streams and the sample data, and the calls of an admin. */
class Start implements AsyncDisposable {
  readonly home: string;
  readonly #command: CliProcess;
  readonly #urls: Readonly<Record<'broker' | 'controller', string>>;

  private constructor(home: string, command: CliProcess, urls: Readonly<Record<'broker' | 'controller', string>>) {
    this.home = home;
    this.#command = command;
    this.#urls = urls;
  }

  static async open(): Promise<Start> {
    const home = await mkdtemp(join(tmpdir(), 'quire-server-'));
    const properties = {
      'engine.broker.client.queryPort': '0',
      'controller.port': '0',
      'engine.broker.pagination.protocol': 'memory',
      'engine.broker.pagination.temp.dir': join(home, 'temp'),
      'engine.auth.principal.ann.role': 'admin',
      'engine.auth.principal.ann.token.env': 'ANN_TOKEN',
      'engine.tables.data.dir': join(home, 'tables'),
      'engine.stream.file.dir': join(home, 'streams'),
      'controller.preview.source.paths': data,
    };
    const lines = Object.entries(properties).map(([key, value]) => `${key} = ${value}\n`);
    const config = join(home, 'quire.properties');
    await writeFile(config, lines.join(''));
    const command = new CliProcess(['start', '--roles', 'server,broker,controller', '--config', config], {
      variables: { ANN_TOKEN: token },
    });
    const [, broker = ''] = await command.untilPrinted(/broker +(http:\/\/\S+)/);
    const [, controller = ''] = await command.untilPrinted(/controller +(http:\/\/\S+)/);
    return new Start(home, command, { broker, controller });
  }

  async post(path: string, body?: object): Promise<unknown> {
    const answer = await this.#call('controller', path, body);
    return answer.status === 200 ? 200 : answer.json();
  }

  async ask(sql: string): Promise<unknown> {
    const answer = await this.#call('broker', '/query/sql', { sql });
    const { resultTable, exceptions } = (await answer.json()) as { resultTable?: { rows: unknown }; exceptions: unknown };
    return resultTable?.rows ?? exceptions;
  }

  /** The metadata record of a query whose result is kept. */
  async metadata(sql: string): Promise<unknown> {
    const answer = await this.#call('broker', '/query/sql?doPaginate=true', { sql });
    const { requestId } = (await answer.json()) as { requestId: string };
    const [record] = (await (await this.#call('broker', `/query/${requestId}/metadata`, undefined, 'GET')).json()) as unknown[];
    return record;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#command[Symbol.asyncDispose]();
    await rm(this.home, { recursive: true, maxRetries: 10 });
  }

  #call(service: 'broker' | 'controller', path: string, body: object | undefined, method = 'POST'): Promise<Response> {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    return fetch(`${this.#urls[service]}${path}`, {
      method,
      headers,
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
  }
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
  dateTimeFieldSpecs: [{ name: 'ts', dataType: 'LONG', format: 'EPOCH|MILLISECONDS|1', granularity: 'MILLISECONDS|1' }],
};

const ticksConfig = {
  tableName: 'ticks',
  tableType: 'REALTIME',
  segmentsConfig: { timeColumnName: 'ts' },
  ingestionConfig: {
    streamIngestionConfig: {
      streamConfigMaps: [
        { streamType: 'file', 'stream.file.topic.name': 'ticks', 'stream.file.consumer.prop.auto.offset.reset': 'smallest' },
      ],
    },
  },
};

test('quire start makes tables of files and streams, and answers about them', async () => {
  await using start = await Start.open();
  expect(await start.post('/schemas', stocks)).toBe(200);
  expect(await start.post('/tables', { tableName: 'stocks', tableType: 'OFFLINE' })).toBe(200);
  expect(await start.post('/ingestFromURI?tableNameWithType=stocks_OFFLINE&sourceURIStr=stocks.csv')).toBe(200);
  expect(await start.ask('SELECT symbol, count(*) FROM stocks GROUP BY symbol ORDER BY symbol')).toEqual([
    ['AAPL', 123],
    ['AMZN', 123],
    ['GOOG', 68],
    ['IBM', 123],
    ['MSFT', 123],
  ]);
  expect(await start.ask("SELECT * FROM read_parquet('/etc/passwd')")).toEqual([expect.objectContaining({ errorCode: 700 })]);

  await using producer = await FileProducer.open({ directory: join(start.home, 'streams'), topic: 'ticks', partitionCount: 1 });
  expect(await start.post('/schemas', ticks)).toBe(200);
  expect(await start.post('/tables', ticksConfig)).toBe(200);
  const values = Array.from({ length: 100 }, (_, n) => Buffer.from(JSON.stringify({ n, ts: 1_700_000_000_000 + n })));
  await producer.append(values.map((value) => ({ key: null, value })));
  await vi.waitFor(async () => expect(await start.ask('SELECT count(*), max(n) FROM ticks')).toEqual([[100, 99]]), {
    timeout: 20_000,
    interval: 50,
  });
  const nowMs = Date.now();
  expect(await start.metadata('SELECT * FROM ticks')).toMatchObject({
    numSegmentsQueried: 1,
    numSegmentsProcessed: 1,
    numConsumingSegmentsQueried: 1,
    numConsumingSegmentsProcessed: 1,
    totalDocs: 100,
  });
  const { minConsumingFreshnessTimeMs } = (await start.metadata('SELECT * FROM ticks')) as Record<string, number>;
  expect(Math.abs(nowMs - (minConsumingFreshnessTimeMs ?? 0))).toBeLessThan(60_000);
  expect(await start.metadata('SELECT * FROM stocks s JOIN ticks t ON t.n = s.price')).toMatchObject({
    numSegmentsQueried: 2,
    numConsumingSegmentsQueried: 1,
    totalDocs: 660,
  });
});

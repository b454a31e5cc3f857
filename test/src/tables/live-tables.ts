import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { RestreamResponse } from '@quire/api';
import { systemClock } from '@quire/core';
import { FileProducer } from '@quire/streams';
import { CliProcess } from '../testkit/cli-process.ts';

export const token = 'ann-has-a-token-of-32-characters';

/** The schema of the messages that producers write here. */
export const eventSchema = {
  schemaName: 'events',
  dimensionFieldSpecs: [{ name: 'id', dataType: 'LONG' }],
  metricFieldSpecs: [{ name: 'amount', dataType: 'DOUBLE' }],
  dateTimeFieldSpecs: [
    { name: 'ts', dataType: 'LONG', format: 'EPOCH|MILLISECONDS|1', granularity: 'MILLISECONDS|1' },
  ],
};

export function eventTable(stream: Readonly<Record<string, string>>): object {
  return {
    tableName: 'events',
    tableType: 'REALTIME',
    segmentsConfig: { timeColumnName: 'ts' },
    ingestionConfig: {
      streamIngestionConfig: {
        streamConfigMaps: [{ 'realtime.segment.flush.threshold.rows': '1000', ...stream }],
      },
    },
  };
}

export const fileStream = {
  streamType: 'file',
  'stream.file.topic.name': 'events',
  'stream.file.consumer.prop.auto.offset.reset': 'smallest',
};

/** `quire start` with broker, controller and table server over a directory that outlives it. */
export class LiveTables implements AsyncDisposable {
  readonly home: string;
  readonly #more: Readonly<Record<string, string>>;
  readonly #variables: Readonly<Record<string, string>>;
  #command: CliProcess | undefined;
  #urls: Readonly<Record<'broker' | 'controller', string>> = { broker: '', controller: '' };

  private constructor(
    home: string,
    more: Readonly<Record<string, string>>,
    variables: Readonly<Record<string, string>>,
  ) {
    this.home = home;
    this.#more = more;
    this.#variables = variables;
  }

  /** Opens tables with further settings, which may refer to its own directory. */
  static async open(
    more:
      | Readonly<Record<string, string>>
      | ((home: string) => Readonly<Record<string, string>>) = {},
    variables: Readonly<Record<string, string>> = {},
  ): Promise<LiveTables> {
    const home = await mkdtemp(join(tmpdir(), 'quire-live-'));
    const tables = new LiveTables(home, typeof more === 'function' ? more(home) : more, variables);
    await tables.start();
    return tables;
  }

  async start(): Promise<void> {
    const { home } = this;
    const properties = {
      'engine.broker.client.queryPort': '0',
      'controller.port': '0',
      'engine.broker.pagination.protocol': 'memory',
      'engine.broker.pagination.temp.dir': join(home, 'temp'),
      'engine.auth.principal.ann.role': 'admin',
      'engine.auth.principal.ann.token.env': 'ANN_TOKEN',
      'engine.tables.data.dir': join(home, 'tables'),
      'engine.stream.file.dir': join(home, 'streams'),
      'controller.restream.poll.period': '100ms',
      'controller.restream.lease.duration': '1s',
      ...this.#more,
    };
    const config = join(home, 'quire.properties');
    await writeFile(
      config,
      Object.entries(properties)
        .map(([key, value]) => `${key} = ${value}\n`)
        .join(''),
    );
    this.#command = new CliProcess(
      ['start', '--roles', 'server,broker,controller', '--config', config],
      {
        variables: { ANN_TOKEN: token, ...this.#variables },
      },
    );
    const [, broker = ''] = await this.#command.untilPrinted(/broker +(http:\/\/\S+)/);
    const [, controller = ''] = await this.#command.untilPrinted(/controller +(http:\/\/\S+)/);
    this.#urls = { broker, controller };
  }

  get brokerUrl(): string {
    return this.#urls.broker;
  }

  get controllerUrl(): string {
    return this.#urls.controller;
  }

  /** Process ids of its workers. */
  async workerPids(): Promise<readonly number[]> {
    const pid = this.#command?.pid ?? 0;
    const children = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8');
    return children.trim().split(' ').filter(Boolean).map(Number);
  }

  /** Ends the process by SIGKILL; its data remains for the next one. */
  async kill(): Promise<void> {
    await this.#command?.[Symbol.asyncDispose]();
  }

  producer(partitionCount = 2): Promise<FileProducer> {
    return FileProducer.open({
      directory: join(this.home, 'streams'),
      topic: 'events',
      partitionCount,
    });
  }

  /** Creates the table and the schema of events. */
  async makeEvents(stream: Readonly<Record<string, string>> = fileStream): Promise<void> {
    for (const [path, body] of [
      ['/schemas', eventSchema],
      ['/tables', eventTable(stream)],
    ] as const) {
      await this.create(path, body);
    }
  }

  /** Calls the controller by POST. @throws Error when it does not answer 200 */
  async create(path: string, body?: object): Promise<void> {
    const answer = await this.call('POST', path, body);
    if (answer.status !== 200) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
  }

  /** Adds rows to a table by its name with type. @throws Error when they are not accepted */
  async ingestRows(tableNameWithType: string, rows: readonly object[]): Promise<void> {
    const form = new FormData();
    const lines = rows.map((row) => `${JSON.stringify(row)}\n`).join('');
    form.append('file', new Blob([lines]), 'rows.json');
    const batchConfig = encodeURIComponent(JSON.stringify({ inputFormat: 'json' }));
    const path = `/ingestFromFile?tableNameWithType=${tableNameWithType}&batchConfigMapStr=${batchConfig}`;
    const answer = await fetch(`${this.controllerUrl}${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}` },
      body: form,
    });
    if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
  }

  call(
    method: string,
    path: string,
    body?: object,
    service: 'broker' | 'controller' = 'controller',
  ): Promise<Response> {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    const init = { method, headers, ...(body !== undefined && { body: JSON.stringify(body) }) };
    return fetch(`${this.#urls[service]}${path}`, init);
  }

  async ask(sql: string): Promise<readonly (readonly unknown[])[]> {
    const answer = await this.call('POST', '/query/sql', { sql }, 'broker');
    const { resultTable, exceptions } = (await answer.json()) as {
      resultTable?: { rows: unknown[][] };
      exceptions: unknown;
    };
    if (resultTable === undefined) throw new Error(`${sql}: ${JSON.stringify(exceptions)}`);
    return resultTable.rows;
  }

  async restream(): Promise<RestreamResponse> {
    const answer = await this.call('GET', '/tables/events_REALTIME/restream');
    if (answer.status !== 200) throw new Error(`restream: ${answer.status} ${await answer.text()}`);
    return (await answer.json()) as RestreamResponse;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.kill();
    await rm(this.home, { recursive: true, maxRetries: 10 });
  }
}

/** Writes numbered events, a few at a time, until it is stopped; each once. */
export class Events {
  #next = 0;
  #stopped = false;
  #running: Promise<void> = Promise.resolve();

  /** The number of written messages. */
  get count(): number {
    return this.#next;
  }

  async write(producer: Pick<FileProducer, 'append'>, count: number): Promise<void> {
    const first = this.#next;
    const messages = Array.from({ length: count }, (_, index) => {
      const id = first + index;
      return {
        key: null,
        value: Buffer.from(JSON.stringify({ id, amount: id / 4, ts: 1_700_000_000_000 + id })),
      };
    });
    await producer.append(messages);
    this.#next += count;
  }

  /** Continues until `stop`. */
  begin(producer: Pick<FileProducer, 'append'>): void {
    this.#running = (async () => {
      while (!this.#stopped) {
        await this.write(producer, 20);
        // Thousands a second: all of them are consumed, twice.
        await systemClock.sleep(5);
      }
    })();
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    await this.#running;
  }
}

import { join } from 'node:path';
import type { JsonValue } from '@quire/core';
import type { TableConfigDocument, TableSchemaDocument } from '@quire/core/table-engine';
import { FileProducer } from '@quire/streams';
import { until } from '../../../test/src/testkit/until.ts';
import type { EmbeddedTableEngineOptions } from '../src/index.ts';
import { TestServer } from './test-server.ts';

export const startMs = Date.UTC(2026, 0, 1);

export const schema: TableSchemaDocument = {
  schemaName: 'orders',
  dimensionFieldSpecs: [{ name: 'item', dataType: 'STRING' }],
  metricFieldSpecs: [{ name: 'n', dataType: 'INT' }],
  dateTimeFieldSpecs: [
    { name: 'ts', dataType: 'LONG', format: 'EPOCH|MILLISECONDS|1', granularity: 'MILLISECONDS|1' },
  ],
};

/** Returns a table of the file stream `orders`, from its start. */
export function configOf(
  stream: Readonly<Record<string, string>> = {},
  ingestion: Readonly<Record<string, JsonValue>> = {},
): TableConfigDocument {
  const streamConfigMaps = [
    {
      streamType: 'file',
      'stream.file.topic.name': 'orders',
      'stream.file.consumer.prop.auto.offset.reset': 'smallest',
      ...stream,
    },
  ];
  return {
    tableName: 'orders',
    tableType: 'REALTIME',
    segmentsConfig: { timeColumnName: 'ts' },
    ingestionConfig: { ...ingestion, streamIngestionConfig: { streamConfigMaps } },
  };
}

/** A topic of two partitions with messages whose `n` increases in each. */
export class Orders implements AsyncDisposable {
  readonly server: TestServer;
  readonly #producer: FileProducer;
  readonly #counts = [0, 0];

  private constructor(server: TestServer, producer: FileProducer) {
    this.server = server;
    this.#producer = producer;
  }

  static async open(options: Partial<EmbeddedTableEngineOptions> = {}): Promise<Orders> {
    const server = await TestServer.open(options);
    await server.engine.createSchema(schema);
    const directory = join(server.directory, 'streams');
    return new Orders(
      server,
      await FileProducer.open({ directory, topic: 'orders', partitionCount: 2 }),
    );
  }

  async append(count: number, partition = 0): Promise<void> {
    const values = Array.from({ length: count }, () => {
      const n = (this.#counts[partition] ?? 0) + 1;
      this.#counts[partition] = n;
      return JSON.stringify({ item: `p${partition}`, n, ts: startMs + n });
    });
    await this.appendTexts(values, partition);
  }

  async appendTexts(values: readonly string[], partition = 0): Promise<void> {
    await this.#producer.append(
      values.map((value) => ({ key: null, value: Buffer.from(value), partition })),
    );
  }

  /** Waits until a query counts `rowCount` rows. */
  async untilRows(count: number): Promise<void> {
    await until(
      async () =>
        (await this.server.value('SELECT CAST(count(*) AS INTEGER) FROM orders')) === count,
      `there are ${count} rows`,
    );
  }

  async untilCommitted(count: number): Promise<void> {
    await until(
      async () => (await this.committed()).length === count,
      `${count} segments are committed`,
    );
  }

  async committed() {
    const segments = await this.server.engine.listSegments('orders_REALTIME');
    return segments.filter(({ state }) => state === 'COMMITTED');
  }

  /**
   * Returns, for each partition with messages, the number of rows, the number of distinct `n`, and
   * the largest one.
   */
  summaries() {
    return this.server.rows(
      'SELECT item, CAST(count(*) AS INTEGER) c, CAST(count(DISTINCT n) AS INTEGER) d, max(n) m FROM orders GROUP BY item ORDER BY item',
    );
  }

  /** The expected `summaries` if the table has each message once. */
  get eachOnce() {
    return this.#counts.flatMap((count, partition) =>
      count === 0 ? [] : [{ item: `p${partition}`, c: count, d: count, m: count }],
    );
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#producer[Symbol.asyncDispose]();
    await this.server[Symbol.asyncDispose]();
  }
}

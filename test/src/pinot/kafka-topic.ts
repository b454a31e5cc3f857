import { Admin } from '@platformatic/kafka';
import { systemRandom } from '@quire/core';
import { KafkaProducer, type KafkaStreamOptions } from '@quire/streams/kafka';
import { sharedServers } from './shared-servers.ts';
import { streamConfigOf } from './stream-config.ts';
import { untilPartitions } from '../testkit/servers/kafka-server.ts';

/** A topic of two partitions on the shared Apache Kafka, used by one test only. */
export class KafkaTopic implements AsyncDisposable {
  readonly name = `topic-${Buffer.from(systemRandom.bytes(8)).toString('hex')}`;
  readonly #address: string;
  readonly #options: KafkaStreamOptions;
  readonly #producer: KafkaProducer;

  private constructor(port: number) {
    this.#address = `127.0.0.1:${port}`;
    const config = {
      brokers: [{ host: '127.0.0.1', port }],
      tls: undefined,
      sasl: undefined,
      isCommittedOnly: false,
    };
    this.#options = { topic: this.name, config };
    this.#producer = new KafkaProducer(this.#options);
  }

  static async create(): Promise<KafkaTopic> {
    const { kafkaPort: port } = sharedServers;
    if (port === null) throw new Error('There is no Apache Kafka.');
    const topic = new KafkaTopic(port);
    const admin = new Admin({
      clientId: 'test',
      bootstrapBrokers: [topic.#address],
      retries: 50,
      retryDelay: 100,
    });
    await admin.createTopics({ topics: [topic.name], partitions: 2, replicas: 1 });
    await untilPartitions(admin, topic.#options, 2);
    await admin.close();
    return topic;
  }

  /** The topic as a table of Apache Pinot consumes it, from its start. */
  get streamConfig(): Readonly<Record<string, string>> {
    return streamConfigOf(this.name, this.#address);
  }

  async append(partition: number, rows: readonly object[]): Promise<void> {
    await this.#producer.append(
      rows.map((row) => ({ key: null, partition, value: Buffer.from(JSON.stringify(row)) })),
    );
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#producer[Symbol.asyncDispose]();
  }
}

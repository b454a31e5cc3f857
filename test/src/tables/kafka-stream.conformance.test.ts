import { ProduceAcks, Producer } from '@platformatic/kafka';
import { isQuireError } from '@quire/core';
import type { FetchLimits } from '@quire/streams';
import { KafkaProducer, KafkaStream } from '@quire/streams/kafka';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { KafkaServer } from '../testkit/servers/kafka-server.ts';
import { describeWithTool, kafkaServer } from '../testkit/toolchain.ts';
import { testKafkaRestream } from './kafka-restream.ts';
import { runKillTrial } from './kill-trial.ts';
import { describeMessageStream } from './message-stream-conformance.ts';
import type { StreamFixture } from './stream-fixture.ts';
import { until } from '../testkit/until.ts';

describeWithTool(kafkaServer, 'on a real Apache Kafka', (jars) => {
  let server: KafkaServer;
  beforeAll(async () => {
    server = await KafkaServer.start(jars);
  });
  afterAll(async () => server[Symbol.asyncDispose]());

  describeMessageStream('kafka stream', async (): Promise<StreamFixture> => {
    const topic = await server.createTopic();
    const { admin } = server;
    const producer = new Producer({ clientId: 'test', bootstrapBrokers: [server.address] });
    const stream = new KafkaStream({ topic, config: server.config });
    return {
      stream,
      append: async (partition, values, timeMs) => {
        const messages = values.map((value) => ({
          topic,
          partition,
          value: Buffer.from(value),
          ...(timeMs !== undefined && { timestamp: BigInt(timeMs) }),
        }));
        await producer.send({ messages, acks: ProduceAcks.ALL });
      },
      addPartition: async () => {
        await admin.createPartitions({
          topics: [{ name: topic, count: 3, assignments: [{ brokerIds: [1] }] }],
        });
        await server.untilPartitions(topic, 3);
      },
      trim: async (partition, beforeOffset) => {
        await admin.deleteRecords({
          topics: [{ name: topic, partitions: [{ partition, offset: BigInt(beforeOffset) }] }],
        });
      },
      deleteTopic: async () => {
        await admin.deleteTopics({ topics: [topic] });
        await server.untilPartitions(topic, 0);
      },
      [Symbol.asyncDispose]: async () => {
        await producer.close();
        await stream[Symbol.asyncDispose]();
      },
    };
  });

  /** QUIRE_TABLE_SERVER_KILLS=100 for the long trial. */
  const killCount = Number(process.env['QUIRE_TABLE_SERVER_KILLS'] ?? 2);

  test(
    `each message of a topic is in its table once, in every query, through ${killCount} kills of producer and server`,
    { timeout: 240_000 + killCount * 10_000 },
    async () => {
      const topic = await server.createTopic();
      const config = {
        streamType: 'kafka',
        'stream.kafka.topic.name': topic,
        'stream.kafka.broker.list': server.address,
        'stream.kafka.decoder.class.name':
          'org.apache.pinot.plugin.inputformat.json.JSONMessageDecoder',
        'stream.kafka.consumer.prop.auto.offset.reset': 'smallest',
      };
      const trial = runKillTrial(
        { config, options: { kafkaBrokers: [server.address] }, offsetStep: 1 },
        killCount,
      );
      await expect(trial).resolves.toBeUndefined();
    },
  );

  testKafkaRestream(() => server);

  describe('a kafka stream', () => {
    test.each(['gzip', 'snappy', 'lz4', 'zstd'] as const)(
      'a kafka stream reads messages that are compressed by %s',
      async (compression) => {
        const topic = await server.createTopic(1);
        await using stream = new KafkaStream({ topic, config: server.config });
        const producer = new Producer({
          clientId: 'test',
          bootstrapBrokers: [server.address],
          compression,
        });
        const values = Array.from({ length: 100 }, (_, index) => JSON.stringify({ index }));
        await producer.send({
          messages: values.map((value) => ({ topic, value: Buffer.from(value) })),
          acks: ProduceAcks.ALL,
        });
        await producer.close();
        expect(await readTexts(stream)).toEqual(values);
      },
    );

    test('a kafka stream passes over what aborted transactions wrote, where only committed messages count, and over the marks at their ends', async () => {
      const topic = await server.createTopic(1);
      const producer = new Producer({
        clientId: 'test',
        bootstrapBrokers: [server.address],
        transactionalId: topic,
        idempotent: true,
        // A transaction is refused while the markers of the one before it are being written.
        retries: true,
        retryDelay: 50,
      });
      for (const [index, isKept] of [true, false, true].entries()) {
        const transaction = await producer.beginTransaction();
        const messages = [0, 1].map((step) => ({
          topic,
          value: Buffer.from(`{"of":${index},"step":${step}}`),
        }));
        await transaction.send({ messages });
        await (isKept ? transaction.commit() : transaction.abort());
      }
      await producer.close();
      await using all = new KafkaStream({ topic, config: server.config });
      await using committed = new KafkaStream({
        topic,
        config: { ...server.config, isCommittedOnly: true },
      });
      // Six messages, and three transaction markers, the last of which is written after the answer.
      await expect
        .poll(() => committed.readPartitions())
        .toEqual([{ partition: 0, earliestOffset: 0, latestOffset: 9 }]);
      const textOf = (index: number): string[] =>
        [0, 1].map((step) => `{"of":${index},"step":${step}}`);
      expect(await readTexts(all)).toEqual([...textOf(0), ...textOf(1), ...textOf(2)]);
      expect(await readTexts(committed)).toEqual([...textOf(0), ...textOf(2)]);
      expect(await committed.fetch(0, 8, limits)).toEqual({
        messages: [],
        nextOffset: 9,
        latestOffset: 9,
      });
    });

    test('a kafka stream goes on over the gaps that compaction leaves', async () => {
      const topic = await server.createTopic(1, {
        'cleanup.policy': 'compact',
        'segment.ms': '100',
        'min.cleanable.dirty.ratio': '0.01',
        'max.compaction.lag.ms': '100',
      });
      await using stream = new KafkaStream({ topic, config: server.config });
      await using producer = new KafkaProducer({ topic, config: server.config });
      let written = 0;
      // The newest segment is never compacted: a message now and then starts another.
      await until(async () => {
        written += 1;
        const value = Buffer.from(`{"n":${written}}`);
        await producer.append([{ key: Buffer.from('same'), value }]);
        const texts = await readTexts(stream);
        expect(texts.at(-1)).toBe(`{"n":${written}}`);
        return texts.length < written - 1;
      }, 'messages are compacted');
    });

    test('a kafka stream sends messages of one key to one partition', async () => {
      const topic = await server.createTopic(3);
      await using stream = new KafkaStream({ topic, config: server.config });
      await using producer = new KafkaProducer({ topic, config: server.config });
      await producer.append(
        Array.from({ length: 30 }, (_, n) => ({
          key: Buffer.from(`k${n % 4}`),
          value: Buffer.from(`{"n":${n}}`),
        })),
      );
      const found = await Promise.all(
        [0, 1, 2].map((partition) => stream.fetch(partition, 0, limits)),
      );
      const places = found.flatMap(({ messages }, partition) =>
        messages.map(({ key }) => `${Buffer.from(key ?? []).toString()} ${partition}`),
      );
      expect(places).toHaveLength(30);
      expect(new Set(places).size).toBe(4);
    });

    test('a kafka stream is STREAM_UNAVAILABLE while its broker is down, and goes on when it is back: the same messages, at the same offsets', async () => {
      const topic = await server.createTopic(1);
      await using stream = new KafkaStream({ topic, config: server.config });
      await using producer = new KafkaProducer({ topic, config: server.config });
      const newMessages = ['{"a":1}', '{"a":2}'].map((value) => ({
        key: null,
        value: Buffer.from(value),
      }));
      await producer.append(newMessages);
      const before = await stream.fetch(0, 0, limits);
      const waiting = stream
        .fetch(0, before.nextOffset, { ...limits, waitMs: 60_000 })
        .catch((error: unknown) => error);
      await server.process.kill();
      expect(await waiting).toMatchObject({ code: 'STREAM_UNAVAILABLE' });
      await expect(stream.fetch(0, 0, limits)).rejects.toMatchObject({
        code: 'STREAM_UNAVAILABLE',
      });
      await expect(stream.readPartitions()).rejects.toMatchObject({ code: 'STREAM_UNAVAILABLE' });
      await expect(producer.append(newMessages)).rejects.toMatchObject({
        code: 'STREAM_UNAVAILABLE',
      });
      await server.process.restart();
      // For a moment the broker does not know the end of its log: it waits, or reports that.
      expect(await untilAvailable(() => stream.fetch(0, 0, { ...limits, waitMs: 60_000 }))).toEqual(
        before,
      );
      await untilAvailable(() => producer.append(newMessages));
      expect(await readTexts(stream)).toEqual(['{"a":1}', '{"a":2}', '{"a":1}', '{"a":2}']);
    });
  });
});

const limits: FetchLimits = { messagesMax: 1000, bytesMax: 1_000_000, waitMs: 0 };

/** Repeats a call until it is answered, as callers do. */
async function untilAvailable<T>(call: () => Promise<T>): Promise<T> {
  let answer: { readonly value: T } | undefined;
  await until(async () => {
    try {
      answer = { value: await call() };
    } catch (error) {
      if (!isQuireError(error, 'STREAM_UNAVAILABLE')) throw error;
    }
    return answer !== undefined;
  }, 'Kafka is available');
  return answer!.value;
}

/** Texts of all messages of the first partition. */
async function readTexts(stream: KafkaStream): Promise<readonly string[]> {
  const texts: string[] = [];
  for (let offset = 0; ;) {
    const { messages, nextOffset, latestOffset } = await stream.fetch(0, offset, limits);
    texts.push(...messages.map(({ value }) => Buffer.from(value ?? []).toString()));
    if (nextOffset === latestOffset) return texts;
    offset = nextOffset;
  }
}

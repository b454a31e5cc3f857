import { KafkaProducer } from '@quire/streams/kafka';
import { expect, test, vi } from 'vitest';
import type { KafkaServer } from '../testkit/servers/kafka-server.ts';
import { patience } from '../testkit/until.ts';
import { Events, LiveTables } from './live-tables.ts';
import { restreamPath, summaryOf } from './restream-calls.ts';

/** Rebuilds a table of a Kafka topic, among the tests that have started Kafka. */
export function testKafkaRestream(serverOf: () => KafkaServer): void {
  test('a live table of a Kafka topic is consumed once, survives a kill, and is rebuilt', async () => {
    const server = serverOf();
    const topic = await server.createTopic(2);
    await using tables = await LiveTables.open({ 'engine.stream.kafka.brokers': server.address });
    await using producer = new KafkaProducer({ topic, config: server.config });
    const events = new Events();
    await events.write(producer, 3000);
    await tables.makeEvents({
      streamType: 'kafka',
      'stream.kafka.topic.name': topic,
      'stream.kafka.broker.list': server.address,
      'stream.kafka.decoder.class.name':
        'org.apache.pinot.plugin.inputformat.json.JSONMessageDecoder',
      'stream.kafka.consumer.prop.auto.offset.reset': 'smallest',
    });
    await expect
      .poll(async () => (await tables.ask('SELECT count(*) FROM events'))[0]?.[0])
      .toBeGreaterThan(0);
    await tables.kill();
    await events.write(producer, 500);
    await tables.start();
    expect((await tables.call('POST', restreamPath)).status).toBe(200);
    await expect.poll(async () => (await tables.restream()).status).toBe('DONE');
    const all = events.count;
    const expected = [[all, all, expect.anything()]];
    await expect.poll(() => tables.ask(summaryOf('events', all))).toEqual(expected);
    await vi.waitFor(
      async () =>
        expect(await tables.ask(summaryOf('copy', all))).toEqual(
          await tables.ask(summaryOf('events', all)),
        ),
      patience,
    );
  });
}

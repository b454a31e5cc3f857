import { openStream } from '@quire/streams';
import { describe, expect, test } from 'vitest';

const kafka = {
  streamType: 'kafka',
  'stream.kafka.topic.name': 'orders',
  'stream.kafka.broker.list': 'Good:9092',
};
const file = { streamType: 'file', 'stream.file.topic.name': 'orders' };

describe('openStream', () => {
  test.each([['good:9092'], ['GOOD:*'], ['*']])(
    'openStream calls a broker that the options list: %s',
    async (allowed) => {
      await using stream = openStream(kafka, { kafkaBrokers: ['other:1', allowed] });
      expect(stream.description).toBe('kafka topic orders at Good:9092');
    },
  );

  test.each([[[]], [['good:9093']], [['good']], [['evil:9092', 'ood:9092']]])(
    'openStream refuses a broker that the options do not list: %j',
    (kafkaBrokers) => {
      expect(() => openStream(kafka, { kafkaBrokers })).toThrow(
        'The broker good:9092 is not allowed',
      );
    },
  );

  test('openStream refuses a list of brokers of which one is not allowed', () => {
    const config = { ...kafka, 'stream.kafka.broker.list': 'good:9092,[::1]:9092' };
    expect(() => openStream(config, { kafkaBrokers: ['good:9092'] })).toThrow('[::1]:9092');
  });

  test('openStream has file streams where there is a directory for them only', async () => {
    await using stream = openStream(file, { fileDirectory: 'somewhere' });
    expect(stream.description).toBe('file topic orders');
    expect(() => openStream(file, {})).toThrow('`engine.stream.file.dir` is not set');
  });
});

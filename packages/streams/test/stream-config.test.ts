import { isQuireError } from '@quire/core';
import { parseStreamConfig } from '@quire/streams';
import { describe, expect, test } from 'vitest';

const file = { streamType: 'file', 'stream.file.topic.name': 'orders' };
const kafka = {
  streamType: 'kafka',
  'stream.kafka.topic.name': 'orders',
  'stream.kafka.broker.list': 'a:9092',
};
const login =
  'org.apache.kafka.common.security.scram.ScramLoginModule required username="u" password="p\\"w";';

/** Returns the keys and messages of the problems of a config; fails if there are none. */
function problemsOf(
  config: Readonly<Record<string, string>>,
): readonly (readonly [string, string])[] {
  try {
    parseStreamConfig(config);
  } catch (error) {
    if (!isQuireError(error, 'STREAM_INVALID')) throw error;
    return (error.findings ?? []).map(({ path, message }) => [path.slice(1), message] as const);
  }
  return expect.fail('The config is valid.');
}

describe('a stream config', () => {
  test('a stream config of a file stream needs a topic only, and begins at the end', () => {
    expect(parseStreamConfig(file)).toEqual({
      topic: 'orders',
      start: { at: 'largest' },
      kafka: undefined,
    });
  });

  test.each([
    ['smallest', { at: 'smallest' }],
    ['largest', { at: 'largest' }],
    ['2026-01-31T12:00:00Z', { at: 'time', timeMs: Date.UTC(2026, 0, 31, 12) }],
    ['2026-01-31', { at: 'time', timeMs: Date.UTC(2026, 0, 31) }],
    ['2d', { at: 'age', ageMs: 172_800_000 }],
  ])('a stream config begins at %s', (text, start) => {
    expect(
      parseStreamConfig({ ...file, 'stream.file.consumer.prop.auto.offset.reset': text }).start,
    ).toEqual(start);
  });

  test('a stream config takes what the peer and its examples write', () => {
    const config = parseStreamConfig({
      ...kafka,
      'stream.kafka.broker.list': 'a:9092, [::1]:9093',
      'stream.kafka.consumer.type': 'lowlevel',
      'stream.kafka.consumer.factory.class.name':
        'org.apache.pinot.plugin.stream.kafka20.KafkaConsumerFactory',
      'stream.kafka.decoder.class.name':
        'org.apache.pinot.plugin.stream.kafka.KafkaJSONMessageDecoder',
      'stream.kafka.decoder.prop.schema': 'x',
      'stream.kafka.consumer.prop.auto.offset.reset': 'smallest',
      'stream.kafka.consumer.prop.group.id': 'g',
      'stream.kafka.isolation.level': 'read_committed',
      'realtime.segment.flush.threshold.rows': '0',
      'realtime.segment.flush.threshold.time': '24h',
      'security.protocol': 'SASL_SSL',
      'sasl.mechanism': 'SCRAM-SHA-512',
      'sasl.jaas.config': login,
      'ssl.endpoint.identification.algorithm': '',
    });
    expect(config).toEqual({
      topic: 'orders',
      start: { at: 'smallest' },
      kafka: {
        brokers: [
          { host: 'a', port: 9092 },
          { host: '::1', port: 9093 },
        ],
        tls: {
          ca: undefined,
          cert: undefined,
          key: undefined,
          passphrase: undefined,
          verifiesHost: false,
        },
        sasl: { mechanism: 'SCRAM-SHA-512', username: 'u', password: 'p"w' },
        isCommittedOnly: true,
      },
    });
  });

  test.each<[string, Readonly<Record<string, string>>, readonly (readonly [string, string])[]]>([
    ['no type', {}, [['streamType', '`streamType` is missing: expected kafka or file.']]],
    [
      'another type',
      { streamType: 'pulsar' },
      [['streamType', '`streamType` is "pulsar": expected file, kafka.']],
    ],
    [
      'no topic',
      { streamType: 'file' },
      [
        [
          'stream.file.topic.name',
          '`stream.file.topic.name` is missing: expected the name of a topic.',
        ],
      ],
    ],
    [
      'a key with a slip',
      { ...kafka, 'stream.kafka.broker.lists': 'x' },
      [
        [
          'stream.kafka.broker.lists',
          'A stream of type kafka has no key `stream.kafka.broker.lists`: did you mean `stream.kafka.broker.list`?',
        ],
      ],
    ],
    [
      'keys of another type',
      { ...file, 'stream.kafka.topic.name': 'x' },
      [
        [
          'stream.kafka.topic.name',
          expect.stringContaining('A stream of type file has no key') as string,
        ],
      ],
    ],
    [
      'everything wrong at once',
      {
        streamType: 'kafka',
        'stream.kafka.topic.name': 'a/b',
        'stream.kafka.broker.list': 'a:9092,b,c:99999',
        'stream.kafka.consumer.prop.auto.offset.reset': 'middle',
        'stream.kafka.decoder.class.name': 'org.x.KafkaAvroMessageDecoder',
        'stream.kafka.consumer.type': 'highlevel',
      },
      [
        ['stream.kafka.topic.name', expect.stringContaining('"a/b"') as string],
        [
          'stream.kafka.consumer.prop.auto.offset.reset',
          expect.stringContaining('"middle": expected smallest') as string,
        ],
        [
          'stream.kafka.decoder.class.name',
          expect.stringContaining('expected JSONMessageDecoder') as string,
        ],
        ['stream.kafka.consumer.type', expect.stringContaining('"highlevel"') as string],
        ['stream.kafka.broker.list', expect.stringContaining('"b"') as string],
        ['stream.kafka.broker.list', expect.stringContaining('"c:99999"') as string],
      ],
    ],
    [
      'two starts that differ',
      {
        ...file,
        'stream.file.consumer.prop.auto.offset.reset': 'smallest',
        'auto.offset.reset': 'largest',
      },
      [['auto.offset.reset', expect.stringContaining('contradicts') as string]],
    ],
    [
      'a login without a protocol for it',
      { ...kafka, 'sasl.mechanism': 'PLAIN', 'sasl.jaas.config': login },
      [['security.protocol', expect.stringContaining('Credentials are given') as string]],
    ],
    [
      'a login of another mechanism',
      {
        ...kafka,
        'security.protocol': 'SASL_PLAINTEXT',
        'sasl.mechanism': 'PLAIN',
        'sasl.jaas.config': login,
      },
      [
        [
          'sasl.jaas.config',
          expect.stringContaining('ScramLoginModule, which contradicts') as string,
        ],
      ],
    ],
    [
      'a mechanism that is not supported, and a login that is not readable',
      {
        ...kafka,
        'security.protocol': 'SASL_SSL',
        'sasl.mechanism': 'GSSAPI',
        'sasl.jaas.config': 'x "secret"',
      },
      [
        ['sasl.mechanism', expect.stringContaining('"GSSAPI"') as string],
        ['sasl.jaas.config', expect.stringContaining('missing or not readable') as string],
      ],
    ],
    [
      'files of the server',
      {
        ...kafka,
        'security.protocol': 'SSL',
        'ssl.truststore.location': '/etc/passwd',
        'ssl.keystore.key': 'k',
      },
      [
        ['ssl.truststore.location', expect.stringContaining('expected PEM text') as string],
        ['ssl.keystore.key', expect.stringContaining('needs both') as string],
      ],
    ],
  ])('a stream config says everything that is wrong: %s', (_what, config, problems) => {
    const found = problemsOf(config);
    expect(found).toEqual(problems);
    expect(JSON.stringify(found)).not.toContain('secret');
  });
});

import { expect, test } from 'vitest';
import { readableConfig } from '../src/tables/hide-secrets.ts';

const config = {
  tableName: 'orders_REALTIME',
  tokens: 3,
  ingestionConfig: {
    streamIngestionConfig: {
      streamConfigMaps: [
        {
          'stream.kafka.topic.name': 'orders',
          'sasl.jaas.config': 'PlainLoginModule required username="u" password="p";',
          'ssl.keystore.key': '-----BEGIN PRIVATE KEY-----',
          'ssl.truststore.password': 'p',
          'input.fs.prop.secretKey': 's',
        },
      ],
    },
  },
};

test('who may only query reads configs without their credentials', () => {
  const [map] = readableConfig(config, { name: 'ann', role: 'query' }).ingestionConfig
    .streamIngestionConfig.streamConfigMaps;
  expect(map).toEqual({
    'stream.kafka.topic.name': 'orders',
    'sasl.jaas.config': '*****',
    'ssl.keystore.key': '*****',
    'ssl.truststore.password': '*****',
    'input.fs.prop.secretKey': '*****',
  });
  expect(readableConfig(config, { name: 'ann', role: 'query' })).toMatchObject({
    tableName: 'orders_REALTIME',
    tokens: 3,
  });
});

test('admins, who may put a config back, read it as it is', () => {
  expect(readableConfig(config, { name: 'root', role: 'admin' })).toEqual(config);
});

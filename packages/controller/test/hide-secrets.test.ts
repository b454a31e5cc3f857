import { expect, test } from 'vitest';
import { assertSecretsKnown, readableConfig } from '../src/tables/hide-secrets.ts';

const config = {
  tableName: 'orders_REALTIME',
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
  });
});

test('admins, who may put a config back, read it as it is', () => {
  expect(readableConfig(config, { name: 'root', role: 'admin' })).toEqual(config);
});

const asReader = (config: object) => readableConfig(config, { name: 'ann', role: 'query' });

test.each([
  'stream.kafka.ssl.client.key',
  'stream.kafka.ssl_client_key',
  'stream.kafka.decoder.prop.schema.registry.basic.auth.user.info',
  'basicAuthUserInfo',
  'input.fs.prop.accountKey',
  'input.fs.prop.connectionString',
  'input.fs.prop.private_key_pem',
  'apiKey',
  'sasl.passwd',
])('who may only query does not read %s', (name) => {
  expect(asReader({ [name]: 'KEY:SECRET' })).toEqual({ [name]: '*****' });
  expect(() => assertSecretsKnown({ maps: [asReader({ [name]: 'KEY:SECRET' })] })).toThrow(
    `${name} contains *****`,
  );
});

test('who may only query does not read secrets that are numbers or in lists', () => {
  const hidden = asReader({
    'ssl.key.password': 1234,
    'basic.auth.token': ['a', [2n, 'https://u:p@host']],
    useAccessToken: true,
    secretRef: { name: 'vault', key: 's' },
  });
  expect(hidden).toEqual({
    'ssl.key.password': '*****',
    'basic.auth.token': ['*****', ['*****', '*****']],
    useAccessToken: true,
    secretRef: { name: 'vault', key: '*****' },
  });
  for (const [name, value] of Object.entries(hidden)) {
    if (value === true) continue;
    expect(() => assertSecretsKnown({ [name]: value })).toThrow(' contains *****');
  }
});

test('who may only query reads URLs without their user info', () => {
  expect(
    asReader({
      'schema.registry.rest.url': 'https://user:p@ss@one:8081/a@b,http://token@two/',
      'stream.kafka.broker.list': ['SASL_SSL://u:p@kafka:9092'],
      inputDirURI: 's3://key:secret@bucket/dir',
    }),
  ).toEqual({
    'schema.registry.rest.url': 'https://*****@one:8081/a@b,http://*****@two/',
    'stream.kafka.broker.list': ['SASL_SSL://*****@kafka:9092'],
    inputDirURI: 's3://*****@bucket/dir',
  });
});

test('who may only query reads what only looks like a credential', () => {
  const open = {
    'stream.kafka.ssl.client.key.algorithm': 'RSA',
    'key.serializer': 'StringSerializer',
    partitionKey: 'shop',
    primaryKeyColumns: ['shop'],
    inputDirURI: 'abfss://container@account.dfs.core.windows.net/dir',
    'stream.kafka.topic.name': 'a@b',
    'schema.registry.url': 'https://registry:8081/@scope',
    noDictionaryConfig: { orderKey: 'SNAPPY' },
    partialUpsertStrategies: { orderKey: 'IGNORE' },
    columnNameToJsonKeyPathMap: { orderKey: '$.order.key' },
  };
  expect(asReader(open)).toEqual(open);
});

test('a config is written with its secrets, or with stars that replace none', () => {
  expect(() => assertSecretsKnown({ ...config, description: '*****' })).not.toThrow();
  expect(() =>
    assertSecretsKnown({ url: 'https://u:*****@host', password: '******' }),
  ).not.toThrow();
  expect(() => assertSecretsKnown(asReader(config))).toThrow('sasl.jaas.config contains *****');
  expect(() => assertSecretsKnown({ url: 'https://*****@host' })).toThrow('url contains *****');
});

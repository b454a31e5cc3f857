import { describe, expect, test } from 'vitest';
import { messagesOf, settingsOf, viewOf } from './settings-builder.ts';

describe('environment variables', () => {
  test('environment variables spell a key in upper case with underscores, capitals in the middle of a word included', () => {
    const environment = {
      ENGINE_BROKER_CLIENT_QUERYPORT: '1234',
      ENGINE_BROKER_PAGINATION_FILE_MAXSTORAGEPERBROKERMB: '7',
      PROXY_PORT: '5678',
    };
    expect(viewOf({ environment }).map(({ key, value }) => [key, value])).toEqual([
      ['engine.broker.client.queryPort', '1234'],
      ['proxy.port', '5678'],
      ['engine.broker.pagination.file.maxStoragePerBrokerMB', '7'],
    ]);
  });

  test('environment variables count as not set when they are empty', () => {
    expect(
      viewOf({
        environment: { ENGINE_BIND_HOST: '', ENGINE_BROKER_TYPO: '', ENGINE_LOG_LEVEL: undefined },
      }),
    ).toEqual([]);
  });

  test('environment variables make a table or a principal with a name in lower case', () => {
    const environment = {
      ENGINE_TABLE_MY_CARS_PATH: '/cars.json',
      ENGINE_AUTH_PRINCIPAL_ANN_ROLE: 'admin',
      ENGINE_AUTH_PRINCIPAL_ANN_TOKEN_ENV: 'ANN_TOKEN',
      ENGINE_BROKER_STORAGE_FACTORY_CLASS_S3: 'org.example.S3FS',
    };
    expect(settingsOf({ environment })).toMatchObject({
      tables: [{ name: 'my_cars', path: '/cars.json', format: 'auto' }],
      principals: [{ name: 'ann', role: 'admin', tokenEnv: 'ANN_TOKEN' }],
      storageClasses: [{ name: 's3', factory: { kind: 'class', name: 'org.example.S3FS' } }],
    });
  });

  test('environment variables change what the file or an override has already named, whatever its spelling', () => {
    const settings = settingsOf({
      file: 'engine.table.My_Cars.path = /old.json\nengine.auth.principal.ann-2.role = query',
      overrides: ['engine.table.Trips.path=/trips.csv'],
      environment: {
        ENGINE_TABLE_MY_CARS_PATH: '/new.json',
        ENGINE_TABLE_MY_CARS_FORMAT: 'json',
        ENGINE_TABLE_TRIPS_FORMAT: 'csv',
        ENGINE_AUTH_PRINCIPAL_ANN_2_ROLE: 'admin',
      },
    });
    expect(settings.tables).toEqual([
      { name: 'My_Cars', path: '/new.json', format: 'json' },
      { name: 'Trips', path: '/trips.csv', format: 'csv' },
    ]);
    expect(settings.principals).toMatchObject([{ name: 'ann-2', role: 'admin' }]);
  });

  test.each([
    ['ENGINE_BROKER_PAGINATION_PROTOCOLL', 'ENGINE_BROKER_PAGINATION_PROTOCOL'],
    ['ENGINE_BROKER_PAGE_SIZE', 'ENGINE_BROKER_QUERY_PAGE_SIZE'],
    ['ENGINE_TABLE_FLIGHTS_PTH', 'ENGINE_TABLE_<NAME>_PATH'],
    ['ENGINE_BROKR_SHUTDOWN_GRACE', 'ENGINE_BROKER_SHUTDOWN_GRACE'],
    ['PROXY_PRT', 'PROXY_PORT'],
    ['CONTROLLER_ADMIN_TOKEN', 'CONTROLLER_ADMIN_AUTH_TOKEN'],
  ])(
    'environment variables are refused when they must be a slip of the pen: %s',
    (variable, nearest) => {
      expect(messagesOf({ environment: { [variable]: 'hush' } })).toEqual([
        `environment ${variable}: no such setting; the nearest is ${nearest}.`,
      ]);
    },
  );

  test('environment variables are passed over when others may have meant them', () => {
    const environment = {
      ENGINE_VERSION: '17',
      PROXY_USER: 'me',
      CONTROLLER_HOME: '/opt/controller',
      PATH: '/bin',
      engine_bind_host: '1.2.3.4',
      PROXY_PORT: 'tcp://10.0.0.1:8080',
      PROXY_SERVICE_HOST: '10.0.0.1',
      ENGINE_BROKER_SERVICE_PORT_HTTP: '8099',
      ENGINE_BROKER_PORT_8099_TCP_ADDR: '10.0.0.2',
      ENGINE_BROKER_PORT: 'tcp://10.0.0.2:8099',
    };
    expect(viewOf({ environment })).toEqual([]);
  });

  test('environment variables are passed over when a setting says that they hold a secret', () => {
    const file =
      'engine.auth.principal.ann.role = admin\nengine.auth.principal.ann.token.env = ENGINE_AUTH_ANN';
    const environment = {
      ENGINE_AUTH_ANN: 'hush',
      ENGINE_AUTH_PRINCIPAL_BOB_ROLE: 'query',
      ENGINE_AUTH_PRINCIPAL_BOB_PASSWORD_ENV: 'ENGINE_AUTH_BOB',
      ENGINE_AUTH_BOB: 'hush',
    };
    expect(messagesOf({ file, environment })).toEqual([]);
  });
});

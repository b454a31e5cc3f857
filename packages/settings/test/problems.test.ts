import { isQuireError } from '@quire/core';
import { settingsError } from '@quire/settings';
import { describe, expect, test } from 'vitest';
import { messagesOf, parse } from './settings-builder.ts';

const urlsAllowed =
  'a list separated by commas, each element a URL of a server, such as https://storage.example.com:9000';
const algorithmsAllowed =
  'a list separated by commas, each element one of ' +
  'RS256, RS384, RS512, PS256, PS384, PS512, ES256, ES384, ES512, EdDSA, Ed25519';

describe('a value that is not allowed', () => {
  test.each([
    ['engine.broker.query.page.size', '0', 'an integer from 1 to 2147483647'],
    ['engine.broker.query.page.size', '-1', 'an integer from 1 to 2147483647'],
    ['engine.broker.query.page.size', '1e3', 'an integer from 1 to 2147483647'],
    ['engine.broker.query.page.size', '2147483648', 'an integer from 1 to 2147483647'],
    ['engine.broker.query.page.size', '99999999999999999999', 'an integer from 1 to 2147483647'],
    ['engine.broker.client.queryPort', '65536', 'a port from 0 (any free one) to 65535'],
    ['engine.broker.http.body.maxKB', '0', 'an integer from 1 to 65536, in KB'],
    ['engine.broker.pagination.memory.maxMB', '1.5', 'an integer from 1 to 1048576, in MB'],
    [
      'engine.broker.pagination.result.maxMB',
      '16777217',
      'an integer from 0 to 16777216, in MB; 0 means no limit',
    ],
    [
      'engine.broker.pagination.expiration',
      '999ms',
      'a duration from 1s to 3650d, such as 30s or 4h30m',
    ],
    [
      'engine.broker.pagination.expiration',
      '1 hour',
      'a duration from 1s to 3650d, such as 30s or 4h30m',
    ],
    [
      'engine.broker.pagination.expiration.max',
      '3651d',
      'a duration from 1s to 3650d, such as 30s or 4h30m',
    ],
    [
      'controller.cluster.pagination.cleaner.initialDelay',
      'soon',
      'random, or a duration from 0s to 365d, such as 30s or 4h30m',
    ],
    ['engine.metrics.enabled', 'yes', 'true or false'],
    ['engine.broker.pagination.protocol', 'S3', 'one of memory, file, s3, gcs, azure'],
    ['engine.log.level', 'verbose', 'one of trace, debug, info, warn, error, fatal, silent'],
    ['engine.bind.host', 'http://localhost', 'a host name or an IP address'],
    ['engine.bind.host', '[::1]', 'a host name or an IP address'],
    ['engine.bind.host', 'localhost:8099', 'a host name or an IP address'],
    [
      'engine.broker.pagination.temp.dir',
      's3://bucket/temp',
      'a path on this machine, absolute or relative',
    ],
    [
      'engine.broker.pagination.file.data.dir',
      'ftp://host/dir',
      'a directory (a path or a file: URI) or a bucket (s3://bucket/prefix or gs://bucket/prefix or az://bucket/prefix) whose name has 3 or more of a-z, 0-9, ., _ and -, the first one a letter or a digit; any other scheme needs a module in engine.broker.storage.factory.class.ftp',
    ],
    [
      'engine.broker.pagination.file.data.dir',
      'file://host/dir',
      'a directory (a path or a file: URI) or a bucket (s3://bucket/prefix or gs://bucket/prefix or az://bucket/prefix) whose name has 3 or more of a-z, 0-9, ., _ and -, the first one a letter or a digit',
    ],
    [
      'engine.broker.pagination.file.data.dir',
      'file:///a%2fb',
      'a directory (a path or a file: URI) or a bucket (s3://bucket/prefix or gs://bucket/prefix or az://bucket/prefix) whose name has 3 or more of a-z, 0-9, ., _ and -, the first one a letter or a digit',
    ],
    [
      'engine.broker.pagination.s3.data.dir',
      'gs://bucket',
      'a bucket, such as s3://bucket/prefix, whose name has 3 or more of a-z, 0-9, ., _ and -, the first one a letter or a digit',
    ],
    [
      'engine.broker.pagination.s3.data.dir',
      's3://b/p',
      'a bucket, such as s3://bucket/prefix, whose name has 3 or more of a-z, 0-9, ., _ and -, the first one a letter or a digit',
    ],
    [
      'engine.broker.storage.factory.s3.region',
      'EU Central',
      'the name of a region, such as eu-central-1',
    ],
    [
      'engine.broker.storage.factory.class.s3',
      'rm -rf',
      'the path of a module (ending in .js, .mjs or .ts) or the name of a class',
    ],
    [
      'engine.broker.pagination.s3.endpoint',
      'localhost:9000',
      'a URL of a server, such as https://storage.example.com:9000',
    ],
    [
      'engine.broker.pagination.gcs.endpoint',
      'http://a:b@host',
      'a URL of a server, such as https://storage.example.com:9000',
    ],
    ['engine.broker.pagination.s3.encryption', 'none', 'one of bucket, s3, kms'],
    ['engine.auth.principal.ann.role', 'root', 'one of query, admin'],
    ['controller.brokers', 'http://a,b:8099', urlsAllowed],
    ['controller.brokers', 'http://a:1,http://A:1/', urlsAllowed],
    ['controller.brokers', 'http://a:1,', urlsAllowed],
    ['engine.auth.jwt.algorithms', 'RS256,none', algorithmsAllowed],
    ['engine.auth.jwt.algorithms', 'HS256', algorithmsAllowed],
    [
      'engine.auth.jwt.audience',
      'a b',
      'a text of 1 to 1000 characters without spaces, often a URL',
    ],
    ['engine.auth.limit.concurrency', '-1', 'an integer from 0 to 1000000; 0 means no limit'],
  ])('a value that is not allowed is refused: %s = %s', (key, value, allowed) => {
    expect(parse({ overrides: [`${key}=${value}`] })).toEqual({
      ok: false,
      problems: [
        {
          key,
          value,
          allowed,
          source: { kind: 'override' },
          message: `${key} = ${value} (--set): expected ${allowed}.`,
        },
      ],
    });
  });

  test.each([
    ['engine.broker.pagination.file.data.dir', 'file:///a%zz'],
    ['controller.preview.source.paths', '/srv/incoming, file:///a%80'],
    ['engine.pinot.auth.url', 'file:///a%zz'],
    ['engine.auth.jwt.jwks.url', 'http://a%zz:b@host/'],
  ])('an escape that is not of UTF-8 is refused, and does not throw: %s = %s', (key, value) => {
    const [problem, ...others] = messagesOf({ overrides: [`${key}=${value}`] });
    expect([problem?.startsWith(`${key} = `), problem?.includes(': expected '), others]).toEqual([
      true,
      true,
      [],
    ]);
  });

  test('a value that is not allowed is called empty when it is', () => {
    expect(messagesOf({ file: 'engine.bind.host =\nengine.table.cars.path = ' })).toEqual([
      'engine.bind.host is empty (conf/quire.properties:1): expected a host name or an IP address.',
      'engine.table.cars.path is empty (conf/quire.properties:2): expected a path on this machine, absolute or relative.',
    ]);
  });

  test('a value that is not allowed is shown on one line and cut when it is long', () => {
    const allowed = 'expected one of auto, pretty, json.';
    expect(messagesOf({ overrides: ['engine.log.format=a\nb\u001B[31m'] })).toEqual([
      String.raw`engine.log.format = "a\nb\u001b[31m" (--set): ${allowed}`,
    ]);
    expect(messagesOf({ overrides: [`engine.log.format=${'x'.repeat(101)}`] })).toEqual([
      `engine.log.format = ${'x'.repeat(100)}… (--set): ${allowed}`,
    ]);
  });

  test('a value that is not allowed is told with the place it came from', () => {
    expect(messagesOf({ file: '\n\nengine.duckdb.threads = many' })).toEqual([
      'engine.duckdb.threads = many (conf/quire.properties:3): expected an integer from 0 to 1024.',
    ]);
    expect(messagesOf({ environment: { ENGINE_DUCKDB_THREADS: 'many' } })).toEqual([
      'engine.duckdb.threads = many (environment ENGINE_DUCKDB_THREADS): expected an integer from 0 to 1024.',
    ]);
  });
});

describe('a key that is unknown', () => {
  test.each([
    ['engine.broker.page.size', 'engine.broker.query.page.size'],
    ['engine.broker.client.queryport', 'engine.broker.client.queryPort'],
    ['engine.table.flights.file', 'engine.table.flights.path'],
    ['engin.table.flights.format', 'engine.table.flights.format'],
    ['engine.table.my.cars.path', 'engine.table.my.path'],
    ['engine.auth.principal.ann.token', 'engine.auth.principal.ann.token.env'],
    ['pinot.broker.query.page.size', 'engine.broker.query.page.size'],
    ['engine.proxy.port', 'proxy.port'],
    ['controller.paths', 'controller.preview.source.paths'],
  ])('a key that is unknown is refused with the nearest known one: %s', (key, nearest) => {
    expect(parse({ file: `${key} = hush` })).toEqual({
      ok: false,
      problems: [
        {
          key,
          value: undefined,
          allowed: undefined,
          source: { kind: 'file', path: 'conf/quire.properties', line: 1 },
          message: `${key} (conf/quire.properties:1): no such setting; the nearest is ${nearest}.`,
        },
      ],
    });
  });

  test.each([
    'hush',
    '= hush',
    'scrypt:hush',
    `${'h'.repeat(121)}.x = 1`,
    'sha 256.x = hush',
    'eyJhbGciOiJIUzI1NiJ9.e+30.hush',
  ])(
    'a key that is unknown is not repeated when it does not look like a key, for it may be a secret: %s',
    (line) => {
      const message = 'expected key = value, with a key such as engine.bind.host.';
      expect(messagesOf({ file: line })).toEqual([`conf/quire.properties:1: ${message}`]);
    },
  );

  test('a key that is unknown is refused in an override, and so is an override without an equals sign', () => {
    expect(
      messagesOf({ overrides: ['engine.bindhost=1', 'engine.bind.host', 'engine.table..path=/x'] }),
    ).toEqual([
      'engine.bindhost (--set): no such setting; the nearest is engine.bind.host.',
      '--set: expected key=value.',
      '--set: expected key = value, with a key such as engine.bind.host.',
    ]);
  });
});

describe('a name in a key', () => {
  test('a name in a key is shown on one line', () => {
    expect(messagesOf({ file: String.raw`engine.table.a\nb.path = /x` })).toEqual([
      String.raw`"engine.table.a\nb.path" (conf/quire.properties:1): ` +
        String.raw`"a\nb" is not allowed in this key: expected a name of letters, digits and _, not starting with a digit.`,
    ]);
  });

  test('a name in a key is refused when it is not one', () => {
    expect(
      messagesOf({
        overrides: [
          'engine.table.7up.path=/x',
          'engine.auth.principal.a b.role=admin',
          'engine.broker.storage.factory.class.S3=X',
        ],
      }),
    ).toEqual([
      'engine.table.7up.path (--set): 7up is not allowed in this key: expected a name of letters, digits and _, not starting with a digit.',
      'engine.auth.principal.a b.role (--set): a b is not allowed in this key: expected a name of letters, digits, _ and -.',
      'engine.broker.storage.factory.class.S3 (--set): S3 is not allowed in this key: expected a URI scheme in lower case.',
    ]);
  });

  test('a name in a key is refused when no environment variable could tell it from another', () => {
    const file =
      'engine.table.cars.path = /a\nengine.table.Cars.path = /b\nengine.auth.principal.a-b.role = admin\nengine.auth.principal.a_b.role = query';
    expect(messagesOf({ file })).toEqual([
      'engine.table.Cars.path (conf/quire.properties:2): the name Cars is too similar to cars: only case, dashes and underscores differ.',
      'engine.auth.principal.a_b.role (conf/quire.properties:4): the name a_b is too similar to a-b: only case, dashes and underscores differ.',
    ]);
  });

  test('a name in a key needs its required settings', () => {
    expect(
      messagesOf({
        file: 'engine.table.cars.format = csv\nengine.auth.principal.ann.token.env = ANN',
      }),
    ).toEqual([
      'engine.table.cars.path (conf/quire.properties:1): must be set, because engine.table.cars.format is.',
      'engine.auth.principal.ann.role (conf/quire.properties:2): must be set, because engine.auth.principal.ann.token.env is.',
    ]);
  });
});

describe('a file', () => {
  test('a file may set a key once only', () => {
    expect(messagesOf({ file: 'engine.bind.host = ::1\n\nengine.bind.host: ::1' })).toEqual([
      'engine.bind.host (conf/quire.properties:3): already set on line 1.',
    ]);
  });

  test('a file is told of a malformed escape by its line', () => {
    expect(messagesOf({ file: String.raw`engine.bind.host = \u12` })).toEqual([
      String.raw`conf/quire.properties:1: expected four hexadecimal digits after \u.`,
    ]);
  });
});

describe('settings that do not go together', () => {
  test.each([
    ['engine.tls.certificate.file = a', 'engine.tls.key.file', 'engine.tls.certificate.file is'],
    ['engine.kind = pinot', 'engine.pinot.controller.url', 'engine.kind is pinot'],
    [
      'engine.broker.pagination.protocol = s3',
      'engine.broker.pagination.s3.data.dir',
      'engine.broker.pagination.protocol is s3',
    ],
  ])('%s with an empty %s, which a template may leave', (line, key, reason) => {
    expect(messagesOf({ file: `${line}\n${key} =` })).toEqual([
      `${key} (conf/quire.properties:1): must be set, because ${reason}.`,
    ]);
  });

  test('a target above the critical percentage', () => {
    const [critical, target] = ['critical', 'target'].map(
      (each) => `engine.broker.pagination.file.${each}StorageThresholdPercent`,
    );
    expect(messagesOf({ overrides: [`${critical}=50`] })).toEqual([
      `${target} = 60 (default): expected at most ${critical} = 50 (--set).`,
    ]);
    expect(messagesOf({ file: `${target} = 91` })).toEqual([
      `${target} = 91 (conf/quire.properties:1): expected at most ${critical} = 90 (default).`,
    ]);
    expect(messagesOf({ overrides: [`${critical}=0`] })).toEqual([
      `${critical} = 0 (--set): expected an integer from 1 to 100.`,
    ]);
  });

  test('an expiration beyond its maximum', () => {
    expect(messagesOf({ file: 'engine.broker.pagination.expiration = 36h' })).toEqual([
      'engine.broker.pagination.expiration = 1d12h (conf/quire.properties:1): ' +
        'expected at most engine.broker.pagination.expiration.max = 1d (default).',
    ]);
  });

  test('the file store without a directory', () => {
    expect(messagesOf({ file: 'engine.broker.pagination.protocol = file' })).toEqual([
      'engine.broker.pagination.file.data.dir (conf/quire.properties:1): must be set, because engine.broker.pagination.protocol is file.',
    ]);
  });

  test('shares of a quota that is not enforced are refused', () => {
    const [percent, own] = [
      'engine.broker.pagination.quota.principal.maxPercent',
      'engine.auth.principal.ann.quota.maxMB',
    ] as const;
    const enabled = 'engine.broker.pagination.file.enableStorageCleaner';
    const [memory, file] = ['memory', 'file'].map((protocol) => [
      `engine.broker.pagination.protocol=${protocol}`,
      'engine.broker.pagination.file.data.dir=/srv/results',
      'engine.auth.principal.ann.role=query',
      'engine.auth.principal.ann.token.env=ANN',
    ]);
    expect(messagesOf({ overrides: [...file!, `${percent}=25`] })).toEqual([
      `${enabled} (--set): must be true, because ${percent} is 25, which is a share of a quota.`,
    ]);
    expect(messagesOf({ overrides: [...file!, `${own}=10`] })).toEqual([
      `${enabled} (--set): must be true, because ${own} is 10, which is a share of a quota.`,
    ]);
    expect(
      messagesOf({ overrides: [...file!, `${own}=10`, `${percent}=25`, `${enabled}=true`] }),
    ).toEqual([]);
    expect(messagesOf({ overrides: [...memory!, `${own}=10`, `${percent}=25`] })).toEqual([]);
  });

  test.each(['s3', 'gcs', 'azure'])('the store %s without a bucket', (protocol) => {
    expect(messagesOf({ file: `engine.broker.pagination.protocol = ${protocol}` })).toEqual([
      `engine.broker.pagination.${protocol}.data.dir (conf/quire.properties:1): must be set, because engine.broker.pagination.protocol is ${protocol}.`,
    ]);
  });

  test('half of an access key is refused', () => {
    const [id, secret] = [
      'engine.broker.pagination.s3.access.key',
      'engine.broker.pagination.s3.secret.key',
    ] as const;
    expect(messagesOf({ file: `${id} = AKEY` })).toEqual([
      `${secret} (conf/quire.properties:1): must be set, because ${id} is.`,
    ]);
    expect(messagesOf({ overrides: [`${secret}=hush`] })).toEqual([
      `${id} (--set): must be set, because ${secret} is.`,
    ]);
    expect(messagesOf({ overrides: [`${secret}=hush`, `${id}=AKEY`] })).toEqual([]);
  });

  test('half of what encrypted connections need is refused', () => {
    const [certificate, key] = ['engine.tls.certificate.file', 'engine.tls.key.file'] as const;
    expect(messagesOf({ file: `${certificate} = a` })).toEqual([
      `${key} (conf/quire.properties:1): must be set, because ${certificate} is.`,
    ]);
    expect(messagesOf({ overrides: [`${key}=a`] })).toEqual([
      `${certificate} (--set): must be set, because ${key} is.`,
    ]);
    expect(messagesOf({ overrides: [`${key}=a`, `${certificate}=b`] })).toEqual([]);
  });

  test('keys of tokens without the issuer and the audience that the tokens must name', () => {
    const keys = 'engine.auth.jwt.jwks.url';
    expect(messagesOf({ overrides: [`${keys}=/keys.json`] })).toEqual([
      `engine.auth.jwt.issuer (--set): must be set, because ${keys} is.`,
      `engine.auth.jwt.audience (--set): must be set, because ${keys} is.`,
    ]);
    const all = [
      `${keys}=/keys.json`,
      'engine.auth.jwt.issuer=https://issuer/',
      'engine.auth.jwt.audience=quire',
    ];
    expect(messagesOf({ overrides: all })).toEqual([]);
  });

  test('a scheme that only a Java class is named for', () => {
    const [dir, factory] = [
      'engine.broker.pagination.file.data.dir',
      'engine.broker.storage.factory.class.ftp',
    ] as const;
    const problems = (value: string): readonly string[] =>
      messagesOf({ overrides: [`${dir}=ftp://h/x`, `${factory}=${value}`] });
    expect(problems('org.example.FtpFS')).toEqual([
      expect.stringMatching(
        /^engine\S+data\.dir = ftp:\/\/h\/x \(--set\): expected .* needs a module in engine\S+class\.ftp\.$/,
      ),
      expect.stringMatching(
        /^engine\S+class\.ftp = org\.example\.FtpFS \(--set\): expected a module, .* only for file, s3, gs, az\.$/,
      ),
    ]);
    // Also alone: it would never be used.
    expect(
      messagesOf({ overrides: ['engine.broker.storage.factory.class.hdfs=org.example.HdfsFS'] }),
    ).toHaveLength(1);
    expect(problems('ftp-store.mjs')).toEqual([]);
  });

  test.each([
    ['/data', '/data'],
    ['/data', '/data/temp'],
    ['/data/results', '/data'],
    ['/data', '/data/..temp'],
  ])('results in %s and temporary files in %s', (dataDir, tempDir) => {
    const overrides = [
      'engine.broker.pagination.protocol=file',
      `engine.broker.pagination.file.data.dir=${dataDir}`,
      `engine.broker.pagination.temp.dir=${tempDir}`,
    ];
    expect(messagesOf({ overrides })).toEqual([
      `engine.broker.pagination.temp.dir = ${tempDir} (--set): ` +
        `expected a directory apart from engine.broker.pagination.file.data.dir = ${dataDir}.`,
    ]);
  });

  test.each(['0.0.0.0', '::', '0:0:0:0:0:0:0:0'])(
    'a broker on all addresses (%s) without a name',
    (host) => {
      const allowed = `a name or an address at which others reach this machine; it is required when engine.bind.host is ${host}`;
      expect(messagesOf({ overrides: [`engine.bind.host=${host}`] })).toEqual([
        `engine.broker.host.name = ${host} (default): expected ${allowed}.`,
      ]);
      expect(
        messagesOf({ overrides: [`engine.bind.host=${host}`, 'engine.broker.host.name=b1'] }),
      ).toEqual([]);
    },
  );
});

test('all problems are reported at once, and as one error', () => {
  const outcome = parse({
    file: 'engine.bind.host = a b\nengine.nothing = 1\nengine.log.level = loud',
    environment: { ENGINE_BROKER_TYPO: '1' },
    overrides: ['proxy.port=x', 'engine.broker.pagination.expiration=2d'],
  });
  const messages = [
    'engine.nothing (conf/quire.properties:2): no such setting; the nearest is engine.kind.',
    'environment ENGINE_BROKER_TYPO: no such setting; the nearest is ENGINE_BROKER_ID.',
    'engine.bind.host = a b (conf/quire.properties:1): expected a host name or an IP address.',
    'proxy.port = x (--set): expected a port from 0 (any free one) to 65535.',
    'engine.log.level = loud (conf/quire.properties:3): expected one of trace, debug, info, warn, error, fatal, silent.',
    'engine.broker.pagination.expiration = 2d (--set): expected at most engine.broker.pagination.expiration.max = 1d (default).',
  ];
  expect(outcome.ok ? [] : outcome.problems.map(({ message }) => message)).toEqual(messages);
  const error = settingsError(outcome.ok ? [] : outcome.problems);
  expect(isQuireError(error, 'INVALID_SETTING')).toBe(true);
  expect(error.message).toBe(messages.join('\n'));
});

import { expect, test } from 'vitest';
import { everySetting, sha256 } from './every-setting.ts';
import { parse, settingsOf } from './settings-builder.ts';

const MB = 1024 * 1024;

const absent = {
  tokenSha256: undefined,
  tokenFile: undefined,
  tokenEnv: undefined,
  passwordScrypt: undefined,
  passwordFile: undefined,
  passwordEnv: undefined,
  shareBytesMax: undefined,
  dialect: undefined,
};

test('every setting is read from its own key', () => {
  expect(settingsOf({ file: everySetting })).toStrictEqual({
    server: {
      bindHost: '0.0.0.0',
      brokerPort: 0,
      brokerHostName: 'broker-1.example.com',
      brokerId: 'broker_1',
      trustedProxies: ['10.0.0.1', 'fd00::/8'],
      proxyPort: 81,
      controllerPort: 82,
    },
    http: {
      bodyBytesMax: 2 * MB,
      headerBytesMax: 8192,
      requestTimeoutMs: 5000,
      basicOffered: false,
      corsOrigins: ['https://notebooks.example.com', 'http://localhost:3000'],
      idleTimeoutMs: 6000,
      stallTimeoutMs: 7000,
      shutdownGraceMs: 0,
    },
    tls: {
      certificateFile: '/srv/quire/conf/tls/server.pem',
      keyFile: '/run/secrets/server.key',
      isRequired: true,
      authoritiesFile: '/etc/ssl/ours.pem',
    },
    jwt: {
      keys: { kind: 'url', url: 'https://user:pass@issuer.example.com/keys' },
      issuer: 'https://issuer.example.com/',
      audience: 'quire',
      algorithms: ['ES256', 'RS512'],
      subjectClaim: 'email',
      roleClaim: 'realm_access.roles',
      adminWord: 'quire-admin',
      queryWord: 'quire-user',
      roleDefault: 'query',
      clockToleranceMs: 0,
      keysMaxAgeMs: 3_600_000,
      keysCooldownMs: 60_000,
    },
    limits: {
      callsPerSecondMax: 50,
      callsRunningMax: 8,
      pageStreamsMax: 9,
      failuresPerMinuteMax: Number.POSITIVE_INFINITY,
    },
    store: {
      protocol: 'file',
      tempDir: '/var/tmp/quire',
      attemptsMax: 1,
      timeoutMs: 250,
      concurrencyMax: 2,
    },
    backends: {
      memory: { sizeMaxBytes: 7 * MB },
      file: { location: { scheme: 'file', text: '/var/lib/quire/results' }, isShared: true },
      s3: {
        location: { scheme: 's3', text: 's3://results/team-1' },
        region: 'eu-central-1',
        endpoint: 'http://127.0.0.1:9000',
        pathStyle: true,
        accessKey: 'AKEY',
        secretKey: 'hush',
        encryption: 'kms',
        kmsKey: 'alias/results',
      },
      gcs: {
        location: { scheme: 'gs', text: 'gs://results' },
        endpoint: 'https://storage.example.com',
        keyFile: '/run/secrets/gcs.json',
        kmsKey: 'projects/p/locations/l/keyRings/r/cryptoKeys/k',
      },
      azure: {
        location: { scheme: 'az', text: 'az://results/team-1' },
        account: 'quire',
        accountKey: 'aHVzaC1odXNoLWh1c2g=',
        sasToken: '?sv=2026-01-01&sig=hush',
        connectionString: 'AccountName=quire;AccountKey=hush',
        endpoint: 'https://blobs.example.com',
        pathStyle: true,
      },
    },
    links: { enabled: true, lifetimeMs: 10_000 },
    results: {
      pageRowCount: 100,
      expirationMs: 16_200_000,
      expirationMaxMs: 172_800_000,
      resultBytesMax: 10 * MB,
      compression: 'zstd',
      stalenessMaxMs: 2000,
      ownerTagKey: 'a-key-of-32-letters-for-tests-01',
      isReused: true,
      reuseAgeMaxMs: 30_000,
      cacheBytesMax: 0,
      pageThreadsMax: 3,
    },
    flight: {
      port: 8816,
      expirationMs: 300_000,
      messageBytesMax: 2 * MB,
      tokenKey: 'a-key-of-32-letters-for-tests-02',
      tokenLifetimeMs: 7_200_000,
    },
    query: {
      timeoutMs: 10_000,
      rowsWaitMaxMs: 2000,
      concurrencyMax: 3,
      principalPercentMax: 70,
      isShareStrict: true,
      adminSlotCount: 0,
      queueLengthMax: 0,
      principalWaitingMax: 5,
    },
    engine: { kind: 'pinot', dialect: 'pinot', modulePath: '/opt/engine.mjs' },
    engines: {
      embedded: {
        memoryBytesMax: 64 * MB,
        threadCount: 2,
        spillBytesMax: 0,
        textBytesMax: 31 * 1024,
        columnsMax: 32,
        valuesMax: 33,
        depthMax: 34,
        nodesMax: 135,
      },
      pinot: {
        controllerUrls: ['http://controller-1:9000', 'http://controller-2:9000'],
        brokerUrls: ['http://broker-1:8099'],
        authToken: 'c2VjcmV0',
        authUrl: { kind: 'file', path: '/run/secrets/pinot' },
        authScheme: 'Bearer',
        rowsWithoutLimit: 'all',
        segmentBySegment: true,
        segmentsMax: 4,
        connectTimeoutMs: 1_000,
        refreshMs: 10_000,
      },
    },
    workers: { memoryBytesMax: 256 * MB, idleCountMin: 0, idleMs: 5000, killGraceMs: 100 },
    restream: {
      pollMs: 1000,
      noProgressMaxMs: 120_000,
      commitMaxMs: 180_000,
      commitRetryMs: 4000,
      leaseMs: 5000,
    },
    cleaner: {
      enabled: true,
      quotaBytes: 100 * MB,
      criticalPercent: 80,
      targetPercent: 80,
      principalMaxPercent: 25,
      protectionMs: 5000,
      graceMs: 7_200_000,
      concurrencyMax: 3,
      schedule: '15 3 * * *',
      port: 9100,
    },
    proxy: {
      brokers: ['http://broker-1:8099', 'https://broker-2.example.com'],
      brokersName: 'http://brokers.example.com:8099',
      resolveIntervalMs: 60_000,
      storeShared: 'true',
      authMode: 'check',
      routesMax: 0,
      connectionsMax: 8,
      connectTimeoutMs: 500,
      queryTimeoutMs: 120_000,
      answerTimeoutMs: 10_000,
      healthIntervalMs: 1000,
      healthTimeoutMs: 250,
      failuresMax: 1,
    },
    controller: {
      brokers: ['http://broker-1.example.com:8099', 'https://[::1]'],
      consoleEnabled: false,
      brokerTimeoutMs: 5000,
      cleanerPeriodMs: 600_000,
      cleanerInitialDelayMs: 90_000,
      authProviderClass: { kind: 'class', name: 'org.example.auth.UrlAuthProvider' },
      authUrl: { kind: 'file', path: '/run/secrets/token' },
      authToken: 'Basic hush',
      authScheme: 'Basic',
    },
    taskWorkers: { countMax: 3, memoryBytesMax: 300 * MB, idleMs: 5_000, killGraceMs: 20 },
    streamWorkers: { countMax: 4, memoryBytesMax: 200 * MB, timeMaxMs: 3_000, idleMs: 7_000 },
    tableServer: {
      dataDir: '/srv/tables',
      tenants: ['DefaultTenant', 'night'],
      trashRetentionMs: 172_800_000,
      scrubPeriodMs: 86_400_000,
      scrubRateBytesMax: 5 * MB,
      samplesDir: '/srv/quire/conf/samples',
    },
    preview: {
      sources: [
        { scheme: 'file', text: '/srv/incoming' },
        { scheme: 'file', text: '/srv/more' },
        { scheme: 's3', text: 's3://incoming/raw' },
      ],
      bodyBytesMax: 2 * MB,
      rowsMax: 3,
      bytesMax: 4 * MB,
      rowBytesMax: 5 * 1024,
      filesMax: 6,
      digitsMax: 21,
      valueBytesMax: 22 * 1024,
      columnsMax: 23,
      rowsBytesMax: 24 * MB,
      answerBytesMax: 25 * MB,
      timeMaxMs: 7000,
      concurrencyMax: 8,
      waitingMax: 0,
      principalWaitingMax: 2,
    },
    previewWorkers: { memoryBytesMax: 200 * MB, idleMs: 9_000, killGraceMs: 10 },
    streams: { fileDirectory: '/srv/streams', kafkaBrokers: ['kafka-1:9092', '[::1]:*'] },
    observability: {
      logLevel: 'debug',
      logFormat: 'json',
      metricsEnabled: false,
      docsEnabled: false,
      docsPublic: true,
    },
    tables: [
      { name: 'flights', path: '/srv/flights/*.parquet', format: 'auto' },
      { name: 'events', path: '/srv/events.log', format: 'json' },
    ],
    principals: [
      {
        ...absent,
        name: 'ann',
        role: 'admin',
        shareBytesMax: 500 * MB,
        dialect: 'duckdb',
        tokenSha256: sha256,
        passwordScrypt: 'scrypt:32768:8:1:c2FsdHNhbHQ=:a2V5a2V5a2V5a2V5',
      },
      {
        ...absent,
        name: 'bob-2',
        role: 'query',
        tokenFile: '/run/secrets/bob',
        passwordEnv: 'BOB_PASSWORD',
      },
      {
        ...absent,
        name: 'cy',
        role: 'query',
        tokenEnv: 'CY_TOKEN',
        passwordFile: '/run/secrets/cy',
      },
    ],
    storageClasses: [
      { name: 's3', factory: { kind: 'class', name: 'org.example.fs.S3FS' } },
      { name: 'ftp', factory: { kind: 'module', path: '/srv/quire/conf/stores/ftp.mjs' } },
    ],
  });
});

test('the example leaves no setting out', () => {
  const outcome = parse({ file: everySetting });
  const untouched = outcome.ok
    ? outcome.view.filter(({ source }) => source.kind === 'default').map(({ key }) => key)
    : undefined;
  // One use of each named setting is enough.
  expect(untouched).toEqual([
    'engine.table.flights.format',
    'engine.auth.principal.ann.token.file',
    'engine.auth.principal.ann.token.env',
    'engine.auth.principal.ann.password.file',
    'engine.auth.principal.ann.password.env',
    'engine.auth.principal.bob-2.token.sha256',
    'engine.auth.principal.bob-2.token.env',
    'engine.auth.principal.bob-2.password.scrypt',
    'engine.auth.principal.bob-2.password.file',
    'engine.auth.principal.bob-2.dialect',
    'engine.auth.principal.bob-2.quota.maxMB',
    'engine.auth.principal.cy.token.sha256',
    'engine.auth.principal.cy.token.file',
    'engine.auth.principal.cy.password.scrypt',
    'engine.auth.principal.cy.password.env',
    'engine.auth.principal.cy.dialect',
    'engine.auth.principal.cy.quota.maxMB',
  ]);
});

test('settings are frozen throughout', () => {
  const settings = settingsOf({ file: everySetting });
  const open: string[] = [];
  const visit = (value: unknown, path: string): void => {
    if (typeof value !== 'object' || value === null) return;
    if (!Object.isFrozen(value)) open.push(path);
    for (const [name, member] of Object.entries(value)) visit(member, `${path}.${name}`);
  };
  visit(settings, 'settings');
  expect(open).toEqual([]);
});

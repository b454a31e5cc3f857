import { expect, test } from 'vitest';
import { parse, settingsOf } from './settings-builder.ts';

const MB = 1024 * 1024;

test('all defaults', () => {
  expect(settingsOf({})).toStrictEqual({
    server: {
      bindHost: '127.0.0.1',
      brokerPort: 8099,
      brokerHostName: '127.0.0.1',
      brokerId: undefined,
      trustedProxies: undefined,
      proxyPort: 8080,
      controllerPort: 9000,
    },
    http: {
      bodyBytesMax: MB,
      headerBytesMax: 16 * 1024,
      requestTimeoutMs: 30_000,
      corsOrigins: undefined,
      basicOffered: true,
      idleTimeoutMs: 75_000,
      stallTimeoutMs: 60_000,
      shutdownGraceMs: 30_000,
    },
    tls: {
      certificateFile: undefined,
      keyFile: undefined,
      isRequired: false,
      authoritiesFile: undefined,
    },
    jwt: {
      keys: undefined,
      issuer: undefined,
      audience: undefined,
      algorithms: ['RS256', 'PS256', 'ES256', 'EdDSA'],
      subjectClaim: 'sub',
      roleClaim: 'roles',
      adminWord: 'admin',
      queryWord: 'query',
      roleDefault: 'none',
      clockToleranceMs: 30_000,
      keysMaxAgeMs: 600_000,
      keysCooldownMs: 30_000,
    },
    limits: {
      callsPerSecondMax: Number.POSITIVE_INFINITY,
      callsRunningMax: Number.POSITIVE_INFINITY,
      pageStreamsMax: 128,
      failuresPerMinuteMax: 60,
    },
    store: {
      protocol: 'memory',
      tempDir: '/tmp/engine/query/broker',
      attemptsMax: 4,
      timeoutMs: 30_000,
      concurrencyMax: 32,
    },
    backends: {
      memory: { sizeMaxBytes: 512 * MB },
      file: { location: undefined, isShared: false },
      s3: {
        location: undefined,
        region: undefined,
        endpoint: undefined,
        pathStyle: false,
        accessKey: undefined,
        secretKey: undefined,
        encryption: 'bucket',
        kmsKey: undefined,
      },
      gcs: { location: undefined, endpoint: undefined, keyFile: undefined, kmsKey: undefined },
      azure: {
        location: undefined,
        account: undefined,
        accountKey: undefined,
        sasToken: undefined,
        connectionString: undefined,
        endpoint: undefined,
        pathStyle: false,
      },
    },
    links: { enabled: false, lifetimeMs: 300_000 },
    results: {
      pageRowCount: 10_000,
      expirationMs: 3_600_000,
      expirationMaxMs: 86_400_000,
      resultBytesMax: Number.POSITIVE_INFINITY,
      compression: 'auto',
      stalenessMaxMs: 5000,
      ownerTagKey: undefined,
      isReused: false,
      reuseAgeMaxMs: 0,
      cacheBytesMax: 8 * MB,
      pageThreadsMax: undefined,
    },
    flight: {
      port: undefined,
      expirationMs: 600_000,
      messageBytesMax: 4 * MB,
      tokenKey: undefined,
      tokenLifetimeMs: 86_400_000,
    },
    query: {
      timeoutMs: 60_000,
      rowsWaitMaxMs: 10_000,
      concurrencyMax: 4,
      principalPercentMax: 50,
      isShareStrict: false,
      adminSlotCount: 1,
      queueLengthMax: 64,
      principalWaitingMax: 32,
    },
    engine: { kind: 'embedded', dialect: 'duckdb', modulePath: undefined },
    engines: {
      embedded: {
        memoryBytesMax: 2048 * MB,
        threadCount: 0,
        spillBytesMax: 8192 * MB,
        textBytesMax: MB,
        columnsMax: 5_000,
        valuesMax: 16_384,
        depthMax: 1_000,
        nodesMax: 50_000,
      },
      pinot: {
        controllerUrls: undefined,
        brokerUrls: undefined,
        authToken: undefined,
        authUrl: undefined,
        authScheme: 'Basic',
        rowsWithoutLimit: 'pinot',
        segmentBySegment: false,
        segmentsMax: 2,
        connectTimeoutMs: 5_000,
        refreshMs: 30_000,
      },
    },
    workers: { memoryBytesMax: 1024 * MB, idleCountMin: 1, idleMs: 60_000, killGraceMs: 500 },
    restream: {
      pollMs: 2000,
      noProgressMaxMs: 600_000,
      commitMaxMs: 600_000,
      commitRetryMs: 60_000,
      leaseMs: 30_000,
    },
    cleaner: {
      enabled: false,
      quotaBytes: 1024 * MB,
      criticalPercent: 90,
      targetPercent: 60,
      principalMaxPercent: 100,
      protectionMs: 60_000,
      graceMs: 3_600_000,
      concurrencyMax: 16,
      schedule: undefined,
      port: undefined,
    },
    proxy: {
      brokers: undefined,
      brokersName: undefined,
      resolveIntervalMs: 30_000,
      storeShared: 'auto',
      authMode: 'pass',
      routesMax: 100_000,
      connectionsMax: 256,
      connectTimeoutMs: 2000,
      queryTimeoutMs: 70_000,
      answerTimeoutMs: 30_000,
      healthIntervalMs: 5000,
      healthTimeoutMs: 2000,
      failuresMax: 3,
    },
    controller: {
      brokers: undefined,
      consoleEnabled: true,
      brokerTimeoutMs: 30_000,
      cleanerPeriodMs: 3_600_000,
      cleanerInitialDelayMs: 'random',
      authProviderClass: undefined,
      authUrl: undefined,
      authToken: undefined,
      authScheme: 'Bearer',
    },
    taskWorkers: { countMax: 2, memoryBytesMax: 1024 * MB, idleMs: 10_000, killGraceMs: 5_000 },
    streamWorkers: { countMax: 2, memoryBytesMax: 512 * MB, timeMaxMs: 10_000, idleMs: 60_000 },
    tableServer: {
      dataDir: undefined,
      tenants: ['DefaultTenant'],
      trashRetentionMs: 86_400_000,
      scrubPeriodMs: 604_800_000,
      scrubRateBytesMax: 20 * MB,
      samplesDir: undefined,
    },
    preview: {
      sources: undefined,
      bodyBytesMax: 16 * MB,
      rowsMax: 10_000,
      bytesMax: 64 * MB,
      rowBytesMax: 4 * MB,
      filesMax: 100,
      digitsMax: 1_000,
      valueBytesMax: 4 * MB,
      columnsMax: 5_000,
      rowsBytesMax: 64 * MB,
      answerBytesMax: 32 * MB,
      timeMaxMs: 30_000,
      concurrencyMax: 4,
      waitingMax: 8,
      principalWaitingMax: 4,
    },
    previewWorkers: { memoryBytesMax: 768 * MB, idleMs: 30_000, killGraceMs: 5_000 },
    streams: { fileDirectory: undefined, kafkaBrokers: undefined },
    observability: {
      logLevel: 'info',
      logFormat: 'auto',
      metricsEnabled: true,
      docsEnabled: true,
      docsPublic: false,
    },
    tables: [],
    principals: [],
    storageClasses: [],
  });
});

const sha256 = 'a2cd52efc39c534198023f401b2bd3f24404d58964ec81aedfb001810a4b8893';

/** Every key with a value that is not its default. */
const everySetting = `
engine.bind.host = 0.0.0.0
engine.broker.client.queryPort = 0
engine.http.trusted.proxies = 10.0.0.1, fd00::/8
engine.broker.host.name = broker-1.example.com
engine.broker.id = broker_1
proxy.port = 81
controller.port = 82
engine.broker.http.body.maxKB = 2048
engine.broker.http.header.maxKB = 8
engine.broker.http.request.timeout = 5s
engine.broker.http.idle.timeout = 6s
engine.broker.page.stall.timeout = 7s
engine.broker.shutdown.grace = 0s
engine.broker.pagination.protocol = file
engine.broker.pagination.memory.maxMB = 7
engine.broker.pagination.file.data.dir = /var/lib/quire/results
engine.broker.pagination.file.shared = true
engine.broker.pagination.temp.dir = /var/tmp/quire
engine.broker.pagination.s3.data.dir = s3://results/team-1
engine.broker.pagination.gcs.data.dir = gs://results
engine.broker.storage.factory.s3.region = eu-central-1
engine.broker.pagination.s3.endpoint = http://127.0.0.1:9000/
engine.broker.pagination.s3.path.style = true
engine.broker.pagination.s3.access.key = AKEY
engine.broker.pagination.s3.secret.key = hush
engine.broker.pagination.s3.encryption = kms
engine.broker.pagination.s3.kms.key = alias/results
engine.broker.links.enabled = true
engine.broker.links.lifetime = 10s
engine.broker.pagination.gcs.endpoint = https://storage.example.com
engine.broker.pagination.gcs.key.file = /run/secrets/gcs.json
engine.broker.pagination.gcs.kms.key = projects/p/locations/l/keyRings/r/cryptoKeys/k
engine.broker.pagination.azure.data.dir = az://results/team-1
engine.broker.pagination.azure.account = quire
engine.broker.pagination.azure.account.key = aHVzaC1odXNoLWh1c2g=
engine.broker.pagination.azure.sas.token = ?sv=2026-01-01&sig=hush
engine.broker.pagination.azure.connection.string = AccountName=quire;AccountKey=hush
engine.broker.pagination.azure.endpoint = https://blobs.example.com
engine.broker.pagination.azure.path.style = true
engine.broker.pagination.store.attempts = 1
engine.broker.pagination.store.timeout = 250ms
engine.broker.pagination.store.concurrency = 2
engine.broker.query.page.size = 100
engine.broker.pagination.expiration = 4h30m
engine.broker.pagination.expiration.max = 2d
engine.broker.pagination.result.maxMB = 10
engine.broker.pagination.compression = zstd
engine.broker.pagination.staleness.max = 2s
engine.broker.pagination.owner.tag.key = a-key-of-32-letters-for-tests-01
engine.broker.results.reuse.enabled = true
engine.broker.results.reuse.age.max = 30s
engine.broker.pagination.cache.maxMB = 0
engine.broker.page.threads = 3
engine.broker.flight.port = 8816
engine.broker.flight.expiration = 5m
engine.broker.flight.message.maxKB = 2048
engine.broker.flight.token.key = a-key-of-32-letters-for-tests-02
engine.broker.flight.token.lifetime = 2h
engine.broker.query.timeout = 10s
engine.broker.query.rows.wait.max = 2s
engine.broker.query.concurrency = 3
engine.broker.query.concurrency.principal.maxPercent = 70
engine.broker.query.concurrency.principal.strict = true
engine.broker.query.concurrency.admin = 0
engine.broker.query.queue = 0
engine.broker.query.queue.principal = 5
engine.class = /opt/engine.mjs
engine.kind = pinot
engine.sql.dialect = pinot
engine.pinot.controller.url = http://controller-1:9000,http://controller-2:9000
engine.pinot.broker.url = http://broker-1:8099
engine.pinot.auth.token = c2VjcmV0
engine.pinot.auth.url = /run/secrets/pinot
engine.pinot.auth.prefix = Bearer
engine.pinot.paginated.limit = all
engine.pinot.segments.enabled = true
engine.pinot.segments.concurrency = 4
engine.pinot.connect.timeout = 1s
engine.pinot.broker.refresh = 10s
engine.broker.workers.memory.maxMB = 256
engine.broker.workers.idle.min = 0
engine.broker.workers.idle.timeout = 5s
engine.broker.workers.kill.grace = 100ms
controller.restream.poll.period = 1s
controller.restream.no.progress.timeout = 2m
controller.restream.commit.timeout = 3m
controller.restream.commit.retry.period = 4s
controller.restream.lease.duration = 5s
engine.duckdb.memory.maxMB = 64
engine.duckdb.threads = 2
engine.duckdb.spill.maxMB = 0
engine.duckdb.statement.text.maxKB = 31
engine.duckdb.statement.columns.max = 32
engine.duckdb.statement.values.max = 33
engine.duckdb.statement.depth.max = 34
engine.duckdb.statement.nodes.max = 135
engine.broker.pagination.file.enableStorageCleaner = true
engine.broker.pagination.file.maxStoragePerBrokerMB = 100
engine.broker.pagination.file.criticalStorageThresholdPercent = 80
engine.broker.pagination.file.targetStorageThresholdPercent = 80
engine.broker.pagination.quota.principal.maxPercent = 25
engine.cleaner.orphan.grace = 2h
engine.cleaner.concurrency = 3
engine.cleaner.protection.time = 5s
engine.cleaner.schedule = 15 3 * * *
engine.cleaner.port = 9100
proxy.brokers = http://broker-1:8099, https://broker-2.example.com
proxy.brokers.dns = http://brokers.example.com:8099
proxy.brokers.dns.interval = 1m
proxy.store.shared = true
proxy.auth.mode = check
proxy.routes.max = 0
proxy.connections.max = 8
proxy.timeout.connect = 500ms
proxy.timeout.query = 2m
proxy.timeout.answer = 10s
proxy.health.interval = 1s
proxy.health.timeout = 250ms
proxy.health.failures = 1
controller.cluster.pagination.cleaner.frequencyPeriod = 10m
controller.cluster.pagination.cleaner.initialDelay = 1m30s
controller.admin.auth.provider.class = org.example.auth.UrlAuthProvider
controller.admin.auth.url = file:///run/secrets/token
controller.admin.auth.token = Basic hush
controller.admin.auth.prefix = Basic
controller.brokers = http://broker-1.example.com:8099, https://[::1]
controller.broker.timeout = 5s
controller.preview.source.paths = /srv/incoming, file:///srv/more, s3://incoming/raw
controller.preview.body.maxMB = 2
controller.preview.rows.max = 3
controller.preview.read.maxMB = 4
controller.preview.row.maxKB = 5
controller.preview.files.max = 6
controller.preview.number.maxDigits = 21
controller.preview.value.maxKB = 22
controller.preview.columns.max = 23
controller.preview.rows.maxMB = 24
controller.preview.answer.maxMB = 25
controller.preview.timeout = 7s
controller.preview.concurrency = 8
controller.preview.queue = 0
controller.preview.queue.principal = 2
controller.preview.workers.memory.maxMB = 200
controller.preview.workers.idle.timeout = 9s
controller.preview.workers.kill.grace = 10ms
engine.stream.file.dir = /srv/streams
engine.stream.kafka.brokers = kafka-1:9092, [::1]:*
engine.tables.data.dir = /srv/tables
engine.tables.tenants = DefaultTenant,night
engine.tables.trash.retention = 2d
engine.tables.scrub.period = 1d
engine.tables.scrub.rate.maxMB = 5
engine.tables.samples.dir = samples
engine.tables.task.workers.max = 3
engine.tables.task.workers.memory.maxMB = 300
engine.tables.task.workers.idle.timeout = 5s
engine.tables.task.workers.kill.grace = 20ms
engine.tables.stream.workers.max = 4
engine.tables.stream.workers.memory.maxMB = 200
engine.tables.stream.workers.timeout = 3s
engine.tables.stream.workers.idle.timeout = 7s
engine.tls.certificate.file = tls/server.pem
engine.tls.key.file = /run/secrets/server.key
engine.tls.required = true
engine.tls.ca.file = /etc/ssl/ours.pem
engine.auth.jwt.jwks.url = https://user:pass@issuer.example.com/keys
engine.auth.jwt.issuer = https://issuer.example.com/
engine.auth.jwt.audience = quire
engine.auth.jwt.algorithms = ES256, RS512
engine.auth.jwt.subject.claim = email
engine.auth.jwt.role.claim = realm_access.roles
engine.auth.jwt.role.admin = quire-admin
engine.auth.jwt.role.query = quire-user
engine.auth.jwt.role.default = query
engine.auth.jwt.clock.tolerance = 0s
engine.auth.jwt.jwks.maxAge = 1h
engine.auth.jwt.jwks.cooldown = 1m
engine.auth.limit.requestsPerSecond = 50
engine.auth.limit.concurrency = 8
engine.auth.limit.pageStreams = 9
engine.auth.limit.failuresPerMinute = 0
engine.log.level = debug
engine.log.format = json
engine.metrics.enabled = false
engine.docs.enabled = false
engine.docs.public = true
engine.auth.basic.offered = false
engine.http.cors.origins = https://notebooks.example.com,http://localhost:3000
controller.console.enabled = false
engine.table.flights.path = /srv/flights/*.parquet
engine.table.events.path = /srv/events.log
engine.table.events.format = json
engine.auth.principal.ann.role = admin
engine.auth.principal.ann.quota.maxMB = 500
engine.auth.principal.ann.dialect = duckdb
engine.auth.principal.ann.token.sha256 = ${sha256.toUpperCase()}
engine.auth.principal.ann.password.scrypt = scrypt:32768:8:1:c2FsdHNhbHQ=:a2V5a2V5a2V5a2V5
engine.auth.principal.bob-2.role = query
engine.auth.principal.bob-2.token.file = /run/secrets/bob
engine.auth.principal.bob-2.password.env = BOB_PASSWORD
engine.auth.principal.cy.role = query
engine.auth.principal.cy.token.env = CY_TOKEN
engine.auth.principal.cy.password.file = /run/secrets/cy
engine.broker.storage.factory.class.s3 = org.example.fs.S3FS
engine.broker.storage.factory.class.ftp = ./stores/ftp.mjs
`;

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

test('the example above leaves no setting out', () => {
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

import {
  brokerPatterns,
  duration,
  names,
  optionalSetting,
  path,
  setting,
  size,
} from '@quire/core/settings';

/** Which streams tables and previews may read. */
export const streams = {
  fileDirectory: optionalSetting({
    key: 'engine.stream.file.dir',
    kind: path,
    meaning:
      'The directory of file streams: `<topic>/<partition>.jsonl` in it, one JSON object a line. Without it there are no file streams.',
  }),
  kafkaBrokers: optionalSetting({
    key: 'engine.stream.kafka.brokers',
    kind: brokerPatterns,
    live: true,
    meaning:
      'The Kafka brokers that the configs of streams may name: `host:port`, `host:*` or `*` for all. Anyone who may make tables can have the ' +
      'server call them. Without it there are no streams of Kafka.',
  }),
};

/** What the embedded table server keeps, and where. */
export const tableServer = {
  dataDir: optionalSetting({
    key: 'engine.tables.data.dir',
    kind: path,
    meaning:
      'The directory of tables, their schemas and their rows. One process with the role `server` may have it open; brokers that ' +
      'share it answer queries about its tables. Without it there are the tables of `engine.table.<name>.path` only. ' +
      'Where `engine.kind` is `pinot`, the controller keeps the records of restream jobs there, and looks after the tables of the cluster only with it.',
  }),
  tenants: setting({
    key: 'engine.tables.tenants',
    kind: names,
    default: 'DefaultTenant',
    meaning: 'The tenants that configs of tables may name.',
  }),
  trashRetentionMs: setting({
    key: 'engine.tables.trash.retention',
    kind: duration('0s', '365d'),
    default: '1d',
    live: true,
    meaning:
      'How long files of tables are kept in the trash: segments that were deleted, replaced or expired, and tables that were deleted. ' +
      'Until then they can be moved back. 0s: they are deleted at once.',
  }),
  scrubPeriodMs: setting({
    key: 'engine.tables.scrub.period',
    kind: duration('1m', '365d'),
    default: '7d',
    meaning:
      'Within which time the role `server` reads every file of rows once and compares it with its checksum, as far as ' +
      '`engine.tables.scrub.rate.maxMB` lets it. Files whose size or times have changed are read within seconds.',
  }),
  scrubRateBytesMax: setting({
    key: 'engine.tables.scrub.rate.maxMB',
    kind: size('MB', 1, 1_048_576),
    default: '20',
    meaning:
      'How much of these files is read in a second, at most. A start of the server begins with all of them.',
  }),
  samplesDir: optionalSetting({
    key: 'engine.tables.samples.dir',
    kind: path,
    meaning:
      'A directory of sample tables that the role `server` makes at its start when they are not there: `<name>.schema.json`, ' +
      '`<name>.table.json`, `<name>.task.json` (the body of `POST /tasks/execute`) and `<name>.feed.json` (a file whose rows go to a ' +
      'file stream). Paths in them start from it.',
  }),
};

/** Jobs that rebuild real-time tables from their streams. */
export const restream = {
  pollMs: setting({
    key: 'controller.restream.poll.period',
    kind: duration('100ms', '10m'),
    default: '2s',
    live: true,
    meaning: 'How often a restream job looks at its tables.',
  }),
  noProgressMaxMs: setting({
    key: 'controller.restream.no.progress.timeout',
    kind: duration('1s', '7d'),
    default: '10m',
    live: true,
    meaning:
      'A restream job whose destination consumes nothing for this long, while a controller watches, fails.',
  }),
  commitMaxMs: setting({
    key: 'controller.restream.commit.timeout',
    kind: duration('1s', '1d'),
    default: '10m',
    live: true,
    meaning: 'How long the consuming segments of a destination may take to be committed.',
  }),
  commitRetryMs: setting({
    key: 'controller.restream.commit.retry.period',
    kind: duration('1s', '1d'),
    default: '1m',
    live: true,
    meaning: 'After how long without an end a commit is asked for again.',
  }),
  leaseMs: setting({
    key: 'controller.restream.lease.duration',
    kind: duration('1s', '1h'),
    default: '30s',
    meaning: 'How long the restream jobs of a controller that died wait until another drives them.',
  }),
};

import {
  brokerPatterns,
  duration,
  names,
  optionalSetting,
  path,
  setting,
  size,
} from '@quire/core/settings';

/** The streams that tables and previews may read. */
export const streams = {
  fileDirectory: optionalSetting({
    key: 'engine.stream.file.dir',
    kind: path,
    meaning:
      'The directory of file streams: `<topic>/<partition>.jsonl` in it, one JSON object on each line. Without it there are no file streams.',
  }),
  kafkaBrokers: optionalSetting({
    key: 'engine.stream.kafka.brokers',
    kind: brokerPatterns,
    live: true,
    meaning:
      'The Kafka brokers that stream configs may name: `host:port`, `host:*` or `*` for all. Anyone who may create tables can make the ' +
      'server call them. Without it there are no Kafka streams.',
  }),
};

/** The storage of the embedded table server. */
export const tableServer = {
  dataDir: optionalSetting({
    key: 'engine.tables.data.dir',
    kind: path,
    meaning:
      'The directory of tables, their schemas and their rows. One process with the role `server` may open it; brokers that ' +
      'share it answer queries about its tables. Without it, only the tables of `engine.table.<name>.path` exist. ' +
      'If `engine.kind` is `pinot`, the controller stores the records of restream jobs there, and manages the tables of the cluster only if it is set.',
  }),
  tenants: setting({
    key: 'engine.tables.tenants',
    kind: names,
    default: 'DefaultTenant',
    meaning: 'The tenants that table configs may name.',
  }),
  trashRetentionMs: setting({
    key: 'engine.tables.trash.retention',
    kind: duration('0s', '365d'),
    default: '1d',
    live: true,
    meaning:
      'The time for which table files are kept in the trash: segments that were deleted, replaced or expired, and tables that were deleted. ' +
      'Until then they can be moved back. 0s deletes them immediately.',
  }),
  scrubPeriodMs: setting({
    key: 'engine.tables.scrub.period',
    kind: duration('1m', '365d'),
    default: '7d',
    meaning:
      'The time within which the role `server` reads every file of rows once and compares it with its checksum, as far as ' +
      '`engine.tables.scrub.rate.maxMB` allows. Files whose size or times have changed are read within seconds.',
  }),
  scrubRateBytesMax: setting({
    key: 'engine.tables.scrub.rate.maxMB',
    kind: size('MB', 1, 1_048_576),
    default: '20',
    meaning:
      'The maximum size of the data that is read from these files in a second. The server reads all of them once when it starts.',
  }),
  samplesDir: optionalSetting({
    key: 'engine.tables.samples.dir',
    kind: path,
    meaning:
      'A directory of sample tables that the role `server` creates at its start if they do not exist: `<name>.schema.json`, ' +
      '`<name>.table.json`, `<name>.task.json` (the body of `POST /tasks/execute`) and `<name>.feed.json` (a file whose rows are written to a ' +
      'file stream). Paths in them are relative to it.',
  }),
};

/** Jobs that rebuild real-time tables from their streams. */
export const restream = {
  pollMs: setting({
    key: 'controller.restream.poll.period',
    kind: duration('100ms', '10m'),
    default: '2s',
    live: true,
    meaning: 'The interval at which a restream job checks its tables.',
  }),
  noProgressMaxMs: setting({
    key: 'controller.restream.no.progress.timeout',
    kind: duration('1s', '7d'),
    default: '10m',
    live: true,
    meaning:
      'The time without consumption in the destination, while a controller is running, after which a restream job fails.',
  }),
  commitMaxMs: setting({
    key: 'controller.restream.commit.timeout',
    kind: duration('1s', '1d'),
    default: '10m',
    live: true,
    meaning: 'The timeout for committing the consuming segments of a destination.',
  }),
  commitRetryMs: setting({
    key: 'controller.restream.commit.retry.period',
    kind: duration('1s', '1d'),
    default: '1m',
    live: true,
    meaning: 'The time after which an unfinished commit is requested again.',
  }),
  leaseMs: setting({
    key: 'controller.restream.lease.duration',
    kind: duration('1s', '1h'),
    default: '30s',
    meaning:
      'The time after which another controller continues the restream jobs of one that died.',
  }),
};

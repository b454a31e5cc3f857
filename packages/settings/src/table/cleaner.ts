import {
  boolean,
  duration,
  integer,
  optionalSetting,
  port,
  setting,
  size,
  text,
} from '@quire/core/settings';

/** The storage quota of a broker, its eviction, and its sweeps. */
export const cleaner = {
  enabled: setting({
    key: 'engine.broker.pagination.file.enableStorageCleaner',
    kind: boolean,
    default: 'false',
    live: true,
    meaning:
      'Evicts results when a broker exceeds its quota. The store `memory` always evicts: its size is a quota.',
  }),
  quotaBytes: setting({
    key: 'engine.broker.pagination.file.maxStoragePerBrokerMB',
    kind: size('MB', 1, 1_073_741_824),
    default: '1024',
    live: true,
    meaning:
      'The quota: the storage of one broker, including writes in progress. For the store `memory`, at most its size.',
  }),
  principalMaxPercent: setting({
    key: 'engine.broker.pagination.quota.principal.maxPercent',
    kind: integer(1, 100),
    default: '100',
    live: true,
    meaning:
      'The share of the quota, in percent, for the results of one principal, including writes in progress; 100 for no limit. The ' +
      'critical and target percentages apply to a share as to the quota. Above them, only results of that principal are evicted, and a query ' +
      'whose result does not fit in the share fails with exception 245. `engine.auth.principal.<name>.quota.maxMB` sets the share of one principal.',
  }),
  criticalPercent: setting({
    key: 'engine.broker.pagination.file.criticalStorageThresholdPercent',
    kind: integer(1, 100),
    default: '90',
    live: true,
    meaning:
      'Eviction starts when usage exceeds this percentage of the quota. A query whose result exceeds it by itself fails.',
  }),
  targetPercent: setting({
    key: 'engine.broker.pagination.file.targetStorageThresholdPercent',
    kind: integer(1, 100),
    default: '60',
    live: true,
    meaning:
      'Eviction reduces the stored results to this percentage of the quota, and no further; at most the critical percentage. A result ' +
      'no larger than the difference of the two always fits.',
  }),
  protectionMs: setting({
    key: 'engine.cleaner.protection.time',
    kind: duration('0s', '1d'),
    default: '60s',
    live: true,
    meaning:
      'The time for which a new result is protected from eviction. It is evicted only if all older ones are gone and usage is still critical.',
  }),
  graceMs: setting({
    key: 'engine.cleaner.orphan.grace',
    kind: duration('1m', '30d'),
    default: '1h',
    live: true,
    meaning:
      'The time for which data must be observed without a commit record before it is deleted as the remains of a crash. Must exceed the duration of any write: ' +
      'more than `engine.broker.query.timeout`.',
  }),
  concurrencyMax: setting({
    key: 'engine.cleaner.concurrency',
    kind: integer(1, 256),
    default: '16',
    live: true,
    meaning: 'The number of concurrent deletions.',
  }),
  schedule: optionalSetting({
    key: 'engine.cleaner.schedule',
    kind: text(
      /^[\w*,/#?-]+(?: [\w*,/#?-]+){4,5}$/,
      'a cron expression of five or six fields, such as 15 3 * * *',
    ),
    live: true,
    meaning:
      'The schedule of sweeps, in UTC, instead of `controller.cluster.pagination.cleaner.frequencyPeriod`. Each starts up to 5 s later, so ' +
      'that cleaners do not all start at once. Expired results are never served; a later sweep ' +
      'only frees their space later.',
  }),
  port: optionalSetting({
    key: 'engine.cleaner.port',
    kind: port,
    meaning:
      'The port on which `quire cleaner` serves `/health` and `/metrics`; without it, the command does not listen.',
  }),
};

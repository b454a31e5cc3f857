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

/** How much a broker may store, what happens above it, and how sweeps run. */
export const cleaner = {
  enabled: setting({
    key: 'engine.broker.pagination.file.enableStorageCleaner',
    kind: boolean,
    default: 'false',
    live: true,
    meaning:
      'Whether results are evicted when a broker stores too much. The store `memory` evicts in any case: its room is a quota.',
  }),
  quotaBytes: setting({
    key: 'engine.broker.pagination.file.maxStoragePerBrokerMB',
    kind: size('MB', 1, 1_073_741_824),
    default: '1024',
    live: true,
    meaning:
      'The quota: how much one broker may store, with what is being written. In memory, at most the room of that store.',
  }),
  principalMaxPercent: setting({
    key: 'engine.broker.pagination.quota.principal.maxPercent',
    kind: integer(1, 100),
    default: '100',
    live: true,
    meaning:
      'The share of the quota, in percent, that the results of one principal may take, with what its queries are writing; 100 for no limit. The ' +
      'critical and target percentages apply to a share as to the quota: above it, the results of that principal are evicted and of no other one, and a query ' +
      'that finds no room within the share fails with exception 245. `engine.auth.principal.<name>.quota.maxMB` sets the share of one principal.',
  }),
  criticalPercent: setting({
    key: 'engine.broker.pagination.file.criticalStorageThresholdPercent',
    kind: integer(1, 100),
    default: '90',
    live: true,
    meaning:
      'Eviction starts when usage exceeds this percentage of the quota. A result that alone exceeds it fails: it could not stay.',
  }),
  targetPercent: setting({
    key: 'engine.broker.pagination.file.targetStorageThresholdPercent',
    kind: integer(1, 100),
    default: '60',
    live: true,
    meaning:
      'Eviction brings what is stored down to this percentage of the quota, and no further; at most the critical percentage. A result ' +
      'of at most the difference of the two always finds room.',
  }),
  protectionMs: setting({
    key: 'engine.cleaner.protection.time',
    kind: duration('0s', '1d'),
    default: '60s',
    live: true,
    meaning:
      'How long a new result is protected from eviction: it goes only when all older ones have gone and usage is still critical.',
  }),
  graceMs: setting({
    key: 'engine.cleaner.orphan.grace',
    kind: duration('1m', '30d'),
    default: '1h',
    live: true,
    meaning:
      'How long data must be seen to lie without a commit record before it is deleted as a leftover of a crash. Longer than any write: ' +
      'more than `engine.broker.query.timeout`.',
  }),
  concurrencyMax: setting({
    key: 'engine.cleaner.concurrency',
    kind: integer(1, 256),
    default: '16',
    live: true,
    meaning: 'How many deletions run at once.',
  }),
  schedule: optionalSetting({
    key: 'engine.cleaner.schedule',
    kind: text(
      /^[\w*,/#?-]+(?: [\w*,/#?-]+){4,5}$/,
      'a cron expression of five or six fields, such as 15 3 * * *',
    ),
    live: true,
    meaning:
      'When sweeps run, in UTC, instead of `controller.cluster.pagination.cleaner.frequencyPeriod`; each begins up to 5 s later, so ' +
      'that cleaners do not all begin at once. Results expire for their ' +
      'readers all the same; only their space is freed later.',
  }),
  port: optionalSetting({
    key: 'engine.cleaner.port',
    kind: port,
    meaning:
      'The port on which `quire cleaner` answers `/health` and `/metrics`; without it, it does not listen.',
  }),
};

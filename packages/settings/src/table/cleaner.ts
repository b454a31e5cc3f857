import { boolean, duration, durationOrRandom, integer, size, text } from '../setting-kind.ts';
import { optionalSetting, setting } from '../setting-row.ts';

const awaits = 'the cleaner';

/** How much a broker may store, and what happens above it. */
export const cleaner = {
  enabled: setting({
    key: 'engine.broker.pagination.file.enableStorageCleaner',
    kind: boolean,
    default: 'false',
    live: true,
    awaits,
    meaning: 'Whether results are evicted when a broker stores too much.',
  }),
  quotaBytes: setting({
    key: 'engine.broker.pagination.file.maxStoragePerBrokerMB',
    kind: size('MB', 1, 1_073_741_824),
    default: '1024',
    live: true,
    awaits,
    meaning: 'The quota: how much one broker may store.',
  }),
  criticalPercent: setting({
    key: 'engine.broker.pagination.file.criticalStorageThresholdPercent',
    kind: integer(1, 100),
    default: '90',
    live: true,
    awaits,
    meaning: 'Eviction starts when usage exceeds this percentage of the quota.',
  }),
  targetPercent: setting({
    key: 'engine.broker.pagination.file.targetStorageThresholdPercent',
    kind: integer(1, 100),
    default: '60',
    live: true,
    awaits,
    meaning: 'Eviction brings usage down to this percentage of the quota; at most the critical percentage.',
  }),
};

/** The periodic expiry job over all brokers. */
export const controller = {
  cleanerPeriodMs: setting({
    key: 'controller.cluster.pagination.cleaner.frequencyPeriod',
    kind: duration('1s', '365d'),
    default: '1h',
    awaits: 'the controller',
    meaning: 'How often the controller has expired results deleted.',
  }),
  cleanerInitialDelayMs: setting({
    key: 'controller.cluster.pagination.cleaner.initialDelay',
    kind: durationOrRandom('0s', '365d'),
    default: 'random',
    awaits: 'the controller',
    meaning: 'The delay before the first run; `random` keeps several controllers from running at once.',
  }),
  authProviderClass: optionalSetting({
    key: 'controller.admin.auth.provider.class',
    kind: text(/^[A-Za-z_][\w$.-]{0,255}$/, 'the name of a class'),
    awaits: 'the controller',
    meaning:
      "What gives the Authorization of the controller's calls to brokers, such as a provider that reads a token from a URL.",
  }),
  authUrl: optionalSetting({
    key: 'controller.admin.auth.url',
    kind: text(/^\S{1,2048}$/, 'a URL (file: URLs included) or a path, without spaces'),
    secret: true,
    awaits: 'the controller',
    meaning: 'Where the token is. Not shown, because a URL may hold credentials.',
  }),
};

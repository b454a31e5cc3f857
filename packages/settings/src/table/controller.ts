import {
  boolean,
  choice,
  duration,
  durationOrRandom,
  httpUrls,
  moduleOrClass,
  optionalSetting,
  setting,
  text,
  textLocation,
} from '@quire/core/settings';

/** When sweeps run, and the expiry job over all brokers. */
export const controller = {
  brokers: optionalSetting({
    key: 'controller.brokers',
    kind: httpUrls,
    live: true,
    meaning: 'The brokers that the controller looks after.',
  }),
  consoleEnabled: setting({
    key: 'controller.console.enabled',
    kind: boolean,
    default: 'true',
    meaning:
      'Whether the controller serves the console at `/console`, and passes the calls under `/query` on to its brokers, which the ' +
      'console needs since a page may call its own origin only. Callers must be known to the controller, and to the broker.',
  }),
  brokerTimeoutMs: setting({
    key: 'controller.broker.timeout',
    kind: duration('100ms', '1h'),
    default: '30s',
    live: true,
    meaning: 'How long a broker may take to answer one call of the controller, to its last byte.',
  }),
  cleanerPeriodMs: setting({
    key: 'controller.cluster.pagination.cleaner.frequencyPeriod',
    kind: duration('1s', '365d'),
    default: '1h',
    live: true,
    meaning:
      'How often each broker and `quire cleaner` sweep: delete what has expired, and evict what exceeds the quota; and how often the ' +
      'controller has each broker delete what has expired. Each period is up to 5 % shorter or longer, at random, so that those that ' +
      'started together do not go on together.',
  }),
  cleanerInitialDelayMs: setting({
    key: 'controller.cluster.pagination.cleaner.initialDelay',
    kind: durationOrRandom('0s', '365d'),
    default: 'random',
    meaning:
      'The delay before the first sweep; `random` is at most one period and at most five minutes, and keeps cleaners that start ' +
      'together from sweeping together.',
  }),
  authProviderClass: optionalSetting({
    key: 'controller.admin.auth.provider.class',
    kind: moduleOrClass,
    meaning:
      "What gives the Authorization of the controller's calls to brokers: `UrlAuthProvider` reads a token from a file or a web server, " +
      '`StaticTokenAuthProvider` has one in the settings, `NullAuthProvider` sends none; all three with or without the name of a Java ' +
      'package before. A module exports a function `createAuthorizationProvider`. Without it, the settings below decide.',
  }),
  authUrl: optionalSetting({
    key: 'controller.admin.auth.url',
    kind: textLocation,
    secret: true,
    meaning:
      'Where the token is. It is read again after ten seconds, and when a broker has refused it. White space around it does not ' +
      'count. Not shown, because a URL may hold credentials.',
  }),
  authToken: optionalSetting({
    key: 'controller.admin.auth.token',
    kind: text(/^[\x20-\x7e]{1,8000}$/, 'a token, alone or after Basic or Bearer'),
    secret: true,
    meaning:
      'The token itself. Better set by its environment variable than in a file that others read.',
  }),
  authScheme: setting({
    key: 'controller.admin.auth.prefix',
    kind: choice('Bearer', 'Basic'),
    default: 'Bearer',
    meaning: 'What goes before a token that has neither word before it.',
  }),
};

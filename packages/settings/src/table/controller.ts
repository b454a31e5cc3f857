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

/** The schedule of sweeps, and the expiry job over all brokers. */
export const controller = {
  brokers: optionalSetting({
    key: 'controller.brokers',
    kind: httpUrls,
    live: true,
    meaning: 'The brokers that the controller manages.',
  }),
  consoleEnabled: setting({
    key: 'controller.console.enabled',
    kind: boolean,
    default: 'true',
    meaning:
      'Enables the console at `/console`, and forwards the calls under `/query` to the brokers of the controller. The ' +
      'console needs that because a page may only call its own origin. The controller and the broker must both know the caller.',
  }),
  brokerTimeoutMs: setting({
    key: 'controller.broker.timeout',
    kind: duration('100ms', '1h'),
    default: '30s',
    live: true,
    meaning: 'The timeout of one call of the controller to a broker, until the last byte.',
  }),
  cleanerPeriodMs: setting({
    key: 'controller.cluster.pagination.cleaner.frequencyPeriod',
    kind: duration('1s', '365d'),
    default: '1h',
    live: true,
    meaning:
      'The interval at which each broker and `quire cleaner` sweep: delete expired results, and evict those above the quota. Also the interval at which the ' +
      'controller makes each broker delete expired results. Each interval is randomly up to 5 % shorter or longer, so that processes that ' +
      'started together drift apart.',
  }),
  cleanerInitialDelayMs: setting({
    key: 'controller.cluster.pagination.cleaner.initialDelay',
    kind: durationOrRandom('0s', '365d'),
    default: 'random',
    meaning:
      'The delay before the first sweep; `random` is at most one period and at most five minutes, so that cleaners that start ' +
      'together do not sweep together.',
  }),
  authProviderClass: optionalSetting({
    key: 'controller.admin.auth.provider.class',
    kind: moduleOrClass,
    meaning:
      "The source of the Authorization for the controller's calls to brokers: `UrlAuthProvider` reads a token from a file or a web server, " +
      '`StaticTokenAuthProvider` uses one from the settings, `NullAuthProvider` sends none; all three with or without a Java ' +
      'package name before them. A module exports a function `createAuthorizationProvider`. Without this setting, the settings below decide.',
  }),
  authUrl: optionalSetting({
    key: 'controller.admin.auth.url',
    kind: textLocation,
    secret: true,
    meaning:
      'The location of the token. It is read again after ten seconds, and when a broker has refused it. Surrounding white space is ' +
      'ignored. Not shown, because a URL may contain credentials.',
  }),
  authToken: optionalSetting({
    key: 'controller.admin.auth.token',
    kind: text(/^[\x20-\x7e]{1,8000}$/, 'a token, alone or after Basic or Bearer'),
    secret: true,
    meaning:
      'The token itself. Preferably set with its environment variable, not in a file that others can read.',
  }),
  authScheme: setting({
    key: 'controller.admin.auth.prefix',
    kind: choice('Bearer', 'Basic'),
    default: 'Bearer',
    meaning: 'The scheme for a token that does not start with one of these words.',
  }),
};

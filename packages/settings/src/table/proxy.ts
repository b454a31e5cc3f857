import {
  choice,
  duration,
  httpUrl,
  httpUrls,
  integer,
  optionalSetting,
  setting,
} from '@quire/core/settings';

/**
 * The brokers of the proxy, the search for the one that holds a result, and its timeouts. Its port
 * is in another group.
 */
export const proxy = {
  brokers: optionalSetting({
    key: 'proxy.brokers',
    kind: httpUrls,
    live: true,
    meaning:
      'The brokers that the proxy may call. A removed broker may finish the calls that it is answering. Without brokers and without ' +
      'a DNS name: the broker of the same process or machine.',
  }),
  brokersName: optionalSetting({
    key: 'proxy.brokers.dns',
    kind: httpUrl,
    live: true,
    meaning:
      'A URL whose host is a DNS name for brokers, one for each address. Over HTTPS their certificates must have that name. If ' +
      'the name cannot be resolved, the brokers stay unchanged.',
  }),
  resolveIntervalMs: setting({
    key: 'proxy.brokers.dns.interval',
    kind: duration('1s', '1d'),
    default: '30s',
    live: true,
    meaning: 'The interval at which that name is resolved again.',
  }),
  storeShared: setting({
    key: 'proxy.store.shared',
    kind: choice('auto', 'true', 'false'),
    default: 'auto',
    live: true,
    meaning:
      "States that any broker can serve every result. `auto` uses the brokers' description of their stores: if all are shared, " +
      'a result that one broker does not find is requested from the others.',
  }),
  authMode: setting({
    key: 'proxy.auth.mode',
    kind: choice('pass', 'check'),
    default: 'pass',
    meaning:
      'The service that checks credentials: `pass` leaves it to the brokers, `check` only forwards calls of principals in these settings. The ' +
      "proxy's own endpoints are for principals in these settings in both cases.",
  }),
  routesMax: setting({
    key: 'proxy.routes.max',
    kind: integer(0, 10_000_000),
    default: '100000',
    live: true,
    meaning:
      'The number of results whose broker the proxy caches, at some 200 bytes each. For others it asks the brokers again.',
  }),
  connectionsMax: setting({
    key: 'proxy.connections.max',
    kind: integer(1, 65_535),
    default: '256',
    meaning:
      'The number of concurrent calls that the proxy forwards to one broker; further calls to it wait. An answer whose client does not read is ' +
      'not counted.',
  }),
  connectTimeoutMs: setting({
    key: 'proxy.timeout.connect',
    kind: duration('10ms', '1m'),
    default: '2s',
    meaning: 'The timeout for connecting to a broker.',
  }),
  queryTimeoutMs: setting({
    key: 'proxy.timeout.query',
    kind: duration('100ms', '2d'),
    default: '1m10s',
    live: true,
    meaning:
      "The timeout for the start of a broker's answer to a query: longer than the brokers' `engine.broker.query.timeout`.",
  }),
  answerTimeoutMs: setting({
    key: 'proxy.timeout.answer',
    kind: duration('100ms', '1h'),
    default: '30s',
    live: true,
    meaning: 'The timeout for the start of any other answer, and between two pieces of any answer.',
  }),
  healthIntervalMs: setting({
    key: 'proxy.health.interval',
    kind: duration('100ms', '1h'),
    default: '5s',
    live: true,
    meaning:
      'The interval at which the proxy checks the health of each broker, and adopts changes of its list of brokers.',
  }),
  healthTimeoutMs: setting({
    key: 'proxy.health.timeout',
    kind: duration('10ms', '1m'),
    default: '2s',
    live: true,
    meaning:
      "The timeout for a broker's answer to a health check, or to the question whether it has a result, and for the lookup of the brokers' name.",
  }),
  failuresMax: setting({
    key: 'proxy.health.failures',
    kind: integer(1, 1000),
    default: '3',
    live: true,
    meaning:
      'The number of consecutive failures, of calls and checks, after which a broker receives no calls until a check succeeds.',
  }),
};

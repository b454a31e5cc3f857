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
 * The proxy: which brokers it has, how it finds the one that holds a result, and how long it waits.
 * Its port is with the others.
 */
export const proxy = {
  brokers: optionalSetting({
    key: 'proxy.brokers',
    kind: httpUrls,
    live: true,
    meaning:
      'The brokers that the proxy may call. A broker that is taken out may end the calls that it answers. Without brokers and without ' +
      'a name that stands for some: the broker of the same process or machine.',
  }),
  brokersName: optionalSetting({
    key: 'proxy.brokers.dns',
    kind: httpUrl,
    live: true,
    meaning:
      'A URL whose host is a DNS name that stands for brokers, one per address. Over HTTPS their certificates must have that name. When ' +
      'the name cannot be resolved, the brokers stay as they are.',
  }),
  resolveIntervalMs: setting({
    key: 'proxy.brokers.dns.interval',
    kind: duration('1s', '1d'),
    default: '30s',
    live: true,
    meaning: 'How often that name is resolved again.',
  }),
  storeShared: setting({
    key: 'proxy.store.shared',
    kind: choice('auto', 'true', 'false'),
    default: 'auto',
    live: true,
    meaning:
      'Whether any broker can serve every result. `auto` follows what the brokers say of their stores: where all say that theirs is shared, ' +
      'a result that one broker does not find is asked for at the others.',
  }),
  authMode: setting({
    key: 'proxy.auth.mode',
    kind: choice('pass', 'check'),
    default: 'pass',
    meaning:
      'Who checks credentials: `pass` leaves it to the brokers, `check` lets only principals of these settings through to them. What the ' +
      'proxy tells of itself is for principals of these settings in both cases.',
  }),
  routesMax: setting({
    key: 'proxy.routes.max',
    kind: integer(0, 10_000_000),
    default: '100000',
    live: true,
    meaning:
      'Of how many results the proxy remembers which broker holds them, at some 200 bytes each. Others are asked for again.',
  }),
  connectionsMax: setting({
    key: 'proxy.connections.max',
    kind: integer(1, 65_535),
    default: '256',
    meaning:
      'How many calls the proxy passes on to one broker at once; further calls to it wait. An answer whose client does not read does ' +
      'not count.',
  }),
  connectTimeoutMs: setting({
    key: 'proxy.timeout.connect',
    kind: duration('10ms', '1m'),
    default: '2s',
    meaning: 'How long a broker may take to accept a connection.',
  }),
  queryTimeoutMs: setting({
    key: 'proxy.timeout.query',
    kind: duration('100ms', '2d'),
    default: '1m10s',
    live: true,
    meaning:
      "How long a broker may take to begin its answer to a query: longer than the brokers' `engine.broker.query.timeout`.",
  }),
  answerTimeoutMs: setting({
    key: 'proxy.timeout.answer',
    kind: duration('100ms', '1h'),
    default: '30s',
    live: true,
    meaning:
      'How long a broker may take to begin any other answer, and between two pieces of any answer.',
  }),
  healthIntervalMs: setting({
    key: 'proxy.health.interval',
    kind: duration('100ms', '1h'),
    default: '5s',
    live: true,
    meaning: 'How often the proxy asks each broker for its health, and takes over other brokers.',
  }),
  healthTimeoutMs: setting({
    key: 'proxy.health.timeout',
    kind: duration('10ms', '1m'),
    default: '2s',
    live: true,
    meaning: 'How long a broker may take to tell its health, or whether it has a result.',
  }),
  failuresMax: setting({
    key: 'proxy.health.failures',
    kind: integer(1, 1000),
    default: '3',
    live: true,
    meaning:
      'After how many failures in a row, of calls and of checks, a broker gets no calls until a check finds it healthy.',
  }),
};

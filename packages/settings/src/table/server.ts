import {
  boolean,
  choice,
  duration,
  host,
  httpUrls,
  name,
  networks,
  optionalSetting,
  port,
  setting,
  size,
} from '@quire/core/settings';

/** The addresses of the services. */
export const server = {
  bindHost: setting({
    key: 'engine.bind.host',
    kind: host,
    default: '127.0.0.1',
    meaning:
      'The address that services listen on. The quickstart tokens are accepted on loopback addresses only.',
  }),
  brokerPort: setting({
    key: 'engine.broker.client.queryPort',
    kind: port,
    default: '8099',
    meaning: 'The port of the broker.',
  }),
  brokerHostName: setting({
    key: 'engine.broker.host.name',
    kind: host,
    default: { of: 'engine.bind.host' },
    meaning:
      'The name by which others reach this broker: `brokerHost` of a response, and a part of the broker id and so of all object ' +
      'names. Required if `engine.bind.host` means all addresses. A broker with another name does not see its old results, ' +
      'unless `engine.broker.id` is set.',
  }),
  brokerId: optionalSetting({
    key: 'engine.broker.id',
    kind: name,
    meaning:
      'The id of this broker, which must be unique on its store: its results are filed under it, and after a restart they are found ' +
      'only under the same id. Without it, `Broker_<host name>_<port>` with the values of ' +
      '`engine.broker.host.name` and `engine.broker.client.queryPort`; a port of 0 stays 0 in the id.',
  }),
  trustedProxies: optionalSetting({
    key: 'engine.http.trusted.proxies',
    kind: networks,
    meaning:
      'The addresses and networks of proxies whose `X-Forwarded-For` and `X-Forwarded-Host` are trusted. Limits for wrong credentials then apply to the caller behind the proxy, and calls from pages are checked against the forwarded host. Without it, the caller is the connecting address, and the host is that of the `Host` header.',
  }),
  proxyPort: setting({
    key: 'proxy.port',
    kind: port,
    default: '8080',
    meaning: 'The port of the proxy.',
  }),
  controllerPort: setting({
    key: 'controller.port',
    kind: port,
    default: '9000',
    meaning: 'The port of the controller.',
  }),
};

/** The limits for clients of a service. */
export const http = {
  bodyBytesMax: setting({
    key: 'engine.broker.http.body.maxKB',
    kind: size('KB', 1, 65_536),
    default: '1024',
    meaning: 'The maximum size of a request body; a larger one is answered with 413.',
  }),
  headerBytesMax: setting({
    key: 'engine.broker.http.header.maxKB',
    kind: size('KB', 1, 256),
    default: '16',
    meaning: 'The maximum size of all request headers together; larger ones are answered with 431.',
  }),
  requestTimeoutMs: setting({
    key: 'engine.broker.http.request.timeout',
    kind: duration('100ms', '1h'),
    default: '30s',
    meaning:
      'The time in which a client must send its whole request; a slower one is answered with 408.',
  }),
  corsOrigins: optionalSetting({
    key: 'engine.http.cors.origins',
    kind: httpUrls,
    meaning:
      'Origins whose pages may call the services from a browser, such as `https://notebooks.example.com`. Without it only pages of ' +
      'their own origin may; other calls that may change state are answered with 403. Credentials are still sent with each call, in its ' +
      'Authorization header.',
  }),
  basicOffered: setting({
    key: 'engine.auth.basic.offered',
    kind: boolean,
    default: 'true',
    meaning:
      'Offers Basic in the `WWW-Authenticate` of a 401. Browsers then ask for a name and a password, cache them, and add them to every later ' +
      'call, whichever page sends it. Basic credentials are accepted in either case.',
  }),
  idleTimeoutMs: setting({
    key: 'engine.broker.http.idle.timeout',
    kind: duration('100ms', '1h'),
    default: '75s',
    meaning: 'The time for which a connection may stay open between two requests.',
  }),
  stallTimeoutMs: setting({
    key: 'engine.broker.page.stall.timeout',
    kind: duration('100ms', '1h'),
    default: '60s',
    meaning:
      'The time after which the connection of a client that receives nothing of a response, such as a page or a download, is closed. Applies to ' +
      'every service.',
  }),
  shutdownGraceMs: setting({
    key: 'engine.broker.shutdown.grace',
    kind: duration('0s', '1h'),
    default: '30s',
    meaning:
      'The time for which requests may continue after a stop is requested; then their connections are closed.',
  }),
};

/** The service's own log, metrics and documentation. */
export const observability = {
  logLevel: setting({
    key: 'engine.log.level',
    kind: choice('trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'),
    default: 'info',
    live: true,
    meaning: 'The minimum severity of logged messages.',
  }),
  logFormat: setting({
    key: 'engine.log.format',
    kind: choice('auto', 'pretty', 'json'),
    default: 'auto',
    meaning:
      'The log format: lines for people, or one JSON object on each line; `auto` is pretty on a terminal, otherwise JSON.',
  }),
  metricsEnabled: setting({
    key: 'engine.metrics.enabled',
    kind: boolean,
    default: 'true',
    meaning: 'Enables `/metrics`.',
  }),
  docsEnabled: setting({
    key: 'engine.docs.enabled',
    kind: boolean,
    default: 'true',
    meaning: 'Enables `/openapi.json` and `/docs`.',
  }),
  docsPublic: setting({
    key: 'engine.docs.public',
    kind: boolean,
    default: 'false',
    meaning:
      'Allows reading `/openapi.json` and `/docs` without credentials. They contain no data, but list all calls.',
  }),
};

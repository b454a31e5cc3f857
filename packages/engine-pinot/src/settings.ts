import type { EngineSettings } from '@quire/core';
import {
  boolean,
  choice,
  duration,
  httpUrls,
  integer,
  optionalSetting,
  setting,
  text,
  textLocation,
} from '@quire/core/settings';

/** The addresses of the cluster, Quire's credentials, and the options of queries. */
const settings = {
  controllerUrls: optionalSetting({
    key: 'engine.pinot.controller.url',
    kind: httpUrls,
    meaning: "The cluster's controllers. The first that answers is used.",
  }),
  brokerUrls: optionalSetting({
    key: 'engine.pinot.broker.url',
    kind: httpUrls,
    meaning:
      "The cluster's brokers, each of which serves all tables. Without it the controller provides the brokers of each table; their scheme is " +
      'then that of `engine.pinot.controller.url`.',
  }),
  authToken: optionalSetting({
    key: 'engine.pinot.auth.token',
    kind: text(/^[\x20-\x7e]{1,8000}$/, 'a token, alone or after Basic or Bearer'),
    secret: true,
    meaning:
      'The token with which Quire authenticates at the cluster. Set it by its environment variable rather than in a file that others can read.',
  }),
  authUrl: optionalSetting({
    key: 'engine.pinot.auth.url',
    kind: textLocation,
    secret: true,
    meaning:
      'The location of that token, instead. It is read again after ten seconds, and when it has been refused.',
  }),
  authScheme: setting({
    key: 'engine.pinot.auth.prefix',
    kind: choice('Basic', 'Bearer'),
    default: 'Basic',
    meaning: 'The scheme for a token that does not start with one of these words.',
  }),
  rowsWithoutLimit: setting({
    key: 'engine.pinot.paginated.limit',
    kind: choice('pinot', 'all'),
    default: 'pinot',
    meaning:
      'The rows that a paginated query without LIMIT requests: as many as the cluster returns by default (10, unless it is configured otherwise), or all.',
  }),
  segmentBySegment: setting({
    key: 'engine.pinot.segments.enabled',
    kind: boolean,
    default: 'false',
    meaning:
      'Runs a paginated `SELECT columns FROM table [WHERE …]` without LIMIT segment by segment, if ' +
      '`engine.pinot.paginated.limit` is `all`: the broker then holds the rows of one segment at a time. Rows that arrive while it runs may be ' +
      'missing or included; it fails when a segment is deleted before it is read.',
  }),
  segmentsMax: setting({
    key: 'engine.pinot.segments.concurrency',
    kind: integer(1, 64),
    default: '2',
    meaning:
      'The number of segments that such a query requests concurrently: the cluster processes the next ones while the rows of one are stored, and buffers the rows of that many.',
  }),
  connectTimeoutMs: setting({
    key: 'engine.pinot.connect.timeout',
    kind: duration('10ms', '1m'),
    default: '5s',
    meaning: 'The timeout of a connection attempt to the cluster.',
  }),
  refreshMs: setting({
    key: 'engine.pinot.broker.refresh',
    kind: duration('1s', '1h'),
    default: '30s',
    meaning:
      'The time for which the brokers that the controller reports are cached, and for which a broker that did not answer is tried last.',
  }),
};

/** An Apache Pinot cluster. */
export const pinotSettings = {
  name: 'pinot',
  title: 'Apache Pinot as the engine',
  meaning: 'an Apache Pinot cluster does both, at the addresses in the settings `engine.pinot.…`.',
  settings,
  required: [settings.controllerUrls.key],
} as const satisfies EngineSettings<typeof settings>;

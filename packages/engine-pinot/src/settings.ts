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

/** Where the cluster is, how Quire signs in there, and what is asked of it. */
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
      "The cluster's brokers, each of which serves all tables. Without it the controller says which broker serves which table; their scheme is " +
      'then that of `engine.pinot.controller.url`.',
  }),
  authToken: optionalSetting({
    key: 'engine.pinot.auth.token',
    kind: text(/^[\x20-\x7e]{1,8000}$/, 'a token, alone or after Basic or Bearer'),
    secret: true,
    meaning:
      'What the cluster knows Quire by. Better set by its environment variable than in a file that others read.',
  }),
  authUrl: optionalSetting({
    key: 'engine.pinot.auth.url',
    kind: textLocation,
    secret: true,
    meaning:
      'Where that token is, instead. It is read again after ten seconds, and when it has been refused.',
  }),
  authScheme: setting({
    key: 'engine.pinot.auth.prefix',
    kind: choice('Basic', 'Bearer'),
    default: 'Basic',
    meaning: 'What goes before a token that has neither word before it.',
  }),
  rowsWithoutLimit: setting({
    key: 'engine.pinot.paginated.limit',
    kind: choice('pinot', 'all'),
    default: 'pinot',
    meaning:
      'How many rows a paginated query without LIMIT asks for: as many as the cluster gives by itself (10, unless it is told otherwise), or all.',
  }),
  segmentBySegment: setting({
    key: 'engine.pinot.segments.enabled',
    kind: boolean,
    default: 'false',
    meaning:
      'Whether a paginated `SELECT columns FROM table [WHERE …]` without LIMIT is asked for segment by segment, where ' +
      '`engine.pinot.paginated.limit` is `all`: the broker then holds the rows of one segment at a time. Rows that come while it runs may be ' +
      'missing or there; it fails when a segment goes away meanwhile.',
  }),
  segmentsMax: setting({
    key: 'engine.pinot.segments.concurrency',
    kind: integer(1, 64),
    default: '2',
    meaning:
      'How many segments such a query asks for at the same time: the cluster works on the next ones while the rows of one are stored, and holds as many in memory.',
  }),
  connectTimeoutMs: setting({
    key: 'engine.pinot.connect.timeout',
    kind: duration('10ms', '1m'),
    default: '5s',
    meaning: 'How long a connection to the cluster may take to come about.',
  }),
  refreshMs: setting({
    key: 'engine.pinot.broker.refresh',
    kind: duration('1s', '1h'),
    default: '30s',
    meaning:
      'How long what the controller says of brokers holds, and how long a broker that did not answer is asked last.',
  }),
};

/** An Apache Pinot cluster. */
export const pinotSettings = {
  name: 'pinot',
  title: 'Apache Pinot as the engine',
  meaning: 'an Apache Pinot cluster does both, as the settings `engine.pinot.…` say.',
  settings,
  required: [settings.controllerUrls.key],
} as const satisfies EngineSettings<typeof settings>;

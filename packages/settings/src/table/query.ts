import { boolean, duration, integer, setting } from '@quire/core/settings';

/** The concurrency and the timeouts of queries. */
export const query = {
  timeoutMs: setting({
    key: 'engine.broker.query.timeout',
    kind: duration('100ms', '1d'),
    default: '60s',
    live: true,
    meaning:
      'The timeout of a query, including waiting and storing its result; it then fails with exception 250.',
  }),
  rowsWaitMaxMs: setting({
    key: 'engine.broker.query.rows.wait.max',
    kind: duration('0s', '10m'),
    default: '10s',
    live: true,
    meaning:
      'The maximum time for which a call may wait for rows of a query with `async=true`, and the default wait. Must be ' +
      'shorter than `proxy.timeout.answer` of proxies in front.',
  }),
  concurrencyMax: setting({
    key: 'engine.broker.query.concurrency',
    kind: integer(1, 1024),
    default: '4',
    meaning:
      'The number of concurrent queries; further ones wait, and principals take turns. It does not limit reading pages of stored results.',
  }),
  principalPercentMax: setting({
    key: 'engine.broker.query.concurrency.principal.maxPercent',
    kind: integer(1, 100),
    default: '50',
    meaning:
      'The percentage of the running queries that may be of one principal while others wait; at least one query. A principal that is alone may ' +
      'use all slots except those for admins.',
  }),
  isShareStrict: setting({
    key: 'engine.broker.query.concurrency.principal.strict',
    kind: boolean,
    default: 'false',
    meaning:
      'Applies that percentage also while no one else waits. A principal that arrives later then finds a free slot instead of waiting for a ' +
      'query to end, and a principal that is alone runs fewer concurrent queries.',
  }),
  adminSlotCount: setting({
    key: 'engine.broker.query.concurrency.admin',
    kind: integer(0, 1024),
    default: '1',
    meaning:
      'The number of concurrent queries reserved for admins: always fewer than half, so none if `engine.broker.query.concurrency` ' +
      'is 1 or 2; an admin then waits for its turn.',
  }),
  queueLengthMax: setting({
    key: 'engine.broker.query.queue',
    kind: integer(0, 100_000),
    default: '64',
    meaning:
      'The number of waiting queries; further ones are answered with 429. Beyond it, only those of admins wait, and those of principals that have less ' +
      'than an equal share of the queue.',
  }),
  principalWaitingMax: setting({
    key: 'engine.broker.query.queue.principal',
    kind: integer(0, 100_000),
    default: '32',
    meaning: 'The number of waiting queries of one principal; further ones are answered with 429.',
  }),
};

import { boolean, duration, integer, setting } from '@quire/core/settings';

/** How many queries run, and for how long. */
export const query = {
  timeoutMs: setting({
    key: 'engine.broker.query.timeout',
    kind: duration('100ms', '1d'),
    default: '60s',
    live: true,
    meaning:
      'How long a query may run, waiting and the storing of its result included; then it fails with exception 250.',
  }),
  rowsWaitMaxMs: setting({
    key: 'engine.broker.query.rows.wait.max',
    kind: duration('0s', '10m'),
    default: '10s',
    live: true,
    meaning:
      'How long a call may wait for rows of a query that runs with `async=true`, however long it asks for; also what it waits when it ' +
      'does not say. Shorter than `proxy.timeout.answer` of proxies in front.',
  }),
  concurrencyMax: setting({
    key: 'engine.broker.query.concurrency',
    kind: integer(1, 1024),
    default: '4',
    meaning:
      'How many queries run at once; further ones wait, and principals take turns. Reading pages of stored results is not limited by it.',
  }),
  principalPercentMax: setting({
    key: 'engine.broker.query.concurrency.principal.maxPercent',
    kind: integer(1, 100),
    default: '50',
    meaning:
      'Percentage of the running queries that may be of one principal while others wait; one query at least. A principal that is alone may ' +
      'run as many as there are slots, but those for admins.',
  }),
  isShareStrict: setting({
    key: 'engine.broker.query.concurrency.principal.strict',
    kind: boolean,
    default: 'false',
    meaning:
      'Whether that percentage holds also while nobody else waits. A principal that comes later then finds a free slot instead of waiting for a ' +
      'query to end, and a principal that is alone runs fewer queries at once.',
  }),
  adminSlotCount: setting({
    key: 'engine.broker.query.concurrency.admin',
    kind: integer(0, 1024),
    default: '1',
    meaning:
      'How many of the queries that run at once can only be of admins: always fewer than half, so none where `engine.broker.query.concurrency` ' +
      'is 1 or 2; an admin then waits for its turn.',
  }),
  queueLengthMax: setting({
    key: 'engine.broker.query.queue',
    kind: integer(0, 100_000),
    default: '64',
    meaning:
      'How many queries may wait; one more is answered with 429. Beyond it only those of admins wait, and those of principals that have less ' +
      'than an equal share of the queue.',
  }),
  principalWaitingMax: setting({
    key: 'engine.broker.query.queue.principal',
    kind: integer(0, 100_000),
    default: '32',
    meaning: 'How many queries of one principal may wait; one more is answered with 429.',
  }),
};

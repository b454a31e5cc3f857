import {
  boolean,
  choice,
  duration,
  integer,
  optionalSetting,
  setting,
  size,
  sizeOrUnlimited,
  text,
} from '@quire/core/settings';

/** The maximum lifetime of a result that may be requested. */
const lifetimeMax = '3650d';
/** 16 TiB: no store of one broker is larger, and the sum of two such sizes is still exact. */
const megabytesMax = 16_777_216;

/** The lifetime, size and paging of results. */
export const results = {
  pageRowCount: setting({
    key: 'engine.broker.query.page.size',
    kind: integer(1, 2_147_483_647),
    default: '10000',
    live: true,
    meaning: 'The number of rows of a page when `numRows` is not given.',
  }),
  expirationMs: setting({
    key: 'engine.broker.pagination.expiration',
    kind: duration('1s', lifetimeMax),
    default: '1h',
    live: true,
    meaning:
      'The age at which a stored result expires. Applies to results that are stored afterwards.',
  }),
  expirationMaxMs: setting({
    key: 'engine.broker.pagination.expiration.max',
    kind: duration('1s', lifetimeMax),
    default: '1d',
    live: true,
    meaning: 'The maximum extension by a renewal of a result, counted from the renewal.',
  }),
  resultBytesMax: setting({
    key: 'engine.broker.pagination.result.maxMB',
    kind: sizeOrUnlimited('MB', megabytesMax),
    default: '0',
    live: true,
    meaning:
      'The maximum size of a stored result; a query with a larger one fails with exception 245 and leaves nothing behind.',
  }),
  compression: setting({
    key: 'engine.broker.pagination.compression',
    kind: choice('auto', 'none', 'zstd', 'lz4'),
    default: 'auto',
    meaning:
      'The compression of new results: `auto` is zstd in buckets, where transfers take longer than compression, and none in memory and ' +
      'files. Results with any compression can be read, whatever is set.',
  }),
  stalenessMaxMs: setting({
    key: 'engine.broker.pagination.staleness.max',
    kind: duration('0s', '1h'),
    default: '5s',
    live: true,
    meaning:
      'The time for which a result that another process has deleted, evicted or renewed may still be served unchanged: another broker of a shared store, ' +
      'or a separate cleaner. After that the broker checks with one request without a body that its commit record exists.',
  }),
  ownerTagKey: optionalSetting({
    key: 'engine.broker.pagination.owner.tag.key',
    kind: text(/^[^\s\p{C}]{16,200}$/u, 'a text of 16 to 200 characters without spaces'),
    secret: true,
    meaning:
      'The key of the hash that identifies owners in the ids of results, by which quotas are shared. Must be the same on all brokers and cleaners of a store. Without it, a caller who knows an id can test whether its owner has a guessed name. Also set it if callers choose ' +
      'their own names. Results stored with another key count as those of other owners.',
  }),
  isReused: setting({
    key: 'engine.broker.results.reuse.enabled',
    kind: boolean,
    default: 'false',
    live: true,
    meaning:
      'Answers a paginated query that is identical to an earlier one of the same principal (text, parameters, options) with the existing result ' +
      'as long as that exists and its tables are unchanged; concurrent identical queries then run once.',
  }),
  reuseAgeMaxMs: setting({
    key: 'engine.broker.results.reuse.age.max',
    kind: duration('0s', '1d'),
    default: '0s',
    live: true,
    meaning:
      'With `engine.broker.results.reuse.enabled`: the maximum age of a reused result if the engine does not know whether its ' +
      'tables have changed, as with Apache Pinot. With `0s` such queries always run.',
  }),
  cacheBytesMax: setting({
    key: 'engine.broker.pagination.cache.maxMB',
    kind: size('MB', 0, 65_536),
    default: '8',
    meaning: 'Memory for batches that were read recently; 0 disables the cache.',
  }),
  pageThreadsMax: optionalSetting({
    key: 'engine.broker.page.threads',
    kind: integer(0, 64),
    meaning:
      'The maximum number of threads that encode large pages. They start with the first such page, and end after a minute without one. A page for which no thread is free is encoded by the main thread. With 0, no thread starts. Default: one less than the number of processor cores, at most 16.',
  }),
};

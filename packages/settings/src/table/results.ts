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

/** The longest time that a result may be asked to live. */
const lifetimeMax = '3650d';
/** 16 TiB: no store of one broker is larger, and a sum of two such sizes is still exact. */
const megabytesMax = 16_777_216;

/** How long results live, how large they may be and how they are cut into pages. */
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
    meaning: 'The age at which a stored result expires. Applies to results stored from then on.',
  }),
  expirationMaxMs: setting({
    key: 'engine.broker.pagination.expiration.max',
    kind: duration('1s', lifetimeMax),
    default: '1d',
    live: true,
    meaning:
      'The furthest that a renewal may move the expiry of a result, counted from the renewal.',
  }),
  resultBytesMax: setting({
    key: 'engine.broker.pagination.result.maxMB',
    kind: sizeOrUnlimited('MB', megabytesMax),
    default: '0',
    live: true,
    meaning:
      'The largest result that is stored; a query with a larger one fails with exception 245 and leaves nothing behind.',
  }),
  compression: setting({
    key: 'engine.broker.pagination.compression',
    kind: choice('auto', 'none', 'zstd', 'lz4'),
    default: 'auto',
    meaning:
      'How the data of new results is compressed: `auto` is zstd in buckets, where the way is longer than the work, and none in memory and ' +
      'files. Every reader reads all of them, whatever is set.',
  }),
  stalenessMaxMs: setting({
    key: 'engine.broker.pagination.staleness.max',
    kind: duration('0s', '1h'),
    default: '5s',
    live: true,
    meaning:
      'How long a result that somebody else has deleted, evicted or renewed may still be served as it was: another broker of a shared store, ' +
      'or a cleaner of its own. After that the broker asks the store, with one request without a body, whether its commit record stands.',
  }),
  ownerTagKey: optionalSetting({
    key: 'engine.broker.pagination.owner.tag.key',
    kind: text(/^[^\s\p{C}]{16,200}$/u, 'a text of 16 to 200 characters without spaces'),
    secret: true,
    meaning:
      'The key of the hash that stands for the owner in the ids of results, by which quotas are shared. The same for all brokers and cleaners of a ' +
      'store. Without it, a caller who knows an id can test whether its owner has a name that they guess; set it also where callers choose ' +
      'their own names. Results that were stored with another key count as those of other owners.',
  }),
  isReused: setting({
    key: 'engine.broker.results.reuse.enabled',
    kind: boolean,
    default: 'false',
    live: true,
    meaning:
      'Whether a paginated query that is the same as an earlier one of the same principal (text, parameters, options) is answered by the result ' +
      'of that one, as long as it stands and its tables are unchanged; the same queries at the same time then run once.',
  }),
  reuseAgeMaxMs: setting({
    key: 'engine.broker.results.reuse.age.max',
    kind: duration('0s', '1d'),
    default: '0s',
    live: true,
    meaning:
      'With `engine.broker.results.reuse.enabled`: how old a result may be that is the answer again where the engine cannot tell whether its ' +
      'tables have changed, as with Apache Pinot. With `0s` such queries always run.',
  }),
  cacheBytesMax: setting({
    key: 'engine.broker.pagination.cache.maxMB',
    kind: size('MB', 0, 65_536),
    default: '8',
    meaning: 'Memory for batches that were read recently; 0 keeps none.',
  }),
};

import { bucket, location } from '../location-kind.ts';
import {
  boolean,
  choice,
  duration,
  integer,
  optionalSetting,
  path,
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

/** Where results are kept. */
export const store = {
  protocol: setting({
    key: 'engine.broker.pagination.protocol',
    kind: choice('memory', 'file', 's3', 'gcs'),
    default: 'memory',
    meaning:
      'What results are kept in. `memory` forgets all of them at a stop and is not for production; ' +
      '`file` needs `engine.broker.pagination.file.data.dir`. `s3` needs `engine.broker.pagination.s3.data.dir`, `gcs` needs `engine.broker.pagination.gcs.data.dir`.',
  }),
  memoryBytesMax: setting({
    key: 'engine.broker.pagination.memory.maxMB',
    kind: size('MB', 1, 1_048_576),
    default: '512',
    meaning:
      'The room of the store `memory`, which is the quota there: `engine.broker.pagination.file.criticalStorageThresholdPercent` and its like ' +
      'apply to it.',
  }),
  fileLocation: optionalSetting({
    key: 'engine.broker.pagination.file.data.dir',
    kind: location,
    meaning:
      'Where the store `file` keeps its objects. It is made when it does not exist. `s3:` and `gs:` URIs are as the stores `s3` and `gcs`.',
  }),
  isFileShared: setting({
    key: 'engine.broker.pagination.file.shared',
    kind: boolean,
    default: 'false',
    meaning:
      'Whether several brokers keep their results in that directory, on one machine or on a network file system. Each then serves the ' +
      'results of all, as brokers on one bucket do, and its answers name no broker. A proxy in front of them needs `proxy.store.shared`.',
  }),
  tempDir: setting({
    key: 'engine.broker.pagination.temp.dir',
    kind: path,
    default: '/tmp/engine/query/broker',
    meaning:
      'The directory for temporary files of this broker, such as what a query spills. Must lie apart from the stored results.',
  }),
  s3Location: optionalSetting({
    key: 'engine.broker.pagination.s3.data.dir',
    kind: bucket('s3'),
    meaning: 'Where the store `s3` keeps its objects.',
  }),
  gcsLocation: optionalSetting({
    key: 'engine.broker.pagination.gcs.data.dir',
    kind: bucket('gs'),
    meaning: 'Where the store `gcs` keeps its objects.',
  }),
  attemptsMax: setting({
    key: 'engine.broker.pagination.store.attempts',
    kind: integer(1, 20),
    default: '4',
    meaning:
      'How often a call to the store is tried while the store is unavailable, the first time included.',
  }),
  timeoutMs: setting({
    key: 'engine.broker.pagination.store.timeout',
    kind: duration('100ms', '1h'),
    default: '30s',
    meaning: 'How long one call to the store may make no progress before it counts as failed.',
  }),
  concurrencyMax: setting({
    key: 'engine.broker.pagination.store.concurrency',
    kind: integer(1, 1024),
    default: '32',
    meaning:
      'How many calls to the store run at once, and how many chunks of open objects are read at once; further ones wait.',
  }),
};

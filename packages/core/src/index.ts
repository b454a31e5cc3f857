export type { Clock } from './clock.ts';
export {
  abortError,
  type BrokerAddress,
  type ErrorCode,
  type ErrorKind,
  errorKinds,
  isQuireError,
  QuireError,
  throwIfAborted,
} from './errors.ts';
export { writeExactJson } from './exact-json.ts';
export { type CalendarDate, hybridToMs, julianDateOf } from './julian-calendar.ts';
export {
  type JsonValue,
  parseLosslessJson,
  TooManyDigitsError,
  writeLosslessJson,
} from './lossless-json.ts';
export { assertObjectKey, isObjectKey } from './object-key.ts';
export type {
  ByteRange,
  CallOptions,
  DeleteOptions,
  GetOptions,
  ListOptions,
  ObjectBody,
  ObjectEntry,
  ObjectStore,
  ReadMemory,
} from './object-store.ts';
export {
  type CachedReader,
  type ConditionalWriter,
  type FolderDeleter,
  isCachedReader,
  isConditionalWriter,
  isFolderDeleter,
  isLinkSigner,
  isSharingAware,
  type LinkSigner,
  type SharingAware,
  type StoreCapabilities,
} from './store-capabilities.ts';
export {
  nextPage,
  type PageRequest,
  previousPage,
  resolveRowRange,
  type RowRange,
} from './page.ts';
export type { EngineSettings } from './engine-settings.ts';
export { distinctNames } from './distinct-names.ts';
export { type SqlDialect, sqlDialects } from './sql-dialect.ts';
export type {
  Query,
  QueryDescription,
  QueryEngine,
  QueryExecution,
  QueryLimits,
  QueryStatistics,
} from './query-engine.ts';
export type { ColumnarRows, NamedRows } from './named-rows.ts';
export type { ParameterType, QueryParameter, QueryParameters } from './query-parameters.ts';
export type { Random } from './random.ts';
export {
  createRequestId,
  isRequestId,
  ownerTagAt,
  ownerTagOf,
  timeOfRequestId,
  type RequestId,
} from './request-id.ts';
export {
  type RecordIdentity,
  sealRecord,
  type UnsealedRecord,
  unsealRecord,
} from './sealed-record.ts';
export { sqlPiece } from './sql-pieces.ts';
export { systemClock } from './system-clock.ts';
export { systemRandom } from './system-random.ts';
export { formatBytes, formatDurationMs, MiB, parseDurationMs } from './units.ts';
export { assertByteRange, resolveByteRange } from './store/byte-range.ts';
export { readObject } from './store/read-object.ts';
export {
  retry,
  retryDelayMs,
  type RetryEvent,
  type RetryLimits,
  type RetryOptions,
  storeRetryDelays,
} from './store/retry.ts';
export { type BodySource, SingleUseBody } from './store/single-use-body.ts';
export { sourceChunks } from './store/source-chunks.ts';
export { objectNotFound, storeClosed } from './store/store-errors.ts';
export type { StoreBackend, StoreLocations, StoreOpening } from './store/store-backend.ts';
export {
  hasLeftovers,
  type Leftover,
  type StoreWithLeftovers,
  type LeftoverOptions,
  type StoreLeftovers,
} from './store/store-leftovers.ts';
export { StoreLease, type StoreLeaseOptions } from './store/store-lease.ts';
export { type StoreOperation, StoreWrapper } from './store/store-wrapper.ts';
export { type LimitOptions, withLimit } from './store/with-limit.ts';
export { type StoreCall, withObserver } from './store/with-observer.ts';
export { withRetry } from './store/with-retry.ts';
export { type TimeLimitOptions, withTimeLimit } from './store/with-time-limit.ts';

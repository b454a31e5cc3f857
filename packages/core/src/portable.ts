/*
 * The part of core that runs and compiles anywhere: it needs neither Arrow nor Node, nor the types
 * of either.
 */
export type { Clock } from './clock.ts';
export { distinctNames } from './distinct-names.ts';
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
export { type JsonValue, parseLosslessJson } from './lossless-json.ts';
export {
  nextPage,
  type PageRequest,
  previousPage,
  resolveRowRange,
  type RowRange,
} from './page.ts';
export type { QueryParameter, QueryParameters } from './query-parameters.ts';
export type { Random } from './random.ts';
export { isRequestId, type RequestId } from './request-id.ts';
export { assertRetryLimits, retryDelayMs } from './store/retry.ts';
export { type SqlDialect, sqlDialects } from './sql-dialect.ts';
export { systemClock } from './system-clock.ts';
export { systemRandom } from './system-random.ts';
export { formatBytes, MiB, parseDurationMs } from './units.ts';
export { visibleLines, visibleText } from './visible-text.ts';

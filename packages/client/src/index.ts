export type {
  ArrowCodec,
  PageFormatName,
  RestreamResponse,
  SubtaskInfo,
  TaskDebug,
} from '@quire/core/wire';
export { QuireAdminClient, type RestreamRequest, type ScheduledTaskNames } from './admin-client.ts';
export type {
  ForceCommitProgress,
  IngestedFile,
  SettingInForce,
  FileTable,
  TableSize,
} from './admin-answers.ts';
export { type ErrorCode, isQuireError, QuireError } from '@quire/core/portable';
export type { Credentials } from './authorization.ts';
export type {
  Cell,
  Column,
  ColumnDataType,
  DateMode,
  IntegerMode,
  Row,
  RowObject,
  ScalarDataType,
} from './cells.ts';
export { QuireClientError, type ExchangeFacts } from './client-error.ts';
export type { QuireClientOptions } from './client-options.ts';
export type { DownloadFormat, JoinableFormat } from './document-pieces.ts';
export type { Download, DownloadOptions, DownloadPosition, DownloadProgress } from './download.ts';
export type { JsonObject } from './json-fields.ts';
export { type JsonValue, parseLosslessJson } from './lossless-json.ts';
export {
  type ClientCallOptions,
  type OpenOptions,
  type PageOptions,
  QuireClient,
  type QueryOptions,
} from './quire-client.ts';
export type { GrowingDownloadOptions, GrowingDownloadProgress } from './growing-download.ts';
export type { GrowingCursor, GrowingPage } from './growing-cursor.ts';
export type { QueryException, QueryStatus, RunningQuery } from './query-status.ts';
export { QuireQueryClient, type StartOptions } from './quire-query-client.ts';
export type { BrokerAddress, QueryPage } from './query-page.ts';
export type { ParameterValue, ParameterValues } from './query-parameters.ts';
export type { ResultCursor, WalkOptions } from './result-cursor.ts';
export type { RetryLimits } from './retry-reads.ts';
export type { OwnedResult, StoredResult } from './stored-result.ts';
export type { RequestedPage, PageForm, SignalOptions } from './result-calls.ts';

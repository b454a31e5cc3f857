export type { PageFormatName } from '@quire/core/wire';
export type {
  ArrowBatch,
  ArrowColumn,
  ArrowField,
  ArrowSchema,
  ArrowType,
} from './arrow/arrow-input.ts';
export type { BufferCodec, Compression } from './arrow/buffer-codec.ts';
export {
  type FolderListOptions,
  listResultFolders,
  readResultFolder,
  type ResultFolder,
} from './catalog.ts';
export { columnDataTypes } from './column-data-types.ts';
export type { GrowResult } from './growing/growing-files.ts';
export type { GrowingResult } from './growing/growing-result.ts';
export type { ProgressEvent, ProgressTarget } from './progress-event.ts';
export {
  brokerPrefix,
  dataKeyOf,
  isBrokerId,
  parseResultObjectName,
  recordKeyOf,
  type RecordName,
  type ResultObjectName,
  resultPrefix,
} from './layout.ts';
export { formatOwnerTag, ownerTag } from './owner-tag.ts';
export { openOrdered, type ReadOrder } from './read-order.ts';
export type { RemovalReason } from './removed-results.ts';
export { removeEach, type RemovalOutcome, type RemoveEachOptions } from './remove-each.ts';
export { type RemoveOptions, removeResult } from './remove-result.ts';
export type { ResultAdmission, SpaceReservation } from './result-admission.ts';
export { newestFirst, type ResultEntry } from './result-entry.ts';
export type { ArrowMessageOptions } from './encode/arrow-messages.ts';
export type { ContentEncoding } from './encode/compress-body.ts';
export type { FormatOptions } from './encode/page-encoders.ts';
export type { TextAround, TextOptions } from './encode/text-rows.ts';
export type { EncodedPage, EncodeOptions, ResultPage } from './result-page.ts';
export type { MarkRunning, RunningMark, RunningQueryRecord } from './running-mark.ts';
export type { ResultSource } from './result-source.ts';
export type { NewResult, OpenOptions, ResultStoreOptions } from './result-store-options.ts';
export { ResultStore } from './result-store.ts';
export type { Result } from './result.ts';
export {
  type AnsweredData,
  answeredData,
  describeBy,
  storeInProcess,
  type StoringEngine,
  type StoringOptions,
} from './storing-engine.ts';
export type { ResultSink } from './write-result.ts';
export { PageThreads } from './threads/page-threads.ts';
export type { PageThreadsOptions, PageThreadsStatus } from './threads/page-threads-options.ts';
export { decodeSchema, encodeSchema } from './schema-bytes.ts';
export {
  type ExtendRequest,
  type RemoteWrite,
  type ResultOrder,
  type WriteOrder,
  writeOrdered,
  type WriterAdmission,
  type WrittenResult,
} from './remote-write.ts';

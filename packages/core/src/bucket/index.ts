export {
  type AnswerStream,
  type ObjectAnswer,
  type ObjectRequest,
  openAnsweredObject,
} from './answered-object.ts';
export {
  assertLinkLifetime,
  type BucketLocation,
  bucketLocations,
  bucketNames,
  parseBucketLocation,
} from './bucket-location.ts';
export type { Part } from './cut-parts.ts';
export { BatchDeleter, type DeleteRequests } from './batch-deleter.ts';
export { BucketStore, type BucketVerbs } from './bucket-store.ts';
export {
  asciiMark,
  canBeginKey,
  endlessListing,
  entriesInOrder,
  nextToken,
} from './entries-in-order.ts';
export { PartSender, type PartSenderOptions } from './part-sender.ts';
export type { FailedCall } from './failed-call.ts';
export {
  type FailureRules,
  FailureTranslator,
  type FailureVerdict,
  type RequestFailure,
} from './request-failure.ts';
export { type PartUpload, putInParts, type PutInPartsOptions } from './put-in-parts.ts';
export { observeSource, type SourceObserver } from '../store/observe-source.ts';
export { waitForRetry } from '../store/retry.ts';

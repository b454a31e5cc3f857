import { Type } from '@quire/core/schema';
import type { Static } from 'typebox';
import { refer } from './reference.ts';

/** The location of one response of a result (SPECIFICATION.md section 2.8). */
export const ResponseMetadata = Type.Object(
  {
    type: Type.String({ description: 'Kind of store, such as fs for files or memory.' }),
    numRows: Type.Integer({ minimum: 0, description: 'Number of rows in the result.' }),
    dataFile: Type.String({ description: 'Location of the stored result table, an Arrow file.' }),
    metadataFile: Type.String({ description: 'Location of the commit record.' }),
    sizeBytes: Type.Integer({
      minimum: 0,
      description: 'Total size of both objects in the store, in bytes.',
    }),
  },
  { $id: 'ResponseMetadata', description: 'The location of a result in the store.' },
);

/** A stored result in the list or the answer to a renewal (SPECIFICATION.md section 2.8). */
export const StoredResult = Type.Object(
  {
    requestId: Type.String({ description: 'Id of the result.' }),
    brokerId: Type.String({ description: 'Broker that holds the result.' }),
    submissionTimeMs: Type.Integer({
      minimum: 0,
      description: 'Time at which the query was received, in epoch milliseconds.',
    }),
    expirationTimeMs: Type.Integer({
      minimum: 0,
      description: 'Time at which the result expires, in epoch milliseconds.',
    }),
    responseMetadata: Type.Array(refer(ResponseMetadata), { description: 'One element.' }),
  },
  { $id: 'StoredResult', description: 'A stored result.' },
);

/**
 * One stored result with what its commit record says of its query, and therefore not in the list of
 * all results.
 */
export const OwnedResult = Type.Object(
  {
    ...StoredResult.properties,
    owner: Type.String({ description: 'Name of the principal that ran the query.' }),
    sql: Type.Union([Type.String(), Type.Null()], {
      description:
        'Text of the query, without its options: the first 8,192 characters. Null if the release that stored the result did not keep it.',
    }),
  },
  { $id: 'OwnedResult', description: 'A stored result with its owner and its query.' },
);

/** The list of stored results (SPECIFICATION.md section 2.8). */
export const ResultListResponse = Type.Object(
  { resultMetadataList: Type.Array(refer(StoredResult), { description: 'Newest first.' }) },
  { $id: 'ResultListResponse', description: 'All stored results of this broker, newest first.' },
);

/** The list of the caller's own results. */
export const OwnedResultListResponse = Type.Object(
  { resultMetadataList: Type.Array(refer(OwnedResult), { description: 'Newest first.' }) },
  {
    $id: 'OwnedResultListResponse',
    description: 'The newest stored results of the caller on this broker, newest first.',
  },
);

/** The storage that the caller uses, and its limits. */
export const UsageResponse = Type.Object(
  {
    resultCount: Type.Integer({ minimum: 0, description: 'Stored results of the caller.' }),
    usageBytes: Type.Integer({
      minimum: 0,
      description: 'Bytes that the caller has stored, or is writing.',
    }),
    shareBytes: Type.Union([Type.Integer({ minimum: 0 }), Type.Null()], {
      description:
        'The share of the quota that the caller may use; null if it may use all of it, or no quota is enforced.',
    }),
    totalUsageBytes: Type.Integer({
      minimum: 0,
      description: 'Bytes that all principals have stored, or are writing.',
    }),
    quotaBytes: Type.Union([Type.Integer({ minimum: 0 }), Type.Null()], {
      description: 'The quota for all principals; null if none is enforced.',
    }),
  },
  { $id: 'UsageResponse', description: 'The storage that the caller uses, and its limits.' },
);

/** Body of a renewal: the time for which the result is kept from now on. */
export const RenewBody = Type.Object(
  {
    expiration: Type.String({
      minLength: 1,
      pattern: String.raw`^\s*(?=[^\s]*[1-9])(?:\d+d)?(?:\d+h)?(?:\d+m(?!s))?(?:\d+s)?(?:\d+ms)?\s*$`,
      description: 'Duration from now, such as 30m, 2h or 1d. The server limits it.',
      examples: ['2h'],
    }),
  },
  { description: 'The new lifetime of a result, counted from now.' },
);

export type ResponseMetadata = Static<typeof ResponseMetadata>;
export type StoredResult = Static<typeof StoredResult>;
export type OwnedResult = Static<typeof OwnedResult>;
export type ResultListResponse = Static<typeof ResultListResponse>;
export type OwnedResultListResponse = Static<typeof OwnedResultListResponse>;
export type UsageResponse = Static<typeof UsageResponse>;
export type RenewBody = Static<typeof RenewBody>;

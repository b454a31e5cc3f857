import { type Static, Type } from 'typebox';
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
      description: 'Total size of both in the store, in bytes.',
    }),
  },
  { $id: 'ResponseMetadata', description: 'The location of a result in the store.' },
);

/** A stored result in the list or the answer to a renewal (SPECIFICATION.md section 2.8). */
export const StoredResult = Type.Object(
  {
    requestId: Type.String({ description: 'Id of the result.' }),
    brokerId: Type.String({ description: 'Broker that holds it.' }),
    submissionTimeMs: Type.Integer({
      minimum: 0,
      description: 'Time at which its query was received, in epoch milliseconds.',
    }),
    expirationTimeMs: Type.Integer({
      minimum: 0,
      description: 'Time at which it expires, in epoch milliseconds.',
    }),
    responseMetadata: Type.Array(refer(ResponseMetadata), { description: 'One element.' }),
  },
  { $id: 'StoredResult', description: 'A stored result.' },
);

/** One stored result with its owner, which is in its commit record, and therefore not in a list. */
export const OwnedResult = Type.Object(
  {
    ...StoredResult.properties,
    owner: Type.String({ description: 'Name of the principal that ran the query.' }),
  },
  { $id: 'OwnedResult', description: 'A stored result with its owner.' },
);

/** The list of stored results (SPECIFICATION.md section 2.8). */
export const ResultListResponse = Type.Object(
  { resultMetadataList: Type.Array(refer(StoredResult), { description: 'Newest first.' }) },
  { $id: 'ResultListResponse', description: 'All stored results of this broker, newest first.' },
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
  { description: 'The time for which the result is kept from now on.' },
);

export type ResponseMetadata = Static<typeof ResponseMetadata>;
export type StoredResult = Static<typeof StoredResult>;
export type OwnedResult = Static<typeof OwnedResult>;
export type ResultListResponse = Static<typeof ResultListResponse>;
export type RenewBody = Static<typeof RenewBody>;

import { type Static, Type } from 'typebox';
import { refer } from './reference.ts';

/** Where one response of a result is stored (SPECIFICATION.md section 2.8). */
export const ResponseMetadata = Type.Object(
  {
    type: Type.String({ description: 'Kind of store, such as fs for files or memory.' }),
    numRows: Type.Integer({ minimum: 0, description: 'Rows of the result.' }),
    dataFile: Type.String({ description: 'Location of the stored result table, an Arrow file.' }),
    metadataFile: Type.String({ description: 'Location of the commit record.' }),
    sizeBytes: Type.Integer({ minimum: 0, description: 'Bytes that both take in the store.' }),
  },
  { $id: 'ResponseMetadata', description: 'Where a result is stored.' },
);

/** A stored result, as the list and the renewal give it (SPECIFICATION.md section 2.8). */
export const StoredResult = Type.Object(
  {
    requestId: Type.String({ description: 'Id of the result.' }),
    brokerId: Type.String({ description: 'Broker that holds it.' }),
    submissionTimeMs: Type.Integer({
      minimum: 0,
      description: 'When its query came in, in epoch milliseconds.',
    }),
    expirationTimeMs: Type.Integer({
      minimum: 0,
      description: 'When it expires, in epoch milliseconds.',
    }),
    responseMetadata: Type.Array(refer(ResponseMetadata), { description: 'One element.' }),
  },
  { $id: 'StoredResult', description: 'A stored result.' },
);

/**
 * One stored result, with whose it is: that stands in its commit record, which a list does not
 * open.
 */
export const OwnedResult = Type.Object(
  {
    ...StoredResult.properties,
    owner: Type.String({ description: 'Name of the principal that ran the query.' }),
  },
  { $id: 'OwnedResult', description: 'A stored result, and whose it is.' },
);

/** The list of stored results (SPECIFICATION.md section 2.8). */
export const ResultListResponse = Type.Object(
  { resultMetadataList: Type.Array(refer(StoredResult), { description: 'Newest first.' }) },
  { $id: 'ResultListResponse', description: 'All stored results of this broker, newest first.' },
);

/** Body of a renewal: how long the result is kept from now on. */
export const RenewBody = Type.Object(
  {
    expiration: Type.String({
      minLength: 1,
      pattern: String.raw`^\s*(?=[^\s]*[1-9])(?:\d+d)?(?:\d+h)?(?:\d+m(?!s))?(?:\d+s)?(?:\d+ms)?\s*$`,
      description: 'How long from now, such as 30m, 2h or 1d. The server caps it.',
      examples: ['2h'],
    }),
  },
  { description: 'How long the result is kept from now on.' },
);

export type ResponseMetadata = Static<typeof ResponseMetadata>;
export type StoredResult = Static<typeof StoredResult>;
export type OwnedResult = Static<typeof OwnedResult>;
export type ResultListResponse = Static<typeof ResultListResponse>;
export type RenewBody = Static<typeof RenewBody>;

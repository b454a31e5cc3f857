import { type Static, Type } from 'typebox';
import { MetadataRecord } from './metadata-record.ts';
import { refer } from './reference.ts';
import { ResultTable } from './result-table.ts';

const count = (description: string) => Type.Integer({ minimum: 0, description });

/**
 * What Apache Pinot's cursor API says of a stored result beside its statistics (its class
 * `CursorResponseNative`).
 */
const cursorMembers = {
  offset: count('First row of this page; 0 where there is no page.'),
  numRows: count('Rows in this page; where there is no page, of the whole result.'),
  cursorResultWriteTimeMs: count(
    'Always 0: storing goes along with the query, whose time is timeUsedMs.',
  ),
  cursorFetchTimeMs: count(
    'How long it took to find the page, in milliseconds; 0 where there is no page.',
  ),
  submissionTimeMs: count('When the result was stored, in epoch milliseconds.'),
  expirationTimeMs: count('When it expires, in epoch milliseconds.'),
  brokerHost: Type.String({ description: 'Host of the broker that holds the result.' }),
  brokerPort: Type.Integer({ description: 'Port of that broker.' }),
  bytesWritten: count('Bytes that the result takes in the store.'),
};

const tablesQueried = Type.Array(Type.String(), { description: 'The tables that the query read.' });

/** A page of a stored result, or what is known of one, as Apache Pinot's cursor API gives it. */
export const PinotCursorResponse = Type.Object(
  {
    resultTable: Type.Optional(refer(ResultTable)),
    ...MetadataRecord.properties,
    tablesQueried,
    ...cursorMembers,
  },
  {
    $id: 'PinotCursorResponse',
    description:
      "A page of a stored result as Apache Pinot's cursor API gives it. resultTable is absent where no page is asked for, and of a " +
      'result without rows.',
  },
);

/** A stored result in the list of Apache Pinot's cursor API: what the names of its objects tell. */
export const PinotStoredResponse = Type.Object(
  {
    requestId: Type.String({ description: 'Id of the result.' }),
    brokerId: Type.String({ description: 'Broker that holds it.' }),
    exceptions: Type.Array(Type.Unknown(), {
      description: 'Always empty: what failed is not stored.',
    }),
    numRowsResultSet: count('Rows of the whole result.'),
    ...cursorMembers,
  },
  {
    $id: 'PinotStoredResponse',
    description: "A stored result in the list of Apache Pinot's cursor API.",
  },
);

export type PinotCursorResponse = Static<typeof PinotCursorResponse>;
export type PinotStoredResponse = Static<typeof PinotStoredResponse>;

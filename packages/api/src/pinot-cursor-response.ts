import { Type } from '@quire/core/schema';
import type { Static } from 'typebox';
import { MetadataRecord } from './metadata-record.ts';
import { refer } from './reference.ts';
import { ResultTable } from './result-table.ts';

const count = (description: string) => Type.Integer({ minimum: 0, description });

/**
 * The members that Apache Pinot's cursor API adds to the statistics of a stored result (its class
 * `CursorResponseNative`).
 */
const cursorMembers = {
  offset: count('First row of this page; 0 without a page.'),
  numRows: count('Rows in this page; without a page, of the whole result.'),
  cursorResultWriteTimeMs: count(
    'Always 0: results are stored during the query, whose time is timeUsedMs.',
  ),
  cursorFetchTimeMs: count('Time to find the page, in milliseconds; 0 without a page.'),
  submissionTimeMs: count('Time at which the result was stored, in epoch milliseconds.'),
  expirationTimeMs: count('Time at which the result expires, in epoch milliseconds.'),
  brokerHost: Type.String({ description: 'Host of the broker that holds the result.' }),
  brokerPort: Type.Integer({ description: 'Port of that broker.' }),
  bytesWritten: count('Size of the result in the store, in bytes.'),
};

const tablesQueried = Type.Array(Type.String(), { description: 'The tables that the query read.' });

/** A page of a stored result, or its metadata, in the format of Apache Pinot's cursor API. */
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
      "A page of a stored result in the format of Apache Pinot's cursor API. resultTable is absent if no page was requested, and for a " +
      'result without rows.',
  },
);

/** A stored result in the list of Apache Pinot's cursor API, from the names of its objects. */
export const PinotStoredResponse = Type.Object(
  {
    requestId: Type.String({ description: 'Id of the result.' }),
    brokerId: Type.String({ description: 'Broker that holds the result.' }),
    exceptions: Type.Array(Type.Unknown(), {
      description: 'Always empty: failed queries are not stored.',
    }),
    numRowsResultSet: count('Number of rows in the whole result.'),
    ...cursorMembers,
  },
  {
    $id: 'PinotStoredResponse',
    description: "A stored result in the list of Apache Pinot's cursor API.",
  },
);

export type PinotCursorResponse = Static<typeof PinotCursorResponse>;
export type PinotStoredResponse = Static<typeof PinotStoredResponse>;

import { Type } from '@quire/core/schema';
import type { Static } from 'typebox';
import { MetadataRecord, QueryException } from './metadata-record.ts';
import { stateSchema } from './query-status.ts';
import { refer } from './reference.ts';
import { ResultTable } from './result-table.ts';

/** Query parameters of another page, to append to the results path; null if there is none. */
const PageParameters = (description: string) =>
  Type.Unsafe<string | null>({ type: ['string', 'null'], description });

/**
 * One page of a stored result (SPECIFICATION.md section 2.6). The members from `prevOffsetParams`
 * on are extensions of Quire.
 */
export const CursorResponse = Type.Object(
  {
    resultTable: refer(ResultTable),
    requestId: Type.String({ description: 'Id of the query and of its result, for later calls.' }),
    brokerId: Type.String({ description: 'Broker that holds the result.' }),
    numRowsResultSet: Type.Integer({
      minimum: 0,
      description: 'Number of rows in the whole stored result.',
    }),
    offset: Type.Integer({ minimum: 0, description: 'First row of this page.' }),
    numRows: Type.Integer({ minimum: 0, description: 'Rows in this page.' }),
    nextOffsetParams: PageParameters(
      'Query parameters of the next page; null only if no row follows.',
    ),
    exceptions: Type.Array(refer(QueryException), {
      description: 'Always empty: a page is complete or fails.',
    }),
    brokerHost: Type.Optional(
      Type.String({
        description:
          'Host of the broker, if no other can serve the result; send it as FORWARD_HOST to a proxy.',
      }),
    ),
    brokerPort: Type.Optional(
      Type.Integer({ description: 'Port of that broker; send it as FORWARD_PORT to a proxy.' }),
    ),
    prevOffsetParams: PageParameters(
      'Query parameters of the previous page; null only if offset is 0.',
    ),
    numServersQueried: Type.Integer({ description: 'Always 1; some clients require it.' }),
    numServersResponded: Type.Integer({ description: 'Equal to numServersQueried.' }),
    timeUsedMs: Type.Integer({
      minimum: 0,
      description: 'Duration of the query, in milliseconds.',
    }),
    reused: Type.Optional(
      Type.Boolean({
        description:
          'true if the query did not run: an earlier one has the same answer, and this is its result. Absent otherwise.',
      }),
    ),
    state: Type.Optional(
      stateSchema(
        'RUNNING while the query runs; `numRowsResultSet` is then the number of rows so far, and more may follow. Absent afterwards.',
        ['RUNNING'],
      ),
    ),
  },
  { $id: 'CursorResponse', description: 'One page of a stored result.' },
);

/** The answer to a query without pagination, and to every failed query: no result is stored. */
export const QueryResponse = Type.Object(
  {
    resultTable: Type.Optional(refer(ResultTable)),
    ...MetadataRecord.properties,
  },
  {
    $id: 'QueryResponse',
    description:
      'The whole answer of a query, or the exceptions of a failed one; resultTable is then absent. No result is stored.',
  },
);

/** The answer of the metadata call: an array with one record (SPECIFICATION.md section 4.6). */
export const MetadataResponse = Type.Array(refer(MetadataRecord), {
  $id: 'MetadataResponse',
  minItems: 1,
  maxItems: 1,
  description: 'One record: the metadata of the query.',
});

export type CursorResponse = Static<typeof CursorResponse>;
export type QueryResponse = Static<typeof QueryResponse>;
export type MetadataResponse = Static<typeof MetadataResponse>;

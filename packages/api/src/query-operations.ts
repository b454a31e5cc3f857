import { pageFormatNames, pageFormats, pageHeaders, routePatterns } from '@quire/core/wire';
import { Type } from '@quire/core/schema';
import {
  cacheHeaders,
  errorResponses,
  type Operation,
  pageResponse,
  partResponse,
  responseOf,
  usualHeaders,
  resultErrors,
} from './operation.ts';
import { PinotCursorResponse } from './pinot-cursor-response.ts';
import { QueryBody } from './query-body.ts';
import { CursorResponse, MetadataResponse, QueryResponse } from './query-response.ts';
import { QueryStatus } from './query-status.ts';
import { refer } from './reference.ts';

export const RequestIdParams = Type.Object({
  requestId: Type.String({ description: 'Id of the result: a UUID version 7.' }),
});

const numRows = Type.Optional(
  Type.Integer({
    minimum: 0,
    // The largest double below 2^63, so that the document has its exact value.
    maximum: 2 ** 63 - 1024,
    format: 'int64',
    description: 'Rows in the page, from 0 to 2^63 - 1. Absent or 0: the configured page size.',
  }),
);
const format = Type.Optional(
  Type.Unsafe<string>({
    type: 'string',
    enum: pageFormatNames,
    description: 'Format of the answer; takes precedence over Accept.',
  }),
);
const compression = Type.Optional(
  Type.String({
    pattern: '^(none|zstd|lz4|zstd,lz4|lz4,zstd)$',
    description:
      'With Arrow: the codecs that the caller supports. Batches that are stored with one of these are sent as they are stored, and all others ' +
      'with plain buffers, which every Arrow reader supports. Absent: those in Accept, as in ' +
      `${pageFormats.arrow.mediaType}; compression=zstd, otherwise none.`,
    examples: ['zstd,lz4'],
  }),
);

const formulas = Type.Optional(
  Type.Unsafe<string>({
    type: 'string',
    enum: ['escape'],
    description:
      'With csv: adds an apostrophe before texts (and column names) that start with =, +, -, @, tab or carriage return, which spreadsheets ' +
      'would interpret as formulas; numbers stay numbers. Absent: texts are unchanged, so that a spreadsheet may execute the content of a cell.',
  }),
);

const wait = Type.Optional(
  Type.String({
    description:
      'Time to wait for rows of a running query, such as 500ms or 2s; 0s does not wait. Absent, or above the configured maximum: the maximum.',
    examples: ['2s'],
  }),
);

/** The answer while there are no rows for a page: in JSON, whatever the format. */
const notYet = {
  description: 'The query is waiting for its turn, or has not reported its columns yet: no rows.',
  content: { 'application/json': { schema: refer(QueryStatus) } },
  headers: {
    ...usualHeaders,
    [pageHeaders.state]: { type: 'string', description: 'QUEUED or RUNNING.' },
  },
};

const runQuery: Operation = {
  method: 'POST',
  path: routePatterns.query,
  schema: {
    operationId: 'runQuery',
    summary: 'Run a query',
    description:
      'Runs one SELECT-like statement. With doPaginate=true its whole answer is stored and the first page is returned; ' +
      'otherwise the whole answer is returned and nothing is stored. A query that fails returns 200 with exceptions. ' +
      "With the embedded engine it may read stored results like tables: result('<requestId>').",
    tags: ['query'],
    querystring: Type.Object({
      doPaginate: Type.Optional(
        Type.Boolean({ description: 'Store the answer and return its first page.' }),
      ),
      getCursor: Type.Optional(
        Type.Boolean({
          description:
            "Like doPaginate, in Apache Pinot's format: the answer is a PinotCursorResponse, in JSON.",
        }),
      ),
      async: Type.Optional(
        Type.Boolean({
          description:
            'With doPaginate=true: answer as soon as the rows of the first page exist. The query continues, even if its caller disconnects; ' +
            'its rows can be read while it runs.',
        }),
      ),
      wait,
      numRows,
      format,
      compression,
      formulas,
    }),
    body: QueryBody,
    response: {
      200: pageResponse(
        'The first page of the stored result, the whole answer, or the exceptions of a query that failed.',
        {
          anyOf: [refer(CursorResponse), refer(PinotCursorResponse), refer(QueryResponse)],
        },
      ),
      202: notYet,
      ...errorResponses(
        'ORIGIN_NOT_ALLOWED',
        'INVALID_PARAMETER',
        'INVALID_BODY',
        'NOT_ACCEPTABLE',
        'BODY_TOO_LARGE',
        'UNSUPPORTED_MEDIA_TYPE',
        'TOO_MANY_QUERIES',
        'RESULT_NOT_FOUND',
        'RESULT_EXPIRED',
        'RESULT_EVICTED',
        'RESULT_DELETED',
        'CONFLICT',
        'RESULT_CORRUPT',
        'RESULT_FORMAT_UNKNOWN',
        'STORE_UNAVAILABLE',
      ),
    },
  },
};

const page = pageResponse('The page.', refer(CursorResponse));

const readPage: Operation = {
  method: 'GET',
  path: routePatterns.page,
  schema: {
    operationId: 'readPage',
    summary: 'Read a page of a stored result',
    description:
      'Rows [offset, offset + numRows) of the result, fewer at its end. A page never changes: it has a strong ETag and may be ' +
      'cached until the result expires. While the query runs, a page has the rows so far; the call waits if there are none. ' +
      'After a query that failed or was cancelled, its code and reason are returned instead. ' +
      'For formats other than JSON, Range (and If-Range) returns a part, to resume a download.',
    tags: ['query'],
    params: RequestIdParams,
    querystring: Type.Object({
      offset: Type.Integer({
        minimum: 0,
        description:
          'First row of the page. A value equal to the number of rows returns an empty page.',
      }),
      wait,
      numRows,
      format,
      compression,
      formulas,
    }),
    response: {
      202: notYet,
      200: { ...page, headers: { ...page.headers, ...cacheHeaders } },
      206: partResponse(),
      304: {
        type: 'null',
        description: 'The page has the ETag in If-None-Match.',
        headers: cacheHeaders,
      },
      ...errorResponses(
        'INVALID_PARAMETER',
        'NOT_ACCEPTABLE',
        'OFFSET_OUT_OF_RANGE',
        'QUERY_FAILED',
        'QUERY_CANCELLED',
        'QUERY_LIMIT_EXCEEDED',
        'QUERY_TIMED_OUT',
        'STORE_FULL',
        'RESULT_CORRUPT',
        'RESULT_FORMAT_UNKNOWN',
        ...resultErrors,
      ),
    },
  },
};

const readMetadata: Operation = {
  method: 'GET',
  path: routePatterns.metadata,
  schema: {
    operationId: 'readMetadata',
    summary: 'Read the metadata of a query',
    description: 'The statistics of the query whose result is stored.',
    tags: ['query'],
    params: RequestIdParams,
    response: {
      200: responseOf('An array with one record.', 'application/json', refer(MetadataResponse)),
      ...errorResponses(...resultErrors),
    },
  },
};

export const queryOperations = { runQuery, readPage, readMetadata } as const;

import { Type } from '@quire/core/schema';
import { errorResponses, type Operation, responseOf } from '../operation.ts';
import { expirationHeader } from '@quire/core/wire';
import { queryOperations, RequestIdParams } from '../query-operations.ts';
import { resultOperations } from '../result-operations.ts';
import { refer } from '../reference.ts';
import { PinotCursorResponse, PinotStoredResponse } from '../pinot-cursor-response.ts';
import { pinotPatterns } from './pinot-paths.ts';

const tags = ['pinot'];
const missingCodes = [
  'RESULT_NOT_FOUND',
  'RESULT_EXPIRED',
  'RESULT_EVICTED',
  'RESULT_DELETED',
  'QUERY_ELSEWHERE',
] as const;

const { runQuery } = queryOperations;

/**
 * The path on which Apache Pinot runs queries with its other engine; here the engine is the same.
 */
const runPinotQuery: Operation = {
  ...runQuery,
  path: pinotPatterns.multiStageQuery,
  schema: {
    ...runQuery.schema,
    operationId: 'runPinotQuery',
    summary: 'Run a query on the path of another engine',
    tags,
  },
};

const listPinotResponses: Operation = {
  method: 'GET',
  path: pinotPatterns.responseStore,
  schema: {
    operationId: 'listPinotResponses',
    summary: "List the stored results in Apache Pinot's format",
    description: 'All results that this broker holds, newest first. For admins.',
    tags,
    response: {
      200: responseOf('The results.', 'application/json', {
        type: 'array',
        items: refer(PinotStoredResponse),
      }),
      ...errorResponses('FORBIDDEN', 'STORE_UNAVAILABLE'),
    },
  },
};

const readPinotResponse: Operation = {
  method: 'GET',
  path: pinotPatterns.storedResponse,
  schema: {
    operationId: 'readPinotResponse',
    summary: "Read the metadata of a stored result in Apache Pinot's format",
    description: 'The statistics of the query and the members of the cursor, without rows.',
    tags,
    params: RequestIdParams,
    response: {
      200: responseOf('The result.', 'application/json', refer(PinotCursorResponse)),
      ...errorResponses(
        ...missingCodes,
        'RESULT_CORRUPT',
        'RESULT_FORMAT_UNKNOWN',
        'STORE_UNAVAILABLE',
      ),
    },
  },
};

const page = responseOf('The page.', 'application/json', refer(PinotCursorResponse));
const expirationHeaders = {
  [expirationHeader]: {
    type: 'integer',
    description: 'Time at which the result expires, in epoch milliseconds.',
  },
};

const readPinotPage: Operation = {
  method: 'GET',
  path: pinotPatterns.responsePage,
  schema: {
    operationId: 'readPinotPage',
    summary: "Read a page of a stored result in Apache Pinot's format",
    description:
      'For a page that cannot exist, Apache Pinot answers 500; this server answers 400 or 416 with the same message.',
    tags,
    params: RequestIdParams,
    querystring: Type.Object({
      offset: Type.Optional(
        Type.Integer({ minimum: 0, description: 'First row of the page. Absent: 0.' }),
      ),
      numRows: Type.Optional(
        Type.Integer({
          minimum: 0,
          description: 'Rows in the page. Absent: the configured page size. 0: none.',
        }),
      ),
    }),
    response: {
      200: { ...page, headers: { ...page.headers, ...expirationHeaders } },
      ...errorResponses(
        'INVALID_PARAMETER',
        'OFFSET_OUT_OF_RANGE',
        ...missingCodes,
        'RESULT_CORRUPT',
        'RESULT_FORMAT_UNKNOWN',
        'STORE_UNAVAILABLE',
      ),
    },
  },
};

const { deleteResult, deleteExpiredResults } = resultOperations;

const deletePinotResponse: Operation = {
  ...deleteResult,
  path: pinotPatterns.storedResponse,
  schema: {
    ...deleteResult.schema,
    operationId: 'deletePinotResponse',
    summary: 'Delete a stored result (alternative path)',
    tags,
  },
};

const deleteExpiredPinotResponses: Operation = {
  ...deleteExpiredResults,
  path: pinotPatterns.responseStore,
  schema: {
    ...deleteExpiredResults.schema,
    operationId: 'deleteExpiredPinotResponses',
    summary: 'Delete the expired results (alternative path)',
    tags,
  },
};

/**
 * The calls of Apache Pinot's cursor API that its clients make to a broker, in addition to POST
 * /query/sql.
 */
export const pinotOperations = {
  runPinotQuery,
  listPinotResponses,
  readPinotResponse,
  readPinotPage,
  deletePinotResponse,
  deleteExpiredPinotResponses,
} as const;

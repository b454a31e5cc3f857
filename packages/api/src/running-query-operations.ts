import { errorResponses, type Operation, responseOf, resultErrors } from './operation.ts';
import { routePatterns } from '@quire/core/wire';
import { RequestIdParams } from './query-operations.ts';
import { QueryStatus, RunningQueryList } from './query-status.ts';
import { refer } from './reference.ts';

const readQuery: Operation = {
  method: 'GET',
  path: routePatterns.runningQuery,
  schema: {
    operationId: 'readQuery',
    summary: 'Read the progress of a query',
    description:
      'The state of a query, and the number of rows that can be read so far. The broker remembers the last few thousand failed ' +
      'or cancelled queries until it restarts. For admins, and for the principal that runs the query.',
    tags: ['query'],
    params: RequestIdParams,
    response: {
      200: responseOf('The progress of the query.', 'application/json', refer(QueryStatus)),
      ...errorResponses(...resultErrors),
    },
  },
};

const listQueries: Operation = {
  method: 'GET',
  path: routePatterns.queries,
  schema: {
    operationId: 'listQueries',
    summary: 'List the running queries',
    description:
      "All waiting and running queries of this broker, newest first: all for admins, otherwise the caller's own.",
    tags: ['query'],
    response: {
      200: responseOf('The queries.', 'application/json', refer(RunningQueryList)),
      ...errorResponses(),
    },
  },
};

const cancelQuery: Operation = {
  method: 'DELETE',
  path: routePatterns.runningQuery,
  schema: {
    operationId: 'cancelQuery',
    summary: 'Cancel a query',
    description:
      'Cancels a waiting or running query, paginated or not, and deletes its rows. When the call returns, nothing of it is running. ' +
      'For admins, and for the principal that runs the query.',
    tags: ['query'],
    params: RequestIdParams,
    response: {
      200: responseOf('A confirmation.', 'text/plain', {
        type: 'string',
        examples: ['Query 0190163d-8694-739b-aea5-966c26f8ad91 cancelled.'],
      }),
      ...errorResponses('ORIGIN_NOT_ALLOWED', 'CONFLICT', ...resultErrors),
    },
  },
};

/** The calls about queries that have not ended. */
export const runningQueryOperations = { readQuery, listQueries, cancelQuery } as const;

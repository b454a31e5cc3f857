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
    summary: 'Ask how far a query is',
    description:
      'The state of a query, and how many rows of it can be read by now. Of queries that failed or were cancelled, the broker remembers ' +
      'the last thousands, until it is restarted. For admins, and for the principal that runs the query.',
    tags: ['query'],
    params: RequestIdParams,
    response: {
      200: responseOf('How far it is.', 'application/json', refer(QueryStatus)),
      ...errorResponses(...resultErrors),
    },
  },
};

const listQueries: Operation = {
  method: 'GET',
  path: routePatterns.queries,
  schema: {
    operationId: 'listQueries',
    summary: 'List the queries that run',
    description:
      'All queries of this broker that wait or run, newest first: for admins all, for others their own.',
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
      'Ends a query that waits or runs, paginated or not; its rows go. When the answer comes, nothing of it runs any more. ' +
      'For admins, and for the principal that runs the query.',
    tags: ['query'],
    params: RequestIdParams,
    response: {
      200: responseOf('A sentence that says so.', 'text/plain', {
        type: 'string',
        examples: ['Query 0190163d-8694-739b-aea5-966c26f8ad91 cancelled.'],
      }),
      ...errorResponses('ORIGIN_NOT_ALLOWED', 'CONFLICT', ...resultErrors),
    },
  },
};

/** The calls about queries that have not ended. */
export const runningQueryOperations = { readQuery, listQueries, cancelQuery } as const;

import { Type } from '@quire/core/schema';
import { errorResponses, type Operation, responseOf, resultErrors } from './operation.ts';
import { routePatterns } from '@quire/core/wire';
import { RequestIdParams } from './query-operations.ts';
import {
  OwnedResult,
  OwnedResultListResponse,
  RenewBody,
  ResultListResponse,
  StoredResult,
  UsageResponse,
} from './result-entry.ts';
import { refer } from './reference.ts';

const text = (description: string, example: string) =>
  responseOf(description, 'text/plain', { type: 'string', examples: [example] });

const listResults: Operation = {
  method: 'GET',
  path: routePatterns.resultStore,
  schema: {
    operationId: 'listResults',
    summary: 'List the stored results',
    description:
      "All results of this broker, newest first, for admins; with own=true the caller's, with their queries, for everyone.",
    tags: ['results'],
    querystring: Type.Object({
      own: Type.Optional(
        Type.Boolean({
          description:
            "Only the caller's own results, at most the newest 500, with owner and query. Absent or false: those of all principals, for admins.",
        }),
      ),
    }),
    response: {
      200: responseOf('The results.', 'application/json', {
        anyOf: [refer(ResultListResponse), refer(OwnedResultListResponse)],
      }),
      ...errorResponses('INVALID_PARAMETER', 'FORBIDDEN', 'STORE_UNAVAILABLE'),
    },
  },
};

/**
 * The call that returns the caller's storage. A broker that does not track its storage does not
 * have it.
 */
const readUsage: Operation = {
  method: 'GET',
  path: routePatterns.usage,
  schema: {
    operationId: 'readUsage',
    summary: 'Read the storage that the caller uses',
    description:
      "The number and size of the caller's stored results on this broker, and the limits of its storage. Reads no object.",
    tags: ['results'],
    response: {
      200: responseOf('The usage.', 'application/json', refer(UsageResponse)),
      ...errorResponses(),
    },
  },
};

const readResult: Operation = {
  method: 'GET',
  path: routePatterns.storedResult,
  schema: {
    operationId: 'readResult',
    summary: 'Read the metadata of a stored result',
    description:
      'The entry of the result in the list, its owner and its query. Reads at most one small object, and none if the broker has the result cached. For admins and for its owner.',
    tags: ['results'],
    params: RequestIdParams,
    response: {
      200: responseOf('The result.', 'application/json', refer(OwnedResult)),
      ...errorResponses(...resultErrors),
    },
  },
};

const deleteResult: Operation = {
  method: 'DELETE',
  path: routePatterns.storedResult,
  schema: {
    operationId: 'deleteResult',
    summary: 'Delete a stored result',
    description: 'For admins, and for the principal that ran the query.',
    tags: ['results'],
    params: RequestIdParams,
    response: {
      200: text(
        'A confirmation.',
        'Query Results for 0190163d-8694-739b-aea5-966c26f8ad91 deleted.',
      ),
      ...errorResponses('ORIGIN_NOT_ALLOWED', 'CONFLICT', ...resultErrors),
    },
  },
};

const deleteExpiredResults: Operation = {
  method: 'DELETE',
  path: routePatterns.resultStore,
  schema: {
    operationId: 'deleteExpiredResults',
    summary: 'Delete the expired results',
    description:
      'Deletes every result whose expiration time is at or before the given time. For admins.',
    tags: ['results'],
    querystring: Type.Object({
      expiredBefore: Type.Optional(
        Type.Integer({ minimum: 0, description: 'In epoch milliseconds. Absent: now.' }),
      ),
    }),
    response: {
      200: text('The number of deleted results.', 'Deleted 3 expired response(s).'),
      ...errorResponses(
        'ORIGIN_NOT_ALLOWED',
        'INVALID_PARAMETER',
        'FORBIDDEN',
        'STORE_UNAVAILABLE',
      ),
    },
  },
};

const renewResult: Operation = {
  method: 'PATCH',
  path: routePatterns.storedResult,
  schema: {
    operationId: 'renewResult',
    summary: 'Change the expiration of a stored result',
    description:
      'Sets the expiration to the given time from now, limited by the server. For admins and for its owner.',
    tags: ['results'],
    params: RequestIdParams,
    body: RenewBody,
    response: {
      200: responseOf(
        'The result, with its new expiration time.',
        'application/json',
        refer(StoredResult),
      ),
      ...errorResponses(
        'ORIGIN_NOT_ALLOWED',
        'INVALID_BODY',
        'BODY_TOO_LARGE',
        'UNSUPPORTED_MEDIA_TYPE',
        'CONFLICT',
        'STORE_FULL',
        ...resultErrors,
      ),
    },
  },
};

export const resultOperations = {
  listResults,
  readUsage,
  readResult,
  deleteResult,
  deleteExpiredResults,
  renewResult,
} as const;

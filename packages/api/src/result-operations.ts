import { Type } from 'typebox';
import { errorResponses, type Operation, responseOf, resultErrors } from './operation.ts';
import { routePatterns } from '@quire/core/wire';
import { RequestIdParams } from './query-operations.ts';
import { OwnedResult, RenewBody, ResultListResponse, StoredResult } from './result-entry.ts';
import { refer } from './reference.ts';

const text = (description: string, example: string) =>
  responseOf(description, 'text/plain', { type: 'string', examples: [example] });

const listResults: Operation = {
  method: 'GET',
  path: routePatterns.resultStore,
  schema: {
    operationId: 'listResults',
    summary: 'List the stored results',
    description: 'All results that this broker holds, newest first. For admins.',
    tags: ['results'],
    response: {
      200: responseOf('The results.', 'application/json', refer(ResultListResponse)),
      ...errorResponses('FORBIDDEN', 'STORE_UNAVAILABLE'),
    },
  },
};

const readResult: Operation = {
  method: 'GET',
  path: routePatterns.storedResult,
  schema: {
    operationId: 'readResult',
    summary: 'Read what is known of a stored result',
    description:
      'As the list has it, and whose it is. At most one small object is read, and none for a result that the broker has had in hand. For admins and for its owner.',
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
        'A sentence that says so.',
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
      200: text('How many were deleted.', 'Deleted 3 expired response(s).'),
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
    summary: 'Change when a stored result expires',
    description:
      'It then expires the given time from now, or at the ceiling of the server. For admins and for its owner.',
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
  readResult,
  deleteResult,
  deleteExpiredResults,
  renewResult,
} as const;

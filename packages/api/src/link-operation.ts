import { Type } from '@quire/core/schema';
import type { Static } from 'typebox';
import { errorResponses, type Operation, responseOf, resultErrors } from './operation.ts';
import { routePatterns } from '@quire/core/wire';
import { RequestIdParams } from './query-operations.ts';

/** A link to the data file of a result in the store. */
export const LinkResponse = Type.Object({
  url: Type.String({
    description: 'URL of the whole data file, an Arrow IPC file, for anyone who has it. A secret.',
  }),
  expirationTimeMs: Type.Integer({
    description: 'Time at which the link expires, in epoch milliseconds; never after the result.',
  }),
});
export type LinkResponse = Static<typeof LinkResponse>;

const readLink: Operation = {
  method: 'GET',
  path: routePatterns.link,
  schema: {
    operationId: 'readLink',
    summary: 'Get a link to the data file',
    description:
      'A signed link to the store, from which the stored file is read without the broker. If results are compressed, as in ' +
      'buckets by default, so are its buffers. Only if the server enables it and its store can sign.',
    tags: ['results'],
    params: RequestIdParams,
    querystring: Type.Object({
      format: Type.Optional(
        Type.String({
          description: 'Format of the data file: `arrow`, which is also the default.',
        }),
      ),
    }),
    response: {
      200: responseOf('The link.', 'application/json', LinkResponse),
      ...errorResponses('INVALID_PARAMETER', ...resultErrors),
    },
  },
};

/** Calls that a broker serves only if they are enabled. */
export const linkOperations = { readLink } as const;

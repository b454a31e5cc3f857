import { type Static, Type } from 'typebox';
import { errorResponses, type Operation, responseOf, resultErrors } from './operation.ts';
import { routePatterns } from '@quire/core/wire';
import { RequestIdParams } from './query-operations.ts';

/** A link to the data file of a result, in the store itself. */
export const LinkResponse = Type.Object({
  url: Type.String({
    description: 'Gives the whole data file, an Arrow IPC file, to anyone who has it. A secret.',
  }),
  expirationTimeMs: Type.Integer({
    description: 'When the link ends, in epoch milliseconds; never after the result.',
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
      'A signed link of the store, by which the data comes without the broker, as the file that is stored: where results are compressed, as in ' +
      'buckets by default, so are its buffers. Only where the server allows it, and its store can sign.',
    tags: ['results'],
    params: RequestIdParams,
    querystring: Type.Object({
      format: Type.Optional(
        Type.String({ description: 'What the data file is: `arrow`, also when absent.' }),
      ),
    }),
    response: {
      200: responseOf('The link.', 'application/json', LinkResponse),
      ...errorResponses('INVALID_PARAMETER', ...resultErrors),
    },
  },
};

/** Calls that a broker serves only when it is told to. */
export const linkOperations = { readLink } as const;

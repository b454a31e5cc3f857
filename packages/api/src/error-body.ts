import { type BrokerAddress, type ErrorCode, errorKinds } from '@quire/core/portable';
import { Type } from '@quire/core/schema';
import type { Static } from 'typebox';
import { pageHeaders } from '@quire/core/wire';

/** The body of every response whose status is not 2xx (CONTRACT.md section 2). */
export const ErrorBody = Type.Object(
  {
    code: Type.Integer({ minimum: 400, maximum: 599, description: 'The HTTP status.' }),
    error: Type.String({ description: 'The error, as a sentence.' }),
    reason: Type.Unsafe<ErrorCode>({
      type: 'string',
      enum: Object.keys(errorKinds),
      description: 'The error code, for programs.',
    }),
    brokerHost: Type.Optional(
      Type.String({ description: 'With QUERY_ELSEWHERE: the broker that runs the query.' }),
    ),
    brokerPort: Type.Optional(Type.Integer({ minimum: 0, maximum: 65535 })),
    findings: Type.Optional(
      Type.Array(
        Type.Object({
          path: Type.String({ description: 'JSON pointer to the subject of the problem.' }),
          code: Type.String(),
          message: Type.String(),
          severity: Type.Enum(['error', 'warning', 'info']),
        }),
        { description: 'All problems of a table config or a schema.' },
      ),
    ),
  },
  { $id: 'ErrorBody', description: 'An error.' },
);

export type ErrorBody = Static<typeof ErrorBody>;

/** Returns the members of an error that name the broker which can serve the call. */
export function brokerMembersOf({
  host,
  port,
}: BrokerAddress): Required<Pick<ErrorBody, 'brokerHost' | 'brokerPort'>> {
  return { brokerHost: host, brokerPort: port };
}

/** Returns the same as headers, for clients that do not read bodies. */
export function brokerHeadersOf({ host, port }: BrokerAddress): Record<string, string> {
  return { [pageHeaders.brokerHost]: host, [pageHeaders.brokerPort]: String(port) };
}

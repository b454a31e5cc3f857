import { type BrokerAddress, type ErrorCode, errorKinds } from '@quire/core/portable';
import { type Static, Type } from 'typebox';
import { pageHeaders } from '@quire/core/wire';

/** The body of every response whose status is not 2xx (CONTRACT.md section 2). */
export const ErrorBody = Type.Object(
  {
    code: Type.Integer({ minimum: 400, maximum: 599, description: 'The HTTP status.' }),
    error: Type.String({ description: 'What went wrong, in a sentence.' }),
    reason: Type.Unsafe<ErrorCode>({
      type: 'string',
      enum: Object.keys(errorKinds),
      description: 'What went wrong, for programs.',
    }),
    brokerHost: Type.Optional(
      Type.String({ description: 'With QUERY_ELSEWHERE: where the query runs.' }),
    ),
    brokerPort: Type.Optional(Type.Integer({ minimum: 0, maximum: 65535 })),
    findings: Type.Optional(
      Type.Array(
        Type.Object({
          path: Type.String({ description: 'A JSON pointer to what it is about.' }),
          code: Type.String(),
          message: Type.String(),
          severity: Type.Enum(['error', 'warning', 'info']),
        }),
        { description: 'Everything that is wrong with a table config or a schema.' },
      ),
    ),
  },
  { $id: 'ErrorBody', description: 'What went wrong.' },
);

export type ErrorBody = Static<typeof ErrorBody>;

/** How an error names the broker that can do what was asked. */
export function brokerMembersOf({
  host,
  port,
}: BrokerAddress): Required<Pick<ErrorBody, 'brokerHost' | 'brokerPort'>> {
  return { brokerHost: host, brokerPort: port };
}

/** The same for those who do not read bodies. */
export function brokerHeadersOf({ host, port }: BrokerAddress): Record<string, string> {
  return { [pageHeaders.brokerHost]: host, [pageHeaders.brokerPort]: String(port) };
}

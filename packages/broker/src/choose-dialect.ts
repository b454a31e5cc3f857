import { QuireError, type SqlDialect } from '@quire/core';
import type { BrokerContext } from './broker-context.ts';

/**
 * The language that a query is written in: what its caller says, else what the settings say of the
 * principal. It is never found out from the text. Undefined where the engine has one language only.
 *
 * @throws INVALID_BODY when the engine does not know the language
 */
export function chooseDialect(
  { options: { dialects } }: Pick<BrokerContext, 'options'>,
  principalName: string,
  asked: SqlDialect | undefined,
): SqlDialect | undefined {
  if (dialects === undefined && asked === undefined) return undefined;
  if (asked === undefined) return dialects?.defaultOf(principalName);
  if (dialects?.known.includes(asked) === true) return asked;
  throw new QuireError(
    'INVALID_BODY',
    `dialect in the query options is '${asked}', which the engine of this broker does not know${dialects === undefined ? '' : `: it knows ${dialects.known.join(', ')}`}.`,
  );
}

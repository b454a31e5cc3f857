import {
  parseQueryOptions,
  type QueryBody,
  type QueryOptions,
  parseTrailingOptions,
  takeSetStatements,
} from '@quire/api';
import type { Principal } from '@quire/auth';
import { QuireError, type SqlDialect } from '@quire/core';
import type { BrokerContext } from './broker-context.ts';

/** The text of a query without its options, and the options. */
export interface QueryText {
  readonly sql: string;
  /** The language; undefined if the engine has only one. */
  readonly dialect: SqlDialect | undefined;
  readonly queryOptions: QueryOptions;
}

/**
 * Parses the text of a query and its options. A trailing `OPTION(…)` belongs to the language of
 * Apache Pinot: in another one the text is unchanged.
 *
 * @throws INVALID_BODY when the text is not Unicode, an option is not valid, or the engine does not
 *   know the language
 */
export function parseQueryText(
  context: Pick<BrokerContext, 'options'>,
  { name }: Pick<Principal, 'name'>,
  body: Pick<QueryBody, 'sql' | 'queryOptions'>,
): QueryText {
  // UTF-8 cannot represent it: the engine would read another character.
  if (!body.sql.isWellFormed()) {
    throw new QuireError(
      'INVALID_BODY',
      'sql has half of a surrogate pair; expected Unicode text: a string was cut in the middle of a character.',
    );
  }
  const { sql, options } = takeSetStatements(body.sql);
  const parse = (given: ReadonlyMap<string, string>): QueryOptions =>
    parseQueryOptions(body.queryOptions ?? '', given);
  const queryOptions = parse(options);
  const dialect = chooseDialect(context, name, queryOptions.dialect);
  if (dialect !== 'pinot') return { sql, dialect, queryOptions };
  return { sql, dialect, queryOptions: parse(new Map([...parseTrailingOptions(sql), ...options])) };
}

/**
 * Returns the language of a query: that of its caller, or the default of the principal. It is never
 * guessed from the text. Undefined if the engine has only one.
 *
 * @throws INVALID_BODY when the engine does not know the language
 */
function chooseDialect(
  { options: { dialects } }: Pick<BrokerContext, 'options'>,
  principalName: string,
  asked: SqlDialect | undefined,
): SqlDialect | undefined {
  if (dialects === undefined && asked === undefined) return undefined;
  if (asked === undefined) return dialects?.defaultOf(principalName);
  if (dialects?.known.includes(asked) === true) return asked;
  throw new QuireError(
    'INVALID_BODY',
    `dialect in the query options is '${asked}', which the engine of this broker does not support${dialects === undefined ? '' : `; expected ${dialects.known.join(', ')}`}.`,
  );
}

import {
  parseQueryOptions,
  type QueryBody,
  type QueryOptions,
  readOptionsBehind,
  takeSetStatements,
} from '@quire/api';
import type { Principal } from '@quire/auth';
import { QuireError, type SqlDialect } from '@quire/core';
import type { BrokerContext } from './broker-context.ts';

/** The text of a query without what is said about it, and what that is. */
export interface QueryText {
  readonly sql: string;
  /** Undefined where the engine has one language only. */
  readonly dialect: SqlDialect | undefined;
  readonly queryOptions: QueryOptions;
}

/**
 * Reads the text of a query and its options. Those that stand behind it, in `OPTION(…)`, belong to
 * the language of Apache Pinot: in another one the text stays as it is.
 *
 * @throws INVALID_BODY when an option is not valid, or the engine does not know the language
 */
export function parseQueryText(
  context: Pick<BrokerContext, 'options'>,
  { name }: Pick<Principal, 'name'>,
  body: Pick<QueryBody, 'sql' | 'queryOptions'>,
): QueryText {
  const { sql, options } = takeSetStatements(body.sql);
  const parse = (given: ReadonlyMap<string, string>): QueryOptions =>
    parseQueryOptions(body.queryOptions ?? '', given);
  const queryOptions = parse(options);
  const dialect = chooseDialect(context, name, queryOptions.dialect);
  if (dialect !== 'pinot') return { sql, dialect, queryOptions };
  return { sql, dialect, queryOptions: parse(new Map([...readOptionsBehind(sql), ...options])) };
}

/**
 * The language that a query is written in: what its caller says, else what the settings say of the
 * principal. It is never found out from the text. Undefined where the engine has one language only.
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
    `dialect in the query options is '${asked}', which the engine of this broker does not know${dialects === undefined ? '' : `: it knows ${dialects.known.join(', ')}`}.`,
  );
}

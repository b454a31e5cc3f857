import { QuireError, type SqlDialect, sqlDialects } from '@quire/core/portable';
import { Type } from '@quire/core/schema';
import type { Static } from 'typebox';
import { QueryParameterValues } from './query-parameters.ts';

/**
 * Matches `key=value` pairs separated by semicolons, of which some may be empty: the input of
 * `parseQueryOptions`, without checking the values of known options.
 */
const queryOptionsPattern = String.raw`^\s*(?:[^;=\s][^;=]*=[^;=]*)?(?:;\s*(?:[^;=\s][^;=]*=[^;=]*)?)*$`;

/** Body of POST /query/sql. Unknown members are ignored, because drivers send their own. */
export const QueryBody = Type.Object(
  {
    sql: Type.String({
      minLength: 1,
      description: 'One SELECT-like statement.',
      examples: ['SELECT 42 AS answer'],
    }),
    queryOptions: Type.Optional(
      Type.String({
        pattern: queryOptionsPattern,
        description:
          'Options as key=value pairs, separated by semicolons. Known options are timeoutMs, getCursor, cursorNumRows, reuseResults and dialect (duckdb or pinot). Others are passed to the engine: DuckDB has none, Apache Pinot has its own, such as useMultistageEngine=true.',
        examples: ['timeoutMs=20000'],
      }),
    ),
    parameters: Type.Optional(QueryParameterValues),
    trace: Type.Optional(
      // An enum of both types breaks client generators.
      Type.Unsafe<boolean | string>({
        anyOf: [{ type: 'boolean' }, { type: 'string', enum: ['true', 'false'] }],
        description:
          'Requests a trace from Apache Pinot, returned in traceInfo; ignored by the embedded engine.',
      }),
    ),
  },
  { additionalProperties: true, description: 'The query.' },
);

export type QueryBody = Static<typeof QueryBody>;

/** The parsed options of a query. */
export interface QueryOptions {
  /** The caller's timeout, limited by the server's. */
  readonly timeoutMs?: number;
  /** True if the answer is stored and returned in the format of Apache Pinot's cursors. */
  readonly isCursor?: boolean;
  /** Rows of the first page of such a cursor. */
  readonly cursorRowCount?: number;
  /** True if the result of an earlier query may be reused, if the server allows that. */
  readonly mayReuse?: boolean;
  /** The language of the query, if the caller sets it. */
  readonly dialect?: SqlDialect;
  /** The options that only the engine may know. */
  readonly others: Readonly<Record<string, string>>;
}

const ownOptions: ReadonlySet<string> = new Set([
  'timeoutMs',
  'getCursor',
  'cursorNumRows',
  'reuseResults',
  'dialect',
]);

/**
 * Parses `queryOptions`: `key=value` pairs separated by `;`. Unknown options are passed to the
 * engine, because the drivers of compatible systems always send some
 * (`groupByMode=sql;responseFormat=sql`). Options in `given` take precedence.
 *
 * @throws INVALID_BODY when a piece is not a pair, or the value of a known option is not valid
 */
export function parseQueryOptions(
  text: string,
  given: ReadonlyMap<string, string> = new Map(),
): QueryOptions {
  const options = new Map<string, string>();
  for (const piece of text.split(';')) {
    if (piece.trim() === '') continue;
    const [key = '', value, ...rest] = piece.split('=');
    if (value === undefined || key.trim() === '' || rest.length > 0) {
      throw new QuireError(
        'INVALID_BODY',
        `queryOptions has '${piece.trim()}'; expected key=value pairs separated by ';'.`,
      );
    }
    options.set(key.trim(), value.trim());
  }
  for (const [key, value] of given) options.set(key, value);
  const [timeoutMs, getCursor, cursorNumRows, reuseResults, dialect] = [...ownOptions].map((key) =>
    options.get(key),
  );
  return {
    others: Object.fromEntries([...options].filter(([key]) => !ownOptions.has(key))),
    ...(timeoutMs !== undefined && { timeoutMs: parseTimeoutMs(timeoutMs) }),
    ...(getCursor !== undefined && { isCursor: parseBoolean('getCursor', getCursor) }),
    ...(cursorNumRows !== undefined && { cursorRowCount: parseCursorRowCount(cursorNumRows) }),
    ...(reuseResults !== undefined && { mayReuse: parseBoolean('reuseResults', reuseResults) }),
    ...(dialect !== undefined && { dialect: parseDialect(dialect) }),
  };
}

function parseBoolean(name: string, text: string): boolean {
  const value = text.toLowerCase();
  if (value === 'true' || value === 'false') return value === 'true';
  throw new QuireError(
    'INVALID_BODY',
    `${name} in the query options is '${text}'; expected true or false.`,
  );
}

function parseDialect(text: string): SqlDialect {
  const dialect = sqlDialects.find((each) => each === text.toLowerCase());
  if (dialect !== undefined) return dialect;
  throw new QuireError(
    'INVALID_BODY',
    `dialect in the query options is '${text.slice(0, 40)}'; expected ${sqlDialects.join(' or ')}.`,
  );
}

function parseCursorRowCount(text: string): number {
  const rowCount = /^[0-9]{1,10}$/.test(text) ? Number(text) : 0;
  if (rowCount >= 1 && rowCount < 2 ** 31) return rowCount;
  throw new QuireError(
    'INVALID_BODY',
    `cursorNumRows must be a number between 1 and 2^31-1, got: ${text}`,
  );
}

function parseTimeoutMs(text: string): number {
  const timeoutMs = /^[0-9]+$/.test(text) ? Number(text) : 0;
  if (timeoutMs < 1 || !Number.isSafeInteger(timeoutMs)) {
    throw new QuireError(
      'INVALID_BODY',
      `timeoutMs in queryOptions is '${text}'; expected an integer ≥ 1, in milliseconds.`,
    );
  }
  return timeoutMs;
}

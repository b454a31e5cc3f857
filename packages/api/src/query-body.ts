import { QuireError, type SqlDialect, sqlDialects } from '@quire/core/portable';
import { type Static, Type } from 'typebox';
import { QueryParameterValues } from './query-parameters.ts';

/**
 * `key=value` pairs with semicolons between, some of which may be empty: what `parseQueryOptions`
 * takes, but for the values of the options it knows.
 */
const queryOptionsPattern = String.raw`^\s*(?:[^;=\s][^;=]*=[^;=]*)?(?:;\s*(?:[^;=\s][^;=]*=[^;=]*)?)*$`;

/**
 * Body of POST /query/sql. Members that are not listed are ignored: drivers send some of their own.
 */
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
          'Options as key=value pairs, joined by semicolons. timeoutMs, getCursor, cursorNumRows, reuseResults and dialect (duckdb or pinot) are known; others are for the engine: DuckDB has none, Apache Pinot has its own, as useMultistageEngine=true.',
        examples: ['timeoutMs=20000'],
      }),
    ),
    parameters: Type.Optional(QueryParameterValues),
    trace: Type.Optional(
      // One enum of both types breaks generators of clients.
      Type.Unsafe<boolean | string>({
        anyOf: [{ type: 'boolean' }, { type: 'string', enum: ['true', 'false'] }],
        description:
          'Asks Apache Pinot for a trace, which is then in traceInfo; means nothing to the embedded engine.',
      }),
    ),
  },
  { additionalProperties: true, description: 'The query.' },
);

export type QueryBody = Static<typeof QueryBody>;

/** The options of a query that mean something here. */
export interface QueryOptions {
  /** The caller's own time limit; the server's is the ceiling. */
  readonly timeoutMs?: number;
  /** Whether the answer is stored and comes as Apache Pinot's cursors do. */
  readonly isCursor?: boolean;
  /** Rows of the first page of such a cursor. */
  readonly cursorRowCount?: number;
  /**
   * Whether the result of an earlier query may be the answer, where the server does that at all.
   */
  readonly mayReuse?: boolean;
  /** What the query is written in, where the caller says so. */
  readonly dialect?: SqlDialect;
  /** Those that mean something to the engine only, if to anybody. */
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
 * Reads `queryOptions`: `key=value` pairs joined by `;`. Options that are not known are left to the
 * engine, since the drivers of compatible systems always send some
 * (`groupByMode=sql;responseFormat=sql`). Those `given` elsewhere go before them.
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
        `queryOptions has '${piece.trim()}'; expected key=value pairs joined by ';'.`,
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

import type { SqlToken } from './sql-tokens.ts';

/**
 * A selection of columns of one table, which can be requested for a part of the table at a time.
 */
export interface Selection {
  /** As the query spells it, with or without the suffix of a half. */
  readonly tableName: string;
  /** Returns the same selection of the rows of one segment. */
  readonly sqlOf: (segmentName: string) => string;
}

/** Keywords that make rows depend on each other, or on more than one table. */
const unsupportedWords: ReadonlySet<string> = new Set([
  'DISTINCT',
  'GROUP',
  'HAVING',
  'ORDER',
  'LIMIT',
  'OFFSET',
  'FETCH',
  'JOIN',
  'UNION',
  'INTERSECT',
  'EXCEPT',
  'OVER',
  'OPTION',
  'EXPLAIN',
  'WITH',
  'SET',
]);
const limitMax = 2 ** 31 - 1;

/**
 * Plans `SELECT columns FROM table [WHERE condition]` as one query per segment; undefined for all
 * other queries. Columns are names and `*`: only Apache Pinot knows whether a function is an
 * aggregation.
 */
export function planSelection(sql: string, given: readonly SqlToken[]): Selection | undefined {
  const tokens = given.at(-1)?.text === ';' ? given.slice(0, -1) : given;
  const isWord = (token: SqlToken | undefined, text: string): boolean =>
    token?.kind === 'word' && token.text === text;
  if (!isWord(tokens[0], 'SELECT') || tokens.some(({ text }) => text === ';')) return undefined;
  const from = tokens.findIndex((token) => isWord(token, 'FROM'));
  const [table, where] = [tokens[from + 1], tokens[from + 2]];
  if (from < 2 || (table?.kind !== 'word' && table?.kind !== 'name')) return undefined;
  if (tokens.slice(1, from).some(({ text }) => text === '(')) return undefined;
  if (tokens.some(({ kind, text }) => kind === 'word' && unsupportedWords.has(text))) {
    return undefined;
  }
  if (tokens.filter((token) => isWord(token, 'SELECT')).length > 1) return undefined;
  if (where !== undefined && !isWord(where, 'WHERE')) return undefined;
  const head = sql.slice(0, table.end);
  const condition = where === undefined ? undefined : sql.slice(where.end, tokens.at(-1)?.end);
  return {
    tableName: sql.slice(table.start, table.end).replaceAll(/^["`]|["`]$/g, ''),
    sqlOf: (segmentName) => {
      const ofSegment = `$segmentName = '${segmentName.replaceAll("'", "''")}'`;
      return `${head} WHERE ${condition === undefined ? '' : `(${condition}\n) AND `}${ofSegment} LIMIT ${limitMax}`;
    },
  };
}

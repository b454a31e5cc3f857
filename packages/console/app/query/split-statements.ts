/** A statement, and its start in the text that it is part of. */
export interface Statement {
  readonly sql: string;
  readonly from: number;
}

/**
 * Matches quotes, comments and dollar quotes, in which a semicolon means nothing, or a semicolon
 * that ends a statement. An unclosed one extends to the end of the text; a doubled quote closes and
 * reopens. In E'…', a backslash escapes a quote.
 */
const parts =
  /(?<![\w$])[Ee]'[^'\\]*(?:(?:\\[^]?|'')[^'\\]*)*(?:'|$)|'[^']*(?:'|$)|"[^"]*(?:"|$)|--[^\n]*|\/\*[^]*?(?:\*\/|$)|\$(\w*)\$[^]*?(?:\$\1\$|$)|;/g;

/**
 * Returns the statements of a text, without the semicolons between them. A SET belongs to the
 * statement after it, whose options it sets.
 */
export function splitStatements(text: string): readonly Statement[] {
  const ends = [...text.matchAll(parts)].filter(([part]) => part === ';').map(({ index }) => index);
  const statements: Statement[] = [];
  let from = 0;
  for (const end of [...ends, text.length]) {
    const sql = text.slice(from, end);
    const said = withoutComments(sql);
    const isOption = /^\s*SET\s/i.test(said) && lastOf(said).startsWith('SET');
    if (isOption && end < text.length) continue;
    const indent = sql.length - sql.trimStart().length;
    if (said.trim() !== '') statements.push({ sql: sql.trim(), from: from + indent });
    from = end + 1;
  }
  return statements;
}

const tracing = 'SET trace = true;';

/** Returns a statement whose result has the engine's trace, on Apache Pinot. */
export function profiled(sql: string): string {
  return isProfiled(sql) ? sql : `${tracing} ${sql}`;
}

/** Reports whether `profiled` has returned a statement. */
export function isProfiled(sql: string): boolean {
  return sql.startsWith(tracing);
}

/** Returns a statement with `EXPLAIN` before its query, after its SETs. */
export function explained(sql: string, words: 'EXPLAIN PLAN FOR' | 'EXPLAIN ANALYZE'): string {
  const { options, query } = splitOptions(sql);
  return `${options}${words} ${query}`;
}

/** Returns the SETs before the query of a statement, with the space that follows, and the query. */
export function splitOptions(sql: string): { readonly options: string; readonly query: string } {
  const last = [...sql.matchAll(parts)].findLast(([part]) => part === ';');
  if (last === undefined) return { options: '', query: sql.trimStart() };
  const start = last.index + 1;
  return { options: `${sql.slice(0, start)} `, query: sql.slice(start).trimStart() };
}

/** Returns what follows the last semicolon of a text, in upper case. */
function lastOf(text: string): string {
  return (text.split(';').at(-1) ?? '').trim().toUpperCase();
}

function withoutComments(sql: string): string {
  return sql.replaceAll(/--[^\n]*|\/\*[^]*?(?:\*\/|$)/g, ' ');
}

/** Matches one `SET name = value;` at the start of a text: the value in quotes, or a word. */
const setStatement =
  /^\s*SET\s+([A-Za-z][A-Za-z0-9_.]{0,127})\s*=\s*(?:'([^']{0,1000})'|"([^"]{0,1000})"|([^\s;'"]{1,1000}))\s*;/i;

/**
 * Removes the `SET name = value;` statements from the start of a query, with which Apache Pinot's
 * clients set query options. The rest of the query is unchanged; a SET of another form stays in it.
 */
export function takeSetStatements(text: string): {
  readonly sql: string;
  readonly options: ReadonlyMap<string, string>;
} {
  const options = new Map<string, string>();
  let sql = text;
  for (let match = setStatement.exec(sql); match !== null; match = setStatement.exec(sql)) {
    const [statement, name = '', inSingle, inDouble, word] = match;
    options.set(name, inSingle ?? inDouble ?? word ?? '');
    sql = sql.slice(statement.length).trimStart();
  }
  return { sql, options };
}

/**
 * Matches `OPTION(name = value, …)`, what may follow it (comments, as Apache Calcite reads them,
 * semicolons and spaces), or a part of the query that may not.
 */
const pieces =
  /\boption\s*\((?<given>[^()]{0,4000})\)|(?<blank>(?:--|\/\/)[^\n\r]*|\/\*[\s\S]*?(?:\*\/|$)|[;\s]+)|'[^']*(?:'|$)|"[^"]*(?:"|$)|\w+|[^\w\s;'"/-]+|[\s\S]/gi;

/**
 * Parses the query options in `OPTION(…)` at the end of a query in Apache Pinot's SQL. The text is
 * unchanged: they are part of its grammar. It is read once, from its start: a pattern for its end
 * would be tried at each `OPTION(`.
 */
export function parseTrailingOptions(text: string): ReadonlyMap<string, string> {
  const options = new Map<string, string>();
  if (!/\boption\s*\(/i.test(text)) return options;
  for (const { groups } of text.matchAll(pieces)) {
    if (groups?.['blank'] !== undefined) continue;
    const given = groups?.['given'];
    if (given === undefined) options.clear();
    else addOptions(options, given);
  }
  return options;
}

function addOptions(options: Map<string, string>, given: string): void {
  for (const piece of given.split(',')) {
    const equals = piece.indexOf('=');
    const name = piece.slice(0, Math.max(0, equals)).trim();
    if (!/^[A-Za-z][\w.]*$/.test(name)) continue;
    const value = piece.slice(equals + 1).trim();
    options.set(name, value.replace(/^(['"])(.*)\1$/s, '$2'));
  }
}

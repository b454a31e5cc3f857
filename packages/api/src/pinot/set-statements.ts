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

/** Matches `OPTION(name = value, …)` at the end of a text. */
const trailingOptionsPattern = /\boption\s*\(([^()]{0,4000})\)\s*;?\s*$/i;

/**
 * Parses the query options in `OPTION(…)` at the end of a query in Apache Pinot's SQL. The text is
 * unchanged: they are part of its grammar.
 */
export function parseTrailingOptions(text: string): ReadonlyMap<string, string> {
  const found = trailingOptionsPattern.exec(text);
  const options = new Map<string, string>();
  // A comment extends to the end of its line.
  if (found === null || text.slice(0, found.index).split('\n').at(-1)?.includes('--') === true) {
    return options;
  }
  for (const [name, value] of parseTrailingOptions(text.slice(0, found.index))) {
    options.set(name, value);
  }
  for (const piece of found[1]?.split(',') ?? []) {
    const [, name, value] = /^\s*([A-Za-z][\w.]*)\s*=\s*(.*?)\s*$/s.exec(piece) ?? [];
    if (name !== undefined) options.set(name, (value ?? '').replace(/^(['"])(.*)\1$/s, '$2'));
  }
  return options;
}

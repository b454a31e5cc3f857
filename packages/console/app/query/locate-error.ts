/** The position of an error in a query: characters `[from, to)` of its text. */
export interface ErrorRange {
  readonly from: number;
  readonly to: number;
}

/**
 * Finds the position that an engine's message refers to: a line that it quotes with a mark below,
 * or a name in it. Undefined when it names none.
 */
export function locateError(message: string, sql: string): ErrorRange | undefined {
  return quotedPlace(message, sql) ?? namedPlace(message, sql);
}

function quotedPlace(message: string, sql: string): ErrorRange | undefined {
  const quoted = /^LINE (\d+): (.*)\n( *)\^/m.exec(message);
  if (quoted === null) return undefined;
  const [, number = '1', excerpt = '', indent = ''] = quoted;
  const lines = sql.split('\n');
  const line = lines[Number(number) - 1];
  if (line === undefined) return undefined;
  const lineStart = lines
    .slice(0, Number(number) - 1)
    .reduce((sum, { length }) => sum + length + 1, 0);
  // The engine quotes a part of a long line, with dots where it has truncated it.
  const cutStart = excerpt.startsWith('...') ? 3 : 0;
  const part = excerpt.slice(cutStart).replace(/\.\.\.$/, '');
  const column = line.indexOf(part) + indent.length - `LINE ${number}: `.length - cutStart;
  if (!line.includes(part) || column < 0) return undefined;
  return wordAt(sql, lineStart + column);
}

function namedPlace(message: string, sql: string): ErrorRange | undefined {
  const [, name] = /^Table (\S+) does not exist/.exec(message) ?? [];
  const index =
    name === undefined ? -1 : sql.search(new RegExp(`(?<![\\w$])${escaped(name)}(?![\\w$])`));
  return name === undefined || index < 0 ? undefined : { from: index, to: index + name.length };
}

/**
 * Returns the word that begins at a position, or one character if no word begins there. At the end
 * of the text, returns the last word.
 */
function wordAt(sql: string, from: number): ErrorRange | undefined {
  if (sql === '') return undefined;
  const start = Math.min(from, sql.length - 1);
  const [word = ''] = /^[\w$.]*/.exec(sql.slice(start)) ?? [];
  return { from: start, to: start + Math.max(1, word.length) };
}

function escaped(name: string): string {
  return name.replaceAll(/[$()*+.?[\\\]^{|}]/g, '\\$&');
}

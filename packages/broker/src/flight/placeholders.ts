/**
 * Matches strings, quoted names and comments, which are skipped, or a parameter: `?`, or `$` and a
 * number.
 */
const pieces = /'[^']*(?:'|$)|"[^"]*(?:"|$)|--[^\n]*|\/\*[\s\S]*?(?:\*\/|$)|\?|\$(?<number>\d+)/g;

/**
 * Counts the parameters of a statement by position. It is an estimate without a parser: the engine
 * checks them when the statement runs.
 */
export function placeholderCountOf(sql: string): number {
  let count = 0;
  let highest = 0;
  for (const { 0: piece, groups } of sql.matchAll(pieces)) {
    if (piece === '?') count += 1;
    highest = Math.max(highest, Number(groups?.['number'] ?? 0));
  }
  return Math.max(count, highest);
}

/**
 * Texts, names in quotes and comments, which are passed over; else a parameter: `?`, or `$` and a
 * number.
 */
const pieces = /'[^']*(?:'|$)|"[^"]*(?:"|$)|--[^\n]*|\/\*[\s\S]*?(?:\*\/|$)|\?|\$(?<number>\d+)/g;

/** Counts the parameters by position in SQL. The engine has the last word on what is one. */
export function placeholderCountOf(sql: string): number {
  let count = 0;
  let highest = 0;
  for (const { 0: piece, groups } of sql.matchAll(pieces)) {
    if (piece === '?') count += 1;
    highest = Math.max(highest, Number(groups?.['number'] ?? 0));
  }
  return Math.max(count, highest);
}

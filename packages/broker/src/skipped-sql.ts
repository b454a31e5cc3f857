/**
 * The source of a pattern that matches what is not looked into without a parser: texts, quoted
 * names, comments and words. An unclosed match extends to the end of the SQL. Texts are those of
 * all engines: `'…'`, and DuckDB's `E'\'…'`, `$$…$$` and `$tag$…$tag$`.
 */
export const skippedSql = [
  String.raw`[eE]'(?:[^'\\]|''|\\[\s\S]?)*(?:'|$)`,
  String.raw`'[^']*(?:'|$)`,
  String.raw`"[^"]*(?:"|$)`,
  String.raw`--[^\n\r]*`,
  String.raw`\/\*[\s\S]*?(?:\*\/|$)`,
  String.raw`\$(?<tag>(?:[A-Za-z_\u0080-\uffff][\w\u0080-\uffff]*)?)\$[\s\S]*?(?:\$\k<tag>\$|$)`,
  String.raw`[A-Za-z_\u0080-\uffff][\w$\u0080-\uffff]*`,
].join('|');

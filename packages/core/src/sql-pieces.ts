/**
 * The source of a pattern that matches a text, a quoted name or a word in SQL, which contain no
 * comment, bracket, semicolon or parameter of their statement. An unclosed one extends to the end.
 * Texts are those of all engines: `'…'`, and DuckDB's `E'\'…'`, `$$…$$` and `$tag$…$tag$`.
 */
export const sqlPiece = [
  String.raw`[eE]'(?:[^'\\]|''|\\[\s\S]?)*(?:'|$)`,
  String.raw`'[^']*(?:'|$)`,
  String.raw`"[^"]*(?:"|$)`,
  String.raw`\$(?<tag>(?:[A-Za-z_\u0080-\uffff][\w\u0080-\uffff]*)?)\$[\s\S]*?(?:\$\k<tag>\$|$)`,
  String.raw`[A-Za-z_\u0080-\uffff][\w$\u0080-\uffff]*`,
].join('|');

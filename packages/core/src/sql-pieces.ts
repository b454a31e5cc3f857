/**
 * The characters of words beyond ASCII: all but the spaces that DuckDB reads as such, which texts
 * copied from documents and web pages contain.
 */
const letters = String.raw`\u0080-\u009f\u00a1-\u1fff\u200c-\u202e\u2030-\u205e\u2061-\u2fff\u3001-\ufefe\uff00-\uffff`;

/**
 * The source of a pattern that matches a text, a quoted name or a word in SQL, which contain no
 * comment, bracket, semicolon or parameter of their statement. An unclosed one extends to the end.
 * Texts are those of all engines: `'…'`, and DuckDB's `E'\'…'`, `$$…$$` and `$tag$…$tag$`.
 */
export const sqlPiece = [
  String.raw`[eE]'[^'\\]*(?:(?:''|\\[\s\S]?)[^'\\]*)*(?:'|$)`,
  String.raw`'[^']*(?:'|$)`,
  String.raw`"[^"]*(?:"|$)`,
  String.raw`\$(?<tag>(?:[A-Za-z_${letters}][\w${letters}]*)?)\$[\s\S]*?(?:\$\k<tag>\$|$)`,
  String.raw`[A-Za-z_${letters}][\w$${letters}]*`,
].join('|');

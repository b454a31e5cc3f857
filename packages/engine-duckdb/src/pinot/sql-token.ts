/** A piece of SQL. All pieces in a row are the text again. */
export interface SqlToken {
  readonly kind: 'word' | 'name' | 'text' | 'number' | 'symbol' | 'blank';
  readonly text: string;
}

/**
 * The kinds in order: blanks are spaces and comments, names are quoted, and what nothing else is is
 * a symbol of one character.
 */
const pattern =
  /(?<blank>\s+|--[^\n]*|\/\*[\s\S]*?(?:\*\/|$))|(?<text>'(?:[^']|'')*'?|\$(?<tag>[A-Za-z_]*)\$[\s\S]*?(?:\$\k<tag>\$|$))|(?<name>"(?:[^"]|"")*"?)|(?<number>\d[\w.]*)|(?<word>[\p{L}_][\p{L}\p{N}_$]*)|[\s\S]/gu;

export function tokensOf(sql: string): readonly SqlToken[] {
  return Array.from(sql.matchAll(pattern), ({ 0: text, groups = {} }): SqlToken => {
    if (groups['blank'] !== undefined) return { kind: 'blank', text };
    if (groups['text'] !== undefined) return { kind: 'text', text };
    if (groups['name'] !== undefined) return { kind: 'name', text };
    if (groups['number'] !== undefined) return { kind: 'number', text };
    return { kind: groups['word'] === undefined ? 'symbol' : 'word', text };
  });
}

/** Whether a token is this keyword, or name of a function: in any case, without quotes. */
export function isWord(token: SqlToken | undefined, word: string): boolean {
  return token?.kind === 'word' && token.text.toUpperCase() === word;
}

/** The content of a text in single quotes; undefined for other tokens. */
export function contentOf(token: SqlToken | undefined): string | undefined {
  if (token?.kind !== 'text' || !token.text.startsWith("'")) return undefined;
  return token.text.slice(1, -1).replaceAll("''", "'");
}

import type { QuireError } from '@quire/core';
import type { Name } from './syntax.ts';
import { type SqlToken, syntaxError, tokensOf } from './sql-token.ts';

/** Words that must be quoted as the name of a column, a table or an alias. */
const reserved: ReadonlySet<string> = new Set(
  (
    'ALL AND AS BETWEEN BY CASE CROSS DISTINCT ELSE END EXCEPT EXISTS FROM FULL GROUP HAVING IN INNER INTERSECT IS JOIN LEFT LIKE LIMIT ' +
    'NATURAL NOT NULL OFFSET ON OPTION OR ORDER OUTER OVER QUALIFY RIGHT SELECT THEN UNION USING WHEN WHERE WINDOW WITH'
  ).split(' '),
);

const depthMax = 200;

/** Reads the tokens of a query one after another. */
export class TokenReader {
  readonly #sql: string;
  readonly #tokens: readonly SqlToken[];
  #position = 0;
  #depth = 0;

  /** @throws QUERY_SYNTAX */
  constructor(sql: string) {
    this.#sql = sql;
    this.#tokens = tokensOf(sql);
  }

  get next(): SqlToken {
    return this.at(0);
  }

  /** The end of the previous token. */
  get lastEnd(): number {
    return this.#tokens[this.#position - 1]?.end ?? 0;
  }

  at(distance: number): SqlToken {
    const index = Math.min(this.#position + distance, this.#tokens.length - 1);
    return this.#tokens[index] as SqlToken;
  }

  /** Returns a token in upper case if it is a word: a keyword, or a name without quotes. */
  wordAt(distance: number): string | undefined {
    const { kind, text } = this.at(distance);
    return kind === 'word' ? text.toUpperCase() : undefined;
  }

  advance(): SqlToken {
    const token = this.next;
    this.#position += 1;
    return token;
  }

  takeWord(word: string): boolean {
    return this.takeWords(word);
  }

  takeWords(...words: readonly string[]): boolean {
    const isThere = words.every((word, index) => this.wordAt(index) === word);
    if (isThere) this.#position += words.length;
    return isThere;
  }

  takeSymbol(symbol: string): boolean {
    const isThere = this.next.kind === 'symbol' && this.next.text === symbol;
    if (isThere) this.#position += 1;
    return isThere;
  }

  expectWord(word: string): SqlToken {
    if (this.wordAt(0) !== word) throw this.unexpected(word);
    return this.advance();
  }

  expectSymbol(symbol: string): SqlToken {
    if (this.next.kind !== 'symbol' || this.next.text !== symbol) {
      throw this.unexpected(`‘${symbol}’`);
    }
    return this.advance();
  }

  /** Reports whether a name follows: a word that is not reserved, or a quoted one. */
  isName(): boolean {
    return this.next.kind === 'name' || (this.next.kind === 'word' && !this.isReserved());
  }

  isReserved(): boolean {
    return reserved.has(this.wordAt(0) ?? '');
  }

  expectName(what: string): Name {
    // LEFT and RIGHT are functions if a bracket follows.
    const isFunction = /^(?:LEFT|RIGHT)$/.test(this.wordAt(0) ?? '') && this.at(1).text === '(';
    if (!this.isName() && !isFunction) throw this.unexpected(what);
    const { text, start, end } = this.advance();
    return { text, start, end };
  }

  /** Parses a part that may be nested in itself. @throws QUERY_SYNTAX when it is nested too deep */
  nest<T>(parse: () => T): T {
    this.#depth += 1;
    if (this.#depth > depthMax) {
      throw syntaxError(
        this.#sql,
        this.next.start,
        `parts are nested more than ${depthMax} levels deep`,
      );
    }
    try {
      return parse();
    } finally {
      this.#depth -= 1;
    }
  }

  unexpected(expected: string): QuireError {
    const { kind, start, end } = this.next;
    const found =
      kind === 'end' ? 'the query ends' : `found ‘${this.#sql.slice(start, end).slice(0, 80)}’`;
    return syntaxError(this.#sql, start, `expected ${expected}, but ${found}`);
  }
}

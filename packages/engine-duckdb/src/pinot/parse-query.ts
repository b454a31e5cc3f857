import { ExpressionParser } from './parse-expression.ts';
import type {
  Alias,
  Body,
  Expression,
  Name,
  NamedQuery,
  Query,
  Select,
  Source,
  Window,
} from './syntax.ts';
import { TokenReader } from './token-reader.ts';

/** A statement of Apache Pinot's SQL: a query, and its options. */
export interface Statement {
  readonly query: Query;
  /** The options of leading `SET name = value;` and of a trailing `OPTION(name = value)`. */
  readonly options: ReadonlyMap<string, string>;
  /** True if the plan of the query is requested instead of its rows. */
  readonly isPlan: boolean;
}

/** Parses one statement. @throws QUERY_SYNTAX with the position of an unexpected token */
export function parseStatement(sql: string): Statement {
  return new QueryParser(sql).statement();
}

class QueryParser {
  readonly #reader: TokenReader;
  readonly #expressions: ExpressionParser;

  constructor(sql: string) {
    this.#reader = new TokenReader(sql);
    this.#expressions = new ExpressionParser(this.#reader, () => this.#parseQuery());
  }

  statement(): Statement {
    const reader = this.#reader;
    const options = new Map<string, string>();
    while (reader.takeWord('SET')) {
      this.#parseOption(options);
      reader.expectSymbol(';');
    }
    const isPlan = reader.takeWord('EXPLAIN');
    if (isPlan) this.#skipPlanWords();
    const query = this.#parseQuery();
    while (reader.takeWord('OPTION')) {
      reader.expectSymbol('(');
      do this.#parseOption(options);
      while (reader.takeSymbol(','));
      reader.expectSymbol(')');
    }
    while (reader.takeSymbol(';'));
    if (reader.next.kind !== 'end') throw reader.unexpected('the end of the query');
    return { query, options, isPlan };
  }

  #skipPlanWords(): void {
    const reader = this.#reader;
    for (const word of ['IMPLEMENTATION', 'PLAN', 'WITHOUT', 'WITH', 'IMPLEMENTATION']) {
      reader.takeWord(word);
    }
    reader.expectWord('FOR');
  }

  #parseOption(options: Map<string, string>): void {
    const reader = this.#reader;
    const name = reader.expectName('the name of an option').text;
    reader.expectSymbol('=');
    const sign = reader.takeSymbol('-') ? '-' : '';
    const { kind, text } = reader.next;
    if (kind === 'symbol' || kind === 'end') throw reader.unexpected('a value');
    reader.advance();
    options.set(name, sign + text);
  }

  #parseQuery(): Query {
    return this.#reader.nest(() => {
      const reader = this.#reader;
      const { start } = reader.next;
      const tables = reader.takeWord('WITH') ? this.#parseNamedQueries() : [];
      const body = this.#parseBody();
      const order = this.#expressions.orders();
      let limit: Expression | undefined;
      let offset: Expression | undefined;
      if (reader.takeWord('LIMIT')) {
        limit = this.#expressions.parse();
        if (reader.takeSymbol(',')) [offset, limit] = [limit, this.#expressions.parse()];
      }
      if (reader.takeWord('OFFSET')) {
        offset = this.#expressions.parse();
        if (!reader.takeWord('ROWS')) reader.takeWord('ROW');
      }
      if (reader.takeWord('FETCH')) {
        if (!reader.takeWord('FIRST')) reader.expectWord('NEXT');
        limit = this.#expressions.parse();
        if (!reader.takeWord('ROWS')) reader.expectWord('ROW');
        reader.expectWord('ONLY');
      }
      return { kind: 'query', tables, body, order, limit, offset, start, end: reader.lastEnd };
    });
  }

  #parseNamedQueries(): readonly NamedQuery[] {
    const reader = this.#reader;
    const named: NamedQuery[] = [];
    do {
      const name = reader.expectName('the name of a common table expression');
      const columns = reader.next.text === '(' ? this.#parseNames() : [];
      reader.expectWord('AS');
      reader.expectSymbol('(');
      named.push({ name, columns, query: this.#parseQuery() });
      reader.expectSymbol(')');
    } while (reader.takeSymbol(','));
    return named;
  }

  #parseNames(): readonly Name[] {
    const reader = this.#reader;
    reader.expectSymbol('(');
    const names = [reader.expectName('a name')];
    while (reader.takeSymbol(',')) names.push(reader.expectName('a name'));
    reader.expectSymbol(')');
    return names;
  }

  #parseBody(): Body {
    let left = this.#parseIntersection();
    for (;;) {
      const operator = this.#reader.takeWord('UNION')
        ? 'UNION'
        : this.#reader.takeWord('EXCEPT') || this.#reader.takeWord('MINUS')
          ? 'EXCEPT'
          : undefined;
      if (operator === undefined) return left;
      left = {
        kind: 'set',
        operator,
        isAll: this.#isAll(),
        left,
        right: this.#parseIntersection(),
      };
    }
  }

  #parseIntersection(): Body {
    let left = this.#parseTerm();
    while (this.#reader.takeWord('INTERSECT')) {
      left = {
        kind: 'set',
        operator: 'INTERSECT',
        isAll: this.#isAll(),
        left,
        right: this.#parseTerm(),
      };
    }
    return left;
  }

  #isAll(): boolean {
    const isAll = this.#reader.takeWord('ALL');
    if (!isAll) this.#reader.takeWord('DISTINCT');
    return isAll;
  }

  #parseTerm(): Body {
    const reader = this.#reader;
    if (reader.takeSymbol('(')) {
      const query = this.#parseQuery();
      reader.expectSymbol(')');
      return query;
    }
    if (reader.takeWord('VALUES')) {
      const rows: (readonly Expression[])[] = [];
      do {
        reader.expectSymbol('(');
        rows.push(this.#expressions.list());
        reader.expectSymbol(')');
      } while (reader.takeSymbol(','));
      return { kind: 'values', rows };
    }
    if (reader.wordAt(0) !== 'SELECT') throw reader.unexpected('SELECT');
    return this.#parseSelect();
  }

  #parseSelect(): Select {
    const reader = this.#reader;
    const { start } = reader.expectWord('SELECT');
    const isDistinct = reader.takeWord('DISTINCT');
    if (!isDistinct) reader.takeWord('ALL');
    const items: Select['items'][number][] = [];
    do {
      const value = this.#expressions.parse();
      const alias =
        reader.takeWord('AS') || reader.isName() ? reader.expectName('an alias') : undefined;
      items.push({ value, alias });
    } while (reader.takeSymbol(','));
    const from = reader.takeWord('FROM') ? this.#parseSources() : undefined;
    const where = reader.takeWord('WHERE') ? this.#expressions.parse() : undefined;
    const groups = reader.takeWords('GROUP', 'BY') ? this.#expressions.list() : [];
    const having = reader.takeWord('HAVING') ? this.#expressions.parse() : undefined;
    const windows: { name: Name; window: Window }[] = [];
    if (reader.takeWord('WINDOW')) {
      do {
        const name = reader.expectName('the name of a window');
        reader.expectWord('AS');
        windows.push({ name, window: this.#expressions.window() });
      } while (reader.takeSymbol(','));
    }
    const qualify = reader.takeWord('QUALIFY') ? this.#expressions.parse() : undefined;
    const parts = { items, from, where, groups, having, windows, qualify };
    return { kind: 'select', isDistinct, ...parts, start, end: reader.lastEnd };
  }

  #parseSources(): Source {
    let left = this.#parseJoins();
    while (this.#reader.takeSymbol(',')) {
      const right = this.#parseJoins();
      left = { kind: 'join', type: 'CROSS', left, right, on: undefined, using: [] };
    }
    return left;
  }

  #parseJoins(): Source {
    const reader = this.#reader;
    let left = this.#parseSource();
    for (;;) {
      const type = this.#parseJoinType();
      if (type === undefined) return left;
      const right = this.#parseSource();
      const on = type !== 'CROSS' && reader.takeWord('ON') ? this.#expressions.parse() : undefined;
      const using =
        type !== 'CROSS' && on === undefined && reader.takeWord('USING') ? this.#parseNames() : [];
      left = { kind: 'join', type, left, right, on, using };
    }
  }

  #parseJoinType(): 'INNER' | 'LEFT' | 'RIGHT' | 'FULL' | 'CROSS' | undefined {
    const reader = this.#reader;
    if (reader.takeWord('JOIN')) return 'INNER';
    for (const type of ['INNER', 'CROSS', 'LEFT', 'RIGHT', 'FULL'] as const) {
      if (reader.takeWord(type)) {
        reader.takeWord('OUTER');
        reader.expectWord('JOIN');
        return type;
      }
    }
    return undefined;
  }

  #parseSource(): Source {
    const reader = this.#reader;
    const { start } = reader.next;
    if (reader.takeSymbol('(')) {
      if (
        !['SELECT', 'WITH', 'VALUES', undefined].includes(reader.wordAt(0)) &&
        reader.next.text !== '('
      ) {
        const inner = this.#parseSources();
        reader.expectSymbol(')');
        return inner;
      }
      const query = this.#parseQuery();
      reader.expectSymbol(')');
      return { kind: 'derived', query, alias: this.#parseAlias(), start, end: reader.lastEnd };
    }
    if (reader.wordAt(0) === 'UNNEST' && reader.at(1).text === '(') {
      reader.advance();
      reader.advance();
      const values = this.#expressions.list();
      reader.expectSymbol(')');
      return { kind: 'unnest', values, alias: this.#parseAlias(), start, end: reader.lastEnd };
    }
    if (reader.wordAt(0) === 'RESULT' && reader.at(1).text === '(') {
      reader.advance();
      reader.advance();
      if (reader.next.kind !== 'text') {
        throw reader.unexpected('the id of a stored result, in quotes');
      }
      const id = reader.advance().text;
      reader.expectSymbol(')');
      return { kind: 'result', id, alias: this.#parseAlias(), start, end: reader.lastEnd };
    }
    const path = [reader.expectName('a table')];
    while (reader.takeSymbol('.')) path.push(reader.expectName('a table'));
    return { kind: 'table', path, alias: this.#parseAlias(), start, end: reader.lastEnd };
  }

  #parseAlias(): Alias {
    const reader = this.#reader;
    const name =
      reader.takeWord('AS') || reader.isName() ? reader.expectName('an alias') : undefined;
    const columns = name !== undefined && reader.next.text === '(' ? this.#parseNames() : [];
    return { name, columns };
  }
}

import type {
  BinaryOperator,
  CallExpression,
  Expression,
  Name,
  Ordering,
  Query,
  Window,
} from './syntax.ts';
import type { TokenReader } from './token-reader.ts';

/** The precedence of binary operators; that of unary operators is between them. */
const precedence: Readonly<Record<string, number>> = {
  OR: 1,
  AND: 2,
  '=': 4,
  '<>': 4,
  '!=': 4,
  '<': 4,
  '<=': 4,
  '>': 4,
  '>=': 4,
  '+': 6,
  '-': 6,
  '*': 7,
  '/': 7,
  '%': 7,
  '||': 8,
};
const [notPrecedence, predicatePrecedence] = [3, 4];

/** Parses expressions by operator precedence. */
export class ExpressionParser {
  readonly #reader: TokenReader;
  readonly #parseQuery: () => Query;
  #parameterCount = 0;

  constructor(reader: TokenReader, parseQuery: () => Query) {
    this.#reader = reader;
    this.#parseQuery = parseQuery;
  }

  /** @throws QUERY_SYNTAX */
  parse(lowest = 0): Expression {
    return this.#reader.nest(() => this.#parseOperators(lowest));
  }

  #parseOperators(lowest: number): Expression {
    let left = this.#parseUnary(lowest);
    for (;;) {
      const { kind, text } = this.#reader.next;
      const operator = kind === 'symbol' ? text : kind === 'word' ? text.toUpperCase() : '';
      const binding = precedence[operator];
      if (binding !== undefined && (kind === 'symbol' || binding <= 2)) {
        if (binding <= lowest) return left;
        this.#reader.advance();
        const right = this.parse(binding);
        left = {
          kind: 'binary',
          operator: (operator === '!=' ? '<>' : operator) as BinaryOperator,
          left,
          right,
          start: left.start,
          end: right.end,
        };
        continue;
      }
      const predicate = lowest < predicatePrecedence ? this.#parsePredicate(left) : undefined;
      if (predicate === undefined) return left;
      left = predicate;
    }
  }

  #parseUnary(lowest: number): Expression {
    const reader = this.#reader;
    const { start } = reader.next;
    if (lowest <= notPrecedence && reader.takeWord('NOT')) {
      const value = this.parse(notPrecedence);
      return { kind: 'not', value, start, end: value.end };
    }
    if (reader.takeSymbol('+')) return this.parse(8);
    if (reader.takeSymbol('-')) {
      const value = this.parse(8);
      if (value.kind === 'number') {
        const text = value.text.startsWith('-') ? value.text.slice(1) : `-${value.text}`;
        return { ...value, text, start };
      }
      return { kind: 'negate', value, start, end: value.end };
    }
    return this.#parsePostfix(this.#parsePrimary());
  }

  #parsePostfix(given: Expression): Expression {
    let value = given;
    while (this.#reader.takeSymbol('[')) {
      const index = this.parse();
      value = {
        kind: 'item',
        value,
        index,
        start: value.start,
        end: this.#reader.expectSymbol(']').end,
      };
    }
    return value;
  }

  /** Parses `IS NULL`, `BETWEEN` and other predicates after a value. */
  #parsePredicate(value: Expression): Expression | undefined {
    const reader = this.#reader;
    const { start } = value;
    if (reader.takeWord('IS')) {
      const isNegated = reader.takeWord('NOT');
      if (reader.takeWord('DISTINCT')) {
        reader.expectWord('FROM');
        const right = this.parse(predicatePrecedence);
        return { kind: 'distinctFrom', left: value, right, isNegated, start, end: right.end };
      }
      for (const what of ['NULL', 'TRUE', 'FALSE', 'UNKNOWN'] as const) {
        if (reader.takeWord(what)) {
          return { kind: 'is', value, what, isNegated, start, end: reader.lastEnd };
        }
      }
      throw reader.unexpected('NULL, TRUE, FALSE or DISTINCT FROM');
    }
    const isNegated =
      ['BETWEEN', 'LIKE', 'IN'].includes(reader.wordAt(1) ?? '') && reader.takeWord('NOT');
    if (reader.takeWord('BETWEEN')) {
      reader.takeWord('ASYMMETRIC');
      const low = this.parse(predicatePrecedence);
      reader.expectWord('AND');
      const high = this.parse(predicatePrecedence);
      return { kind: 'between', value, low, high, isNegated, start, end: high.end };
    }
    if (reader.takeWord('LIKE')) {
      const pattern = this.parse(predicatePrecedence);
      const escape = reader.takeWord('ESCAPE') ? this.parse(predicatePrecedence) : undefined;
      return { kind: 'like', value, pattern, escape, isNegated, start, end: reader.lastEnd };
    }
    if (reader.takeWord('IN')) {
      reader.expectSymbol('(');
      const among = this.#isQuery() ? this.#parseQuery() : this.list();
      reader.expectSymbol(')');
      return { kind: 'in', value, among, isNegated, start, end: reader.lastEnd };
    }
    return undefined;
  }

  /** Parses one or more expressions, separated by commas. */
  list(): readonly Expression[] {
    const values = [this.parse()];
    while (this.#reader.takeSymbol(',')) values.push(this.parse());
    return values;
  }

  #isQuery(): boolean {
    return ['SELECT', 'WITH', 'VALUES'].includes(this.#reader.wordAt(0) ?? '');
  }

  #parsePrimary(): Expression {
    const reader = this.#reader;
    const token = reader.next;
    const { start, end } = token;
    if (token.kind === 'number' || token.kind === 'bytes' || token.kind === 'text') {
      reader.advance();
      if (token.kind === 'number') return { kind: 'number', text: token.text, start, end };
      if (token.kind === 'bytes') return { kind: 'bytes', hex: token.text, start, end };
      return { kind: 'text', value: token.text, start, end };
    }
    if (reader.takeSymbol('?')) {
      this.#parameterCount += 1;
      return { kind: 'parameter', index: this.#parameterCount, start, end };
    }
    if (reader.takeSymbol('*')) return { kind: 'star', table: undefined, start, end };
    if (reader.takeSymbol('(')) {
      if (this.#isQuery()) {
        const query = this.#parseQuery();
        return { kind: 'subquery', query, start, end: reader.expectSymbol(')').end };
      }
      const value = this.parse();
      return { ...value, start, end: reader.expectSymbol(')').end };
    }
    return (token.kind === 'word' && this.#parseKeyword()) || this.#parseName();
  }

  #parseKeyword(): Expression | undefined {
    const reader = this.#reader;
    const { start, end } = reader.next;
    const followed = reader.at(1);
    if (reader.takeWord('NULL')) return { kind: 'null', start, end };
    for (const word of ['TRUE', 'FALSE'] as const) {
      if (reader.takeWord(word)) return { kind: 'boolean', value: word === 'TRUE', start, end };
    }
    if (reader.takeWord('CASE')) return this.#parseCase(start);
    if (followed.kind === 'text' && (reader.takeWord('TIMESTAMP') || reader.takeWord('DATE'))) {
      const { text: value, end: textEnd } = reader.advance();
      return { kind: 'timestamp', value, start, end: textEnd };
    }
    if (followed.text === '[' && reader.takeWord('ARRAY')) {
      reader.advance();
      const items = reader.next.text === ']' ? [] : this.list();
      return { kind: 'array', items, start, end: reader.expectSymbol(']').end };
    }
    if (followed.text !== '(') return undefined;
    if (reader.takeWord('EXISTS')) {
      reader.advance();
      const query = this.#parseQuery();
      return { kind: 'exists', query, start, end: reader.expectSymbol(')').end };
    }
    if (reader.takeWord('CAST')) {
      reader.advance();
      const value = this.parse();
      // A cast may also be written as a call: cast(value, 'INT').
      const isCall = reader.takeSymbol(',');
      if (!isCall) reader.expectWord('AS');
      const type =
        isCall && reader.next.kind === 'text' ? reader.advance() : reader.expectName('a type');
      if (reader.takeSymbol('(')) {
        this.list();
        reader.expectSymbol(')');
      }
      if (reader.takeWord('ARRAY')) {
        const text = `${type.text}_ARRAY`;
        return {
          kind: 'cast',
          value,
          type: { ...type, text },
          start,
          end: reader.expectSymbol(')').end,
        };
      }
      return { kind: 'cast', value, type, start, end: reader.expectSymbol(')').end };
    }
    return undefined;
  }

  #parseCase(start: number): Expression {
    const reader = this.#reader;
    const subject = reader.wordAt(0) === 'WHEN' ? undefined : this.parse();
    const branches: { when: Expression; result: Expression }[] = [];
    while (reader.takeWord('WHEN')) {
      const when = this.parse();
      reader.expectWord('THEN');
      branches.push({ when, result: this.parse() });
    }
    if (branches.length === 0) throw reader.unexpected('WHEN');
    const otherwise = reader.takeWord('ELSE') ? this.parse() : undefined;
    return { kind: 'case', subject, branches, otherwise, start, end: reader.expectWord('END').end };
  }

  #parseName(): Expression {
    const reader = this.#reader;
    const first = reader.expectName('an expression');
    if (reader.next.text === '(' && reader.next.kind === 'symbol') return this.#parseCall(first);
    const path: Name[] = [first];
    while (reader.takeSymbol('.')) {
      if (reader.takeSymbol('*')) {
        return { kind: 'star', table: path.at(-1), start: first.start, end: reader.lastEnd };
      }
      path.push(reader.expectName('a column'));
    }
    return { kind: 'column', path, start: first.start, end: reader.lastEnd };
  }

  #parseCall(name: Name): CallExpression {
    const reader = this.#reader;
    reader.expectSymbol('(');
    const isDistinct = reader.takeWord('DISTINCT');
    if (!isDistinct) reader.takeWord('ALL');
    const values = reader.next.text === ')' ? [] : this.#parseArguments(name.text.toUpperCase());
    reader.expectSymbol(')');
    const within = reader.takeWords('WITHIN', 'GROUP') ? this.#parseWithin() : [];
    const isIgnoringNulls = reader.takeWords('IGNORE', 'NULLS');
    if (!isIgnoringNulls) reader.takeWords('RESPECT', 'NULLS');
    let filter: Expression | undefined;
    if (reader.wordAt(0) === 'FILTER' && reader.at(1).text === '(') {
      reader.advance();
      reader.advance();
      reader.expectWord('WHERE');
      filter = this.parse();
      reader.expectSymbol(')');
    }
    const over = reader.takeWord('OVER') ? this.#parseOver() : undefined;
    const { start } = name;
    const end = reader.lastEnd;
    return {
      kind: 'call',
      name,
      values,
      isDistinct,
      within,
      filter,
      isIgnoringNulls,
      over,
      start,
      end,
    };
  }

  /**
   * Parses arguments separated by commas, or by the keywords that the SQL standard defines for a
   * few functions.
   */
  #parseArguments(name: string): readonly Expression[] {
    const reader = this.#reader;
    const word = (): Expression => {
      const { text: value, start, end } = reader.advance();
      return { kind: 'text', value, start, end };
    };
    if (name === 'EXTRACT' && reader.wordAt(1) === 'FROM') {
      const part = word();
      reader.expectWord('FROM');
      return [part, this.parse()];
    }
    if (name === 'TRIM' && ['BOTH', 'LEADING', 'TRAILING'].includes(reader.wordAt(0) ?? '')) {
      const side = word();
      const characters = this.parse();
      reader.expectWord('FROM');
      return [side, characters, this.parse()];
    }
    // The units of these functions are keywords, not columns.
    const isUnit =
      /^(?:TIMESTAMP_?ADD|TIMESTAMP_?DIFF|DATE_?ADD|DATE_?DIFF|DATE_?TRUNC)$/.test(name) &&
      reader.next.kind === 'word' &&
      reader.at(1).text === ',';
    const values = [isUnit ? word() : this.parse()];
    if (name === 'SUBSTRING' && reader.takeWord('FROM')) {
      values.push(this.parse());
      if (reader.takeWord('FOR')) values.push(this.parse());
      return values;
    }
    if (name === 'POSITION' && values[0] !== undefined && reader.takeWord('IN')) {
      return [this.parse(), values[0]];
    }
    if ((name === 'FLOOR' || name === 'CEIL') && reader.takeWord('TO')) return [...values, word()];
    while (reader.takeSymbol(',')) values.push(this.parse());
    return values;
  }

  #parseWithin(): readonly Ordering[] {
    const reader = this.#reader;
    reader.expectSymbol('(');
    const orders = this.orders();
    reader.expectSymbol(')');
    return orders;
  }

  #parseOver(): Window | Name {
    if (this.#reader.next.text !== '(') return this.#reader.expectName('a window');
    return this.window();
  }

  /** Parses `(PARTITION BY … ORDER BY … ROWS …)`. */
  window(): Window {
    const reader = this.#reader;
    reader.expectSymbol('(');
    const partition = reader.takeWords('PARTITION', 'BY') ? this.list() : [];
    const order = this.orders();
    const frame = ['ROWS', 'RANGE'].includes(reader.wordAt(0) ?? '')
      ? this.#parseFrame()
      : undefined;
    reader.expectSymbol(')');
    return { partition, order, frame };
  }

  #parseFrame(): string {
    const reader = this.#reader;
    const words = [reader.advance().text.toUpperCase()];
    const known = /^(?:BETWEEN|AND|UNBOUNDED|PRECEDING|FOLLOWING|CURRENT|ROW|\d+)$/;
    while (known.test(reader.next.text.toUpperCase())) {
      words.push(reader.advance().text.toUpperCase());
    }
    return words.join(' ');
  }

  /** Parses `ORDER BY …`, if present. */
  orders(): readonly Ordering[] {
    const reader = this.#reader;
    if (!reader.takeWords('ORDER', 'BY')) return [];
    const orders: Ordering[] = [];
    do {
      const value = this.parse();
      const isDescending = reader.takeWord('DESC');
      if (!isDescending) reader.takeWord('ASC');
      const hasNulls = reader.takeWord('NULLS');
      const nulls = !hasNulls ? undefined : reader.takeWord('FIRST') ? 'FIRST' : 'LAST';
      if (nulls === 'LAST') reader.expectWord('LAST');
      orders.push({ value, isDescending, nulls });
    } while (reader.takeSymbol(','));
    return orders;
  }
}

import {
  type BinaryOperator,
  type Expression,
  expressionDepthMax,
  type LiteralValue,
  power,
  reservedFirstWords,
  reservedWords,
  symbolOperators,
} from './expression.ts';
import { WholeDouble } from '../values/value.ts';
import { ExpressionSyntaxError } from '../values/expression-error.ts';
import { checkCall } from './check-call.ts';
import { parseNumberLiteral, type Token, tokenize } from './token.ts';

/**
 * Parses one expression by operator precedence (V. Pratt, “Top down operator precedence”, 1973).
 *
 * A syntax error ends parsing with an ExpressionSyntaxError; faults of single calls are collected,
 * and parsing continues.
 */
export class ExpressionParser {
  readonly faults: ExpressionSyntaxError[] = [];
  readonly #tokens: readonly Token[];
  #next = 0;
  #depth = 0;

  constructor(text: string) {
    this.#tokens = tokenize(text);
  }

  /** @throws ExpressionSyntaxError at the position from which the text is not an expression */
  parse(): Expression {
    const expression = this.#parseAt(0);
    const rest = this.#peek();
    if (rest.kind !== 'end') throw unexpected(rest, 'the end or an operator');
    return expression;
  }

  /** Parses an operand and all following operators that bind more strongly than `minPower`. */
  #parseAt(minPower: number): Expression {
    this.#depth += 1;
    if (this.#depth > expressionDepthMax) {
      const message = `nested more than ${expressionDepthMax} levels deep`;
      throw new ExpressionSyntaxError(message, this.#peek().position, 'EXPRESSION_TOO_DEEP');
    }
    let left = this.#parsePrefix();
    for (
      let longer = this.#parseInfix(left, minPower);
      longer !== undefined;
      longer = this.#parseInfix(left, minPower)
    ) {
      left = longer;
    }
    this.#depth -= 1;
    return left;
  }

  #parseInfix(left: Expression, minPower: number): Expression | undefined {
    const token = this.#peek();
    const operator = token.kind === 'symbol' ? symbolOperators.get(token.text) : undefined;
    if (operator !== undefined) {
      return operator.power > minPower ? this.#parseBinary(left, operator, token) : undefined;
    }
    if (token.kind !== 'word') return undefined;
    const word = token.text.toUpperCase();
    if (word === 'OR' || word === 'AND') {
      const own = word === 'OR' ? power.or : power.and;
      return own > minPower ? this.#parseLogical(left, word, own) : undefined;
    }
    return power.comparison > minPower ? this.#parsePredicate(left, word, token) : undefined;
  }

  #parseBinary(left: Expression, operator: BinaryOperator, token: Token): Expression {
    this.#next += 1;
    return this.#call(operator.call, [left, this.#parseAt(operator.power)], token.position);
  }

  /**
   * Parses a whole chain into one call, so that a long list of alternatives does not become a deep
   * tree.
   */
  #parseLogical(left: Expression, word: string, own: number): Expression {
    const { position } = this.#peek();
    const args = [left];
    while (this.#takeWord(word)) args.push(this.#parseAt(own));
    return this.#call(word.toLowerCase(), args, position);
  }

  #parsePredicate(left: Expression, word: string, token: Token): Expression | undefined {
    if (word === 'IS') {
      this.#next += 1;
      return this.#parseIs(left, token);
    }
    const following = this.#tokens[this.#next + 1];
    const isNegated = word === 'NOT' && following?.kind === 'word';
    const name = isNegated ? following.text.toUpperCase() : word;
    if (name === 'IN') {
      throw new ExpressionSyntaxError(
        'IN is not a function of ingestion: write a = 1 OR a = 2',
        token.position,
      );
    }
    if (name !== 'BETWEEN' && name !== 'LIKE' && name !== 'ILIKE') return undefined;
    this.#next += isNegated ? 2 : 1;
    const positive = this.#call(
      name === 'BETWEEN' ? 'between' : 'like',
      [left, ...this.#parsePredicateArgs(name)],
      token.position,
    );
    return isNegated ? this.#call('not', [positive], token.position) : positive;
  }

  #parsePredicateArgs(name: 'BETWEEN' | 'LIKE' | 'ILIKE'): readonly Expression[] {
    if (name !== 'BETWEEN') return [this.#parseAt(power.comparison)];
    // Neither keyword has an effect: Apache Pinot does not swap the bounds.
    if (!this.#takeWord('SYMMETRIC')) this.#takeWord('ASYMMETRIC');
    const low = this.#parseAt(power.comparison);
    this.#expectWord('AND');
    return [low, this.#parseAt(power.comparison)];
  }

  #parseIs(left: Expression, token: Token): Expression {
    const isNegated = this.#takeWord('NOT');
    if (this.#takeWord('NULL') || this.#takeWord('UNKNOWN')) {
      return this.#call(isNegated ? 'isNotNull' : 'isNull', [left], token.position);
    }
    if (this.#takeWord('DISTINCT')) {
      this.#expectWord('FROM');
      const right = this.#parseAt(power.comparison);
      return this.#call(
        isNegated ? 'isNotDistinctFrom' : 'isDistinctFrom',
        [left, right],
        token.position,
      );
    }
    throw unexpected(this.#peek(), 'NULL or DISTINCT FROM');
  }

  #parsePrefix(): Expression {
    const token = this.#peek();
    this.#next += 1;
    if (token.kind === 'string') return literal(token.text);
    if (token.kind === 'number') return literal(parseNumberLiteral(token, false));
    if (token.kind === 'quoted') {
      return this.#takeSymbol('(')
        ? this.#call(token.text, this.#parseArgs(), token.position)
        : this.#parseColumn(token);
    }
    if (token.kind === 'word') return this.#parseWord(token);
    if (token.text === '(') {
      const inner = this.#parseAt(0);
      this.#expectSymbol(')');
      return inner;
    }
    if (token.text === '+' || token.text === '-') return this.#parseSigned(token);
    throw unexpected(token, 'a value, a column or a function');
  }

  /**
   * Parses a sign, which only numbers may have: Apache Pinot has no function for other operands.
   */
  #parseSigned(token: Token): Expression {
    const operand = this.#peek();
    this.#next += 1;
    if (operand.kind === 'number') {
      return literal(parseNumberLiteral(operand, token.text === '-'));
    }
    if (operand.kind === 'symbol' && operand.text === '(') {
      const inner = this.#parseAt(0);
      this.#expectSymbol(')');
      const value = inner.kind === 'literal' ? signed(inner.value, token.text === '-') : undefined;
      if (value !== undefined) return literal(value);
    }
    throw unexpected(operand, `a number after ${token.text} (negate(a) negates a column)`);
  }

  #parseWord(token: Token): Expression {
    const word = token.text.toUpperCase();
    const isCalled = this.#peek().text === '(' && this.#peek().kind === 'symbol';
    if (word === 'NOT') return this.#call('not', [this.#parseAt(power.not)], token.position);
    if (word === 'CAST' && isCalled) return this.#parseCast(token);
    if (word === 'CASE') return this.#parseCase(token);
    if (word === 'ARRAY' && this.#takeSymbol('[')) {
      return this.#call('arrayValueConstructor', this.#parseArgs(']'), token.position);
    }
    if (isCalled && specialCalls.has(word)) return this.#parseSpecial(token, word);
    if (isCalled && word === 'DATE_TRUNC') return this.#parseDateTrunc(token);
    if (isCalled && unitLast.has(word)) return this.#parseUnitLast(token);
    const following = this.#peek();
    if (datedLiterals.has(word) && following.kind === 'string') {
      this.#next += 1;
      return literal(following.text);
    }
    if (isCalled && uncallableWords.has(word)) throw reserved(token);
    if (isCalled && this.#takeSymbol('(')) {
      return this.#call(token.text, this.#parseArgs(), token.position);
    }
    const constant = constants.get(word);
    if (constant !== undefined && !this.#isSymbol('.')) return literal(constant);
    if (reservedWords.has(word) || reservedFirstWords.has(word)) throw reserved(token);
    return this.#parseColumn(token);
  }

  /**
   * Parses the name of a column. It may have dots, like the names of flattened members:
   * `user.name`, `"user"."name"` and `"user.name"` are the same.
   */
  #parseColumn(first: Token): Expression {
    let name = first.text;
    while (this.#takeSymbol('.')) {
      const part = this.#peek();
      if (part.kind !== 'word' && part.kind !== 'quoted') {
        throw unexpected(part, 'the rest of a name');
      }
      if (part.kind === 'word' && reservedWords.has(part.text.toUpperCase())) throw reserved(part);
      name += `.${part.text}`;
      this.#next += 1;
    }
    return { kind: 'column', name };
  }

  /** Parses the arguments of a call, from after the opening bracket to after the closing one. */
  #parseArgs(end = ')'): readonly Expression[] {
    const args: Expression[] = [];
    if (this.#takeSymbol(end)) return args;
    // Quantifiers of aggregations, which Calcite's parser accepts in every call.
    if (this.#isWord('ALL')) throw reserved(this.#peek());
    do {
      if (this.#isWord('DEFAULT')) throw reserved(this.#peek());
      args.push(this.#parseAt(0));
    } while (this.#takeSymbol(','));
    this.#expectSymbol(end);
    return args;
  }

  /**
   * Parses calls that SQL writes with keywords: `EXTRACT(YEAR FROM a)`, `TIMESTAMPADD(DAY, 1, a)`,
   * `TRIM(BOTH '0' FROM a)`, `SUBSTRING(a FROM 2 FOR 3)`.
   */
  #parseSpecial(token: Token, word: string): Expression {
    this.#expectSymbol('(');
    if (word === 'EXTRACT' || word.startsWith('TIMESTAMP')) {
      const unit = this.#peek();
      if (unit.kind !== 'word') throw unexpected(unit, 'a unit without quotes, such as DAY');
      this.#next += 1;
      if (word === 'EXTRACT') this.#expectWord('FROM');
      else this.#expectSymbol(',');
      return this.#call(
        token.text,
        [literal(unit.text.toUpperCase()), ...this.#parseArgs()],
        token.position,
      );
    }
    if (word === 'TRIM') return this.#parseTrim(token);
    const args = [this.#parseAt(0)];
    if (!this.#takeWord('FROM')) {
      return this.#call(
        token.text,
        this.#takeSymbol(',') ? [...args, ...this.#parseArgs()] : (this.#expectSymbol(')'), args),
        token.position,
      );
    }
    args.push(this.#parseAt(0));
    if (this.#takeWord('FOR')) args.push(this.#parseAt(0));
    this.#expectSymbol(')');
    return this.#call(token.text, args, token.position);
  }

  /** Parses `DATE_TRUNC(DAY, a)` and `DATE_TRUNC('DAY', a)`; `dateTrunc` is an ordinary call. */
  #parseDateTrunc(token: Token): Expression {
    this.#expectSymbol('(');
    const unit = this.#peek();
    if (unit.kind === 'string') return this.#call(token.text, this.#parseArgs(), token.position);
    if (unit.kind !== 'word' || !units.has(unit.text.toUpperCase())) {
      throw unexpected(unit, 'a unit such as DAY');
    }
    this.#next += 1;
    const rest = this.#takeSymbol(',') ? this.#parseArgs() : (this.#expectSymbol(')'), []);
    return this.#call(token.text, [literal(unit.text.toUpperCase()), ...rest], token.position);
  }

  /** Parses `DATE_DIFF(a, b, DAY)`: Apache Pinot treats a unit in this position as text. */
  #parseUnitLast(token: Token): Expression {
    this.#expectSymbol('(');
    const args = this.#parseArgs().map((arg, index): Expression => {
      const isUnit = index === 2 && arg.kind === 'column' && units.has(arg.name.toUpperCase());
      return isUnit ? literal(arg.name.toUpperCase()) : arg;
    });
    return this.#call(token.text, args, token.position);
  }

  #parseTrim(token: Token): Expression {
    if (this.#isWord('FROM')) throw unexpected(this.#peek(), 'BOTH, LEADING, TRAILING or a value');
    const end = ['BOTH', 'LEADING', 'TRAILING'].find((each) => this.#takeWord(each));
    const first = this.#isWord('FROM') ? literal(' ') : this.#parseAt(0);
    const isLong = end !== undefined || this.#isWord('FROM');
    if (!isLong) {
      this.#expectSymbol(')');
      return this.#call(token.text, [literal('BOTH'), literal(' '), first], token.position);
    }
    this.#expectWord('FROM');
    const value = this.#parseAt(0);
    this.#expectSymbol(')');
    return this.#call(token.text, [literal(end ?? 'BOTH'), first, value], token.position);
  }

  /** Parses `CAST(a AS INT)`; a precision after the type is ignored. */
  #parseCast(token: Token): Expression {
    this.#expectSymbol('(');
    const value = this.#parseAt(0);
    this.#expectWord('AS');
    const type = this.#peek();
    if (type.kind !== 'word' && type.kind !== 'quoted') {
      throw unexpected(type, 'the name of a type');
    }
    this.#next += 1;
    const first = type.text.toUpperCase();
    const isVarying = /^CHAR(?:ACTER)?$/.test(first) && this.#takeWord('VARYING');
    if (first === 'DOUBLE') this.#takeWord('PRECISION');
    if (this.#takeSymbol('(')) this.#parseArgs();
    this.#expectSymbol(')');
    const name = isVarying ? 'VARCHAR' : (typeSynonyms.get(first) ?? type.text);
    return this.#call('cast', [value, literal(name)], token.position);
  }

  /** Parses both `CASE WHEN a = 1 THEN …` and `CASE a WHEN 1 THEN …`. */
  #parseCase(token: Token): Expression {
    const args: Expression[] = [];
    const subject = this.#isWord('WHEN') ? undefined : this.#parseAt(0);
    while (this.#takeWord('WHEN')) {
      const when = this.#parseAt(0);
      args.push(
        subject === undefined ? when : this.#call('equals', [subject, when], token.position),
      );
      this.#expectWord('THEN');
      args.push(this.#parseAt(0));
    }
    if (args.length === 0) throw unexpected(this.#peek(), 'WHEN');
    args.push(this.#takeWord('ELSE') ? this.#parseAt(0) : literal(null));
    this.#expectWord('END');
    return this.#call('caseWhen', args, token.position);
  }

  /** Creates a call under the documented name of its function, and collects its faults. */
  #call(name: string, args: readonly Expression[], position: number): Expression {
    const checked = checkCall(name, args);
    for (const { code, message } of checked.faults) {
      this.faults.push(new ExpressionSyntaxError(message, position, code));
    }
    return { kind: 'call', name: checked.name, args };
  }

  #peek(): Token {
    const token = this.#tokens[this.#next] ?? this.#tokens.at(-1);
    if (token === undefined) throw new RangeError('tokens end with an end');
    return token;
  }

  #isWord(word: string): boolean {
    const token = this.#peek();
    return token.kind === 'word' && token.text.toUpperCase() === word;
  }

  #takeWord(word: string): boolean {
    const isThere = this.#isWord(word);
    if (isThere) this.#next += 1;
    return isThere;
  }

  #expectWord(word: string): void {
    if (!this.#takeWord(word)) throw unexpected(this.#peek(), word);
  }

  #isSymbol(symbol: string): boolean {
    const token = this.#peek();
    return token.kind === 'symbol' && token.text === symbol;
  }

  #takeSymbol(symbol: string): boolean {
    const isThere = this.#isSymbol(symbol);
    if (isThere) this.#next += 1;
    return isThere;
  }

  #expectSymbol(symbol: string): void {
    if (!this.#takeSymbol(symbol)) throw unexpected(this.#peek(), symbol);
  }
}

/** Calls whose arguments are written with keywords. */
const specialCalls = new Set(['EXTRACT', 'TIMESTAMPADD', 'TIMESTAMPDIFF', 'TRIM', 'SUBSTRING']);

/** Type names that Calcite's parser converts to others. */
const typeSynonyms: ReadonlyMap<string, string> = new Map([
  ['NUMERIC', 'DECIMAL'],
  ['DEC', 'DECIMAL'],
]);

/**
 * Keywords before a text that mark it as a date or time; in ingestion expressions it remains a
 * text.
 */
const datedLiterals = new Set(['DATE', 'TIME', 'TIMESTAMP']);

/** Calls whose third argument may be a bare unit. */
const unitLast = new Set(['DATE_DIFF', 'TIMESTAMP_DIFF']);

/** Units of time that Calcite's parser accepts. */
const units = new Set(
  'MICROSECOND MILLISECOND SECOND MINUTE HOUR DAY WEEK MONTH QUARTER YEAR'.split(' '),
);

const constants: ReadonlyMap<string, LiteralValue> = new Map([
  ['TRUE', true],
  ['FALSE', false],
  ['NULL', null],
]);

/** Reserved words that are never names of functions: a difference must be written as `a - b`. */
const uncallableWords = new Set(['MINUS']);

const literal = (value: LiteralValue): Expression => ({ kind: 'literal', value });

function unexpected(token: Token, expected: string): ExpressionSyntaxError {
  const found = token.kind === 'end' ? 'the expression ends' : `found ${token.text}`;
  return new ExpressionSyntaxError(`${found}; expected ${expected}`, token.position);
}

function reserved(token: Token): ExpressionSyntaxError {
  return new ExpressionSyntaxError(
    `${token.text} is a reserved word of SQL; a column of that name is written in double quotes: "${token.text}"`,
    token.position,
  );
}

/** Returns a number, negated if required; undefined if the value is not a number. */
function signed(value: LiteralValue, isNegative: boolean): LiteralValue | undefined {
  if (typeof value === 'bigint') return isNegative ? -value : value;
  if (typeof value === 'number') return isNegative && value !== 0 ? -value : value;
  if (value instanceof WholeDouble) {
    return isNegative && value.value !== 0 ? new WholeDouble(-value.value) : value;
  }
  return undefined;
}

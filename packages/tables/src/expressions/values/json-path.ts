import { expressionFailed } from './expression-error.ts';
import { doubleValue, isMap, type Value } from './value.ts';

/**
 * A JSON path in the dialect of Jayway's library, which Apache Pinot uses and which is older than
 * RFC 9535. Several keys at the end give an object with these members, slices have no steps, and a
 * path may end in a function such as `length()`. Filters are not handled here.
 */
export interface JaywayPath {
  /** True if the path can match one value only. */
  readonly isDefinite: boolean;
  /** The names and indexes of a path that has nothing else, which can be followed directly. */
  readonly steps: readonly (string | number)[] | undefined;
  /**
   * Returns the values that the path finds, in order, each with its path.
   *
   * @throws EXPRESSION_FAILED when it finds too many, or its function has no value
   */
  evaluate(root: Value): readonly FoundValue[];
}

export interface FoundValue {
  readonly value: Value;
  readonly at: string;
}

/** The maximum number of values that one path may find. */
const foundCountMax = 100_000;

type Token =
  | { readonly kind: 'names'; readonly names: readonly string[] }
  | { readonly kind: 'indexes'; readonly indexes: readonly number[] }
  | { readonly kind: 'slice'; readonly from: number | undefined; readonly to: number | undefined }
  | { readonly kind: 'all' }
  | { readonly kind: 'scan' }
  | { readonly kind: 'function'; readonly name: string; readonly index: number | undefined };

/**
 * Parses a path without filters.
 *
 * @throws EXPRESSION_FAILED when the text is not a path
 * @throws UnreadPath when its form is supported by Jayway's library only
 */
export function parseJaywayPath(path: string): JaywayPath {
  const tokens = new PathReader(path).read();
  const last = tokens.at(-1);
  const call = last?.kind === 'function' ? last : undefined;
  const steps = call === undefined ? tokens : tokens.slice(0, -1);
  // The function of a path with a search applies to all found values together, not to each.
  const isOfAll = call !== undefined && steps[0]?.kind === 'scan';
  if (isOfAll && !aggregations.has(call.name)) {
    throw new UnreadPath(path, `${call.name}() of a search`);
  }
  return {
    isDefinite: isOfAll || isDefinite(steps),
    steps: call === undefined ? plainSteps(steps) : undefined,
    evaluate(root) {
      const found: FoundValue[] = [];
      new PathWalk(steps, found).from(root);
      if (call === undefined) return found;
      const given = isOfAll ? [{ value: found.map(({ value }) => value), at: '$' }] : found;
      return given.map(({ value, at }) => ({
        value: apply(call, value),
        at: `${at}.${call.name}`,
      }));
    },
  };
}

/**
 * The error for a path that Jayway's library supports and Quire does not. It never gives the
 * default.
 */
export class UnreadPath extends Error {
  constructor(path: string, what: string) {
    super(`‘${path.slice(0, 80)}’ has ${what}, which is not supported here.`);
  }
}

function isDefinite(steps: readonly Token[]): boolean {
  return steps.every((token, place) => {
    if (token.kind === 'names') return token.names.length === 1 || place === steps.length - 1;
    return token.kind === 'indexes' && token.indexes.length === 1;
  });
}

function plainSteps(tokens: readonly Token[]): readonly (string | number)[] | undefined {
  const steps = tokens.map((token) => {
    if (token.kind === 'names' && token.names.length === 1) return token.names[0];
    return token.kind === 'indexes' && token.indexes.length === 1 ? token.indexes[0] : undefined;
  });
  return steps.every((step) => step !== undefined) ? steps : undefined;
}

/** Splits a path into tokens by the rules of Jayway's PathCompiler. */
class PathReader {
  readonly #path: string;
  #next = 0;

  constructor(path: string) {
    // Only spaces are skipped: at the end, and at the start of a path without its root.
    const trimmed = path.replace(/ +$/, '');
    // Paths may leave out the root.
    this.#path = /^[$@]/.test(trimmed) ? trimmed : `$.${trimmed}`;
  }

  read(): readonly Token[] {
    if (this.#path.endsWith('.')) throw this.#fault('it ends in a dot');
    const tokens: Token[] = [];
    this.#next = 1;
    if (this.#next < this.#path.length && !/[.[]/.test(this.#char())) {
      throw this.#fault('a path continues with . or [');
    }
    while (this.#next < this.#path.length) this.#readToken(tokens);
    return tokens;
  }

  #char(ahead = 0): string {
    return this.#path.charAt(this.#next + ahead);
  }

  #readToken(tokens: Token[]): void {
    if (this.#char() === '[') return void tokens.push(this.#readBracket());
    if (this.#char() === '.') {
      const isScan = this.#char(1) === '.';
      if (isScan) tokens.push({ kind: 'scan' });
      this.#next += isScan ? 2 : 1;
      if (this.#char() === '.') throw this.#fault('three dots');
      if (this.#char() === '[') return void tokens.push(this.#readBracket());
    }
    if (this.#char() === '*') {
      this.#next += 1;
      return void tokens.push({ kind: 'all' });
    }
    tokens.push(this.#readName());
  }

  #readName(): Token {
    const [name = ''] = /^[^.[( ]*/.exec(this.#path.slice(this.#next)) ?? [];
    this.#next += name.length;
    if (this.#char() === ' ') throw this.#fault("a name with a space is written ['a b']");
    if (this.#char() !== '(') {
      if (name === '') throw this.#fault('a name is missing');
      return { kind: 'names', names: [name] };
    }
    const [whole, argument = ''] = /^\(\s*([^()]*?)\s*\)/.exec(this.#path.slice(this.#next)) ?? [];
    if (whole === undefined) {
      if (!this.#path.includes(')', this.#next)) throw this.#fault('a function is not closed');
      throw new UnreadPath(this.#path, `arguments of ${name}()`);
    }
    this.#next += whole.length;
    if (this.#next < this.#path.length) throw new UnreadPath(this.#path, `a part after ${name}()`);
    const isIndexed = name === 'index' && /^-?\d{1,9}$/.test(argument);
    if (!functions.has(name) && !otherFunctions.has(name)) {
      throw this.#fault(`there is no function ${name}()`);
    }
    if (otherFunctions.has(name) || (argument !== '') !== (name === 'index' && isIndexed)) {
      throw new UnreadPath(this.#path, `arguments of ${name}()`);
    }
    return { kind: 'function', name, index: isIndexed ? Number(argument) : undefined };
  }

  #readBracket(): Token {
    const rest = this.#path.slice(this.#next);
    const [quoted] = /^\[\s*(['"])/.exec(rest) ?? [];
    if (quoted !== undefined) return this.#readKeys();
    const [all] = /^\[\s*\*\s*\]/.exec(rest) ?? [];
    if (all !== undefined) {
      this.#next += all.length;
      return { kind: 'all' };
    }
    const [whole, inner = ''] = /^\[([^\]]*)\]/.exec(rest) ?? [];
    if (rest === '[') throw new UnreadPath(this.#path, 'a bracket that is not closed');
    if (whole === undefined || !/^\s*[-:\d]/.test(inner)) throw this.#fault('invalid brackets');
    this.#next += whole.length;
    const text = inner.trim();
    if (text.includes(':')) {
      if (/[^-:\d]/.test(text)) throw this.#fault('an invalid slice');
      const [from = '', to = ''] = text.split(':');
      if (from === '' && to === '') throw this.#fault('a slice without bounds');
      return { kind: 'slice', from: this.#boundOf(from), to: this.#boundOf(to) };
    }
    return { kind: 'indexes', indexes: text.split(/\s*,\s*/).map((each) => this.#indexOf(each)) };
  }

  #boundOf(text: string): number | undefined {
    return text === '' ? undefined : this.#indexOf(text);
  }

  #indexOf(text: string): number {
    const value = Number(text);
    if (!/^-?\d{1,10}$/.test(text) || value > 2_147_483_647 || value < -2_147_483_648) {
      throw this.#fault(`${text} is not an index`);
    }
    return value;
  }

  /** Reads `['a', 'b']`, with a backslash before a quote that is part of a name. */
  #readKeys(): Token {
    const names: string[] = [];
    const key = /\s*(['"])((?:\\.|(?!\1)[^\\])*)\1\s*([,\]])/y;
    key.lastIndex = this.#next + 1;
    for (;;) {
      const found = key.exec(this.#path);
      if (found === null) throw this.#fault('invalid keys');
      const [, , name = '', end] = found;
      names.push(name.replaceAll(/\\(.)/g, '$1'));
      if (end === ']') break;
    }
    this.#next = key.lastIndex;
    return { kind: 'names', names };
  }

  #fault(what: string): Error {
    return expressionFailed(`‘${this.#path.slice(0, 80)}’ is not a JSON path: ${what}.`);
  }
}

/** One evaluation of a path, following the library's tokens. */
class PathWalk {
  readonly #tokens: readonly Token[];
  readonly #found: FoundValue[];

  constructor(tokens: readonly Token[], found: FoundValue[]) {
    this.#tokens = tokens;
    this.#found = found;
  }

  from(root: Value): void {
    this.#evaluate(0, root, '$');
  }

  #evaluate(place: number, value: Value, at: string): void {
    const token = this.#tokens[place];
    if (token === undefined) {
      this.#add(value, at);
      return;
    }
    switch (token.kind) {
      case 'names':
        this.#names(place, token.names, value, at);
        break;
      case 'indexes':
        for (const index of token.indexes) this.#element(place, value, index, at);
        break;
      case 'slice':
        this.#slice(place, token, value, at);
        break;
      case 'all':
        this.#members(value, at, (member, memberAt) => this.#evaluate(place + 1, member, memberAt));
        break;
      case 'scan':
        this.#scan(place + 1, value, at);
        break;
      case 'function':
        throw new TypeError('a function is at the end of a path, and is applied there');
    }
  }

  #names(place: number, names: readonly string[], value: Value, at: string): void {
    if (!isMap(value)) return;
    const isLast = place === this.#tokens.length - 1;
    if (names.length > 1 && isLast) {
      const present = names.filter((name) => Object.hasOwn(value, name));
      const merged = Object.fromEntries(present.map((name) => [name, value[name] ?? null]));
      this.#add(merged, `${at}[${names.map((name) => `'${name}'`).join(', ')}]`);
      return;
    }
    for (const name of names) {
      if (!Object.hasOwn(value, name)) continue;
      this.#evaluate(place + 1, value[name] ?? null, `${at}['${name}']`);
    }
  }

  #element(place: number, value: Value, index: number, at: string): void {
    if (!Array.isArray(value)) return;
    const list = value as readonly Value[];
    const effective = index < 0 ? list.length + index : index;
    if (effective < 0 || effective >= list.length) return;
    this.#evaluate(place + 1, list[effective] ?? null, `${at}[${index}]`);
  }

  #slice(place: number, bounds: Extract<Token, { kind: 'slice' }>, value: Value, at: string): void {
    if (!Array.isArray(value)) return;
    const { length } = value;
    const { from, to } = bounds;
    // In a slice with one bound, a negative bound is converted here; between two bounds, each
    // negative index is converted separately.
    let [start, end] = [from ?? 0, to ?? length];
    if (to === undefined && start < 0) start = Math.max(0, length + start);
    if (from === undefined && end < 0) end = length + end;
    start = Math.max(start, -length);
    for (let index = start; index < Math.min(end, length); index += 1) {
      this.#element(place, value, index, at);
    }
  }

  #members(value: Value, at: string, visit: (member: Value, at: string) => void): void {
    if (Array.isArray(value)) {
      for (const [index, member] of (value as readonly Value[]).entries()) {
        visit(member, `${at}[${index}]`);
      }
    } else if (isMap(value)) {
      for (const [name, member] of Object.entries(value)) visit(member, `${at}['${name}']`);
    }
  }

  /** Evaluates `..`: applies the token at a position to the value and to everything in it. */
  #scan(place: number, value: Value, at: string): void {
    const token = this.#tokens[place];
    const isLast = place === this.#tokens.length - 1;
    if (Array.isArray(value) && token?.kind !== 'names') {
      if (isLast) this.#evaluate(place, value, at);
      // The library skips the token here, and searches every element for the following token.
      else this.#members(value, at, (member, where) => this.#evaluate(place + 1, member, where));
    }
    if (isMap(value) && this.#isScanned(token, value, isLast)) this.#evaluate(place, value, at);
    this.#members(value, at, (member, where) => this.#scan(place, member, where));
  }

  #isScanned(
    token: Token | undefined,
    value: Readonly<Record<string, Value>>,
    isLast: boolean,
  ): boolean {
    if (token?.kind === 'all') return true;
    if (token?.kind !== 'names') return false;
    return (
      (token.names.length > 1 && !isLast) || token.names.every((name) => Object.hasOwn(value, name))
    );
  }

  #add(value: Value, at: string): void {
    this.#found.push({ value, at });
    if (this.#found.length > foundCountMax) {
      throw expressionFailed(`A JSON path finds more than ${foundCountMax} values.`);
    }
  }
}

/** The library's functions that take arguments or change the document. */
const otherFunctions = new Set(['append', 'keys']);
const aggregations: ReadonlyMap<string, (numbers: readonly number[]) => number> = new Map([
  ['sum', (numbers) => numbers.reduce((sum, each) => sum + each, 0)],
  ['min', (numbers) => numbers.reduce((least, each) => Math.min(least, each))],
  ['max', (numbers) => numbers.reduce((most, each) => Math.max(most, each))],
  ['avg', (numbers) => numbers.reduce((sum, each) => sum + each, 0) / numbers.length],
  [
    'stddev',
    (numbers) => {
      const sum = numbers.reduce((total, each) => total + each, 0);
      const squares = numbers.reduce((total, each) => total + each * each, 0);
      return Math.sqrt(squares / numbers.length - (sum * sum) / numbers.length / numbers.length);
    },
  ],
]);
const functions: ReadonlySet<string> = new Set([
  ...aggregations.keys(),
  'length',
  'size',
  'first',
  'last',
  'index',
  'concat',
]);

function apply({ name, index }: Extract<Token, { kind: 'function' }>, value: Value): Value {
  const list = Array.isArray(value) ? (value as readonly Value[]) : undefined;
  const aggregate = aggregations.get(name);
  if (aggregate !== undefined) {
    const numbers = (list ?? []).flatMap(numberOf);
    if (numbers.length === 0) throw expressionFailed(`${name}() of a JSON path found no number.`);
    return doubleValue(aggregate(numbers));
  }
  switch (name) {
    case 'length':
    case 'size':
      return list?.length ?? (isMap(value) ? Object.keys(value).length : null);
    case 'concat':
      return (list ?? []).filter((each) => typeof each === 'string').join('');
    default:
      return elementOf(name, list ?? [], index ?? 0);
  }
}

/**
 * Returns an element by its index. As in the library, the last element of a list of one does not
 * exist.
 */
function elementOf(name: string, list: readonly Value[], index: number): Value {
  const wanted = name === 'first' ? 0 : name === 'last' ? -1 : index;
  const place = wanted < 0 ? list.length + wanted : wanted;
  if (place >= list.length || place < 0 || (wanted < 0 && place === 0)) {
    throw expressionFailed(`${name}() of a JSON path found no element.`);
  }
  return list[place] ?? null;
}

function numberOf(value: Value): readonly number[] {
  if (typeof value === 'number' || typeof value === 'bigint') return [Number(value)];
  if (value === null || typeof value !== 'object') return [];
  return 'value' in value && typeof value.value === 'number' ? [value.value] : [];
}

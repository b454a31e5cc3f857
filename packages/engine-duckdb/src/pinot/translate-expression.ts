import { formatBytes, type QueryParameters } from '@quire/core';
import { quoteIdentifier } from '../conversion/column-type.ts';
import { quoteLiteral } from '../conversion/column-plan.ts';
import { overLimit, type StatementLimits } from '../statement-limits.ts';
import { anyOf, comparable, convert, toBoolean, toText, unified } from './convert.ts';
import { type AggregateCall, aggregateOf } from './functions/aggregates.ts';
import { arrayConstructor } from './functions/arrays.ts';
import { arithmetic } from './functions/numbers.ts';
import { scalarFunctions } from './functions/scalar-functions.ts';
import { windowFunctions } from './functions/windows.ts';
import { castStored, type Column, type Scope } from './scope.ts';
import type { CallExpression, Expression, Ordering, Query, Window } from './syntax.ts';
import {
  elementOf,
  invalid,
  isArray,
  nullValue,
  numberConstant,
  type PinotType,
  textConstant,
  type Typed,
  typed,
  typeOfName,
} from './typed.ts';

/** The context of the translation of an expression. */
export interface ExpressionContext {
  readonly scope: Scope;
  /** The aliases of selected expressions, where aliases are allowed. */
  readonly aliases: ReadonlyMap<string, Typed>;
  /** Values that rows have been split into, by the arrays that contained them. */
  readonly values: ReadonlyMap<string, Typed>;
  /**
   * True in the arguments of an aggregate: aliases do not hide columns, and arrays are read whole.
   */
  readonly isAggregated: boolean;
  readonly parameters: QueryParameters | undefined;
  readonly limits: StatementLimits;
  /** Translates a query within the expression. */
  readonly query: (
    query: Query,
    scope: Scope,
  ) => { readonly sql: string; readonly columns: readonly Column[] };
}

/**
 * Translates an expression so that its value equals that of Apache Pinot. @throws QUERY_INVALID,
 * COLUMN_NOT_FOUND
 */
export function translateExpression(expression: Expression, context: ExpressionContext): Typed {
  const { limits } = context;
  const translated = translateNode(expression, context);
  // Some functions repeat their arguments, so that the text doubles with each level of nesting.
  const { length } = translated.sql;
  if (length > limits.textBytesMax) {
    throw overLimit(limits, 'textBytesMax', `${formatBytes(length)} of text once it is translated`);
  }
  return (context.isAggregated ? undefined : context.values.get(translated.sql)) ?? translated;
}

function translateNode(expression: Expression, context: ExpressionContext): Typed {
  const translate = (inner: Expression): Typed => translateExpression(inner, context);
  const condition = (inner: Expression): string => toBoolean(translate(inner));
  switch (expression.kind) {
    case 'number':
      return numberConstant(expression.text);
    case 'text':
      return textConstant(expression.value);
    case 'bytes':
      return typed('BYTES', `unhex('${expression.hex}')`);
    case 'boolean':
      return typed('BOOLEAN', String(expression.value));
    case 'null':
      return nullValue;
    case 'timestamp':
      return typed('TIMESTAMP', `CAST(${quoteLiteral(expression.value)} AS TIMESTAMP)`);
    case 'parameter':
      return parameterOf(expression.index, context);
    case 'column': {
      const [name, ...more] = expression.path;
      const alias =
        more.length === 0 && name !== undefined
          ? context.aliases.get(name.text.toLowerCase())
          : undefined;
      const own = context.isAggregated ? context.scope.find(expression.path) : undefined;
      return own ?? alias ?? context.scope.column(expression.path);
    }
    case 'star':
      throw invalid('* is allowed in SELECT and in COUNT(*) only.');
    case 'call':
      return translateCall(expression, context);
    case 'array':
      return arrayConstructor(expression.items.map(translate));
    case 'item':
      return itemOf(translate(expression.value), translate(expression.index));
    case 'negate':
      return arithmetic('-', numberConstant('0'), translate(expression.value));
    case 'not':
      return typed('BOOLEAN', `(NOT ${condition(expression.value)})`);
    case 'binary':
      return translateBinary(expression, context);
    case 'between': {
      const [value, low, high] = [expression.value, expression.low, expression.high].map(
        translate,
      ) as [Typed, Typed, Typed];
      const is = isArray(value.type)
        ? anyOf(
            value,
            (element) => `(${compare('>=', element, low)} AND ${compare('<=', element, high)})`,
          )
        : `(${compare('>=', value, low)} AND ${compare('<=', value, high)})`;
      return typed('BOOLEAN', expression.isNegated ? `(NOT ${is})` : is);
    }
    case 'like':
      return translateLike(expression, context);
    case 'in':
      return translateIn(expression, context);
    case 'is': {
      const value = translate(expression.value);
      const what = expression.what === 'UNKNOWN' ? 'NULL' : expression.what;
      const tested = what === 'NULL' ? value.sql : toBoolean(value);
      return typed('BOOLEAN', `(${tested} IS ${expression.isNegated ? 'NOT ' : ''}${what})`);
    }
    case 'distinctFrom': {
      const [left, right] = comparable(translate(expression.left), translate(expression.right));
      return typed(
        'BOOLEAN',
        `(${left.sql} IS ${expression.isNegated ? 'NOT ' : ''}DISTINCT FROM ${right.sql})`,
      );
    }
    case 'case':
      return translateCase(expression, context);
    case 'cast':
      return convert(translate(expression.value), typeOfName(expression.type.text));
    case 'exists':
      return typed('BOOLEAN', `EXISTS (${context.query(expression.query, context.scope).sql})`);
    case 'subquery': {
      const { sql, columns } = context.query(expression.query, context.scope);
      const [column, more] = columns;
      if (column === undefined || more !== undefined) {
        throw invalid('A query in an expression must have one column.');
      }
      return typed(column.type, storedAs(column, `(${sql})`));
    }
  }
}

function storedAs({ storedType }: Column, sql: string): string {
  return storedType === undefined ? sql : castStored(sql, storedType);
}

/** The types of the values of parameters. */
const parameterTypes: Readonly<Record<string, PinotType>> = { DATE: 'STRING' };

function parameterOf(index: number, { parameters = [] }: ExpressionContext): Typed {
  const given = Array.isArray(parameters)
    ? (parameters as readonly { type: PinotType }[])[index - 1]
    : undefined;
  if (!Array.isArray(parameters)) {
    throw invalid('The query has positional parameters; expected a list of values.');
  }
  if (given === undefined) return typed('STRING', `$${index}`);
  const type = parameterTypes[given.type] ?? given.type;
  return typed(
    type,
    (given.type as string) === 'DATE' ? `CAST($${index} AS VARCHAR)` : `$${index}`,
  );
}

function itemOf(value: Typed, index: Typed): Typed {
  if (value.type === 'MAP') {
    return typed('STRING', `json_extract_string(${value.sql}[${toText(index)}], '$')`);
  }
  if (isArray(value.type)) {
    return typed(elementOf(value.type), `${value.sql}[${convert(index, 'INT').sql}]`);
  }
  throw invalid(`A value of ${value.type} has no items.`);
}

const swapped: Readonly<Record<string, string>> = { '<': '>', '<=': '>=', '>': '<', '>=': '<=' };

/**
 * Translates a comparison. For a multi-value column, it is true if it is true for one of the
 * values; <> is true if no value is equal.
 */
function compare(operator: string, left: Typed, right: Typed): string {
  if (isArray(left.type) && !isArray(right.type)) {
    if (operator === '<>') return `(NOT ${anyOf(left, (element) => compare('=', element, right))})`;
    return anyOf(left, (element) => compare(operator, element, right));
  }
  if (isArray(right.type) && !isArray(left.type)) {
    return compare(swapped[operator] ?? operator, right, left);
  }
  const [one, other] = comparable(left, right);
  return `(${one.sql} ${operator} ${other.sql})`;
}

function translateBinary(
  expression: Expression & { kind: 'binary' },
  context: ExpressionContext,
): Typed {
  const { operator } = expression;
  // Long chains are nested on the left, so they are walked in a loop.
  if (operator === 'AND' || operator === 'OR') {
    const conditions: string[] = [];
    let left: Expression = expression;
    while (left.kind === 'binary' && left.operator === operator) {
      conditions.unshift(toBoolean(translateExpression(left.right, context)));
      left = left.left;
    }
    conditions.unshift(toBoolean(translateExpression(left, context)));
    return typed('BOOLEAN', `(${conditions.join(` ${operator} `)})`);
  }
  const left = translateExpression(expression.left, context);
  const right = translateExpression(expression.right, context);
  switch (operator) {
    case '||':
      return typed('STRING', `(${toText(left)} || ${toText(right)})`);
    case '+':
    case '-':
    case '*':
    case '/':
    case '%':
      return arithmetic(operator, left, right);
    default:
      return typed('BOOLEAN', compare(operator, left, right));
  }
}

/** Translates LIKE, which is case-insensitive in Apache Pinot. */
function translateLike(
  { value, pattern, escape, isNegated }: Expression & { kind: 'like' },
  context: ExpressionContext,
): Typed {
  const matched = toText(translateExpression(pattern, context));
  const escaped = escape === undefined ? "'\\'" : translateExpression(escape, context).sql;
  const like = (one: Typed): string => `(${toText(one)} ILIKE ${matched} ESCAPE ${escaped})`;
  const given = translateExpression(value, context);
  const is = isArray(given.type) ? anyOf(given, like) : like(given);
  return typed('BOOLEAN', isNegated ? `(NOT ${is})` : is);
}

function translateIn(expression: Expression & { kind: 'in' }, context: ExpressionContext): Typed {
  const value = translateExpression(expression.value, context);
  const not = expression.isNegated ? 'NOT ' : '';
  const { among } = expression;
  if (!isQuery(among)) {
    const members = among.map((item) => translateExpression(item, context));
    const listed = (of: Typed): string => {
      const pairs = members.map((member) => comparable(of, member));
      const [first] = pairs;
      // If one of them requires the value in another type, each is compared separately.
      const isPlain = pairs.every(([one]) => one.sql === first?.[0].sql);
      return isPlain
        ? `(${first?.[0].sql} IN (${pairs.map(([, other]) => other.sql).join(', ')}))`
        : `(${pairs.map(([one, other]) => `${one.sql} = ${other.sql}`).join(' OR ')})`;
    };
    return typed(
      'BOOLEAN',
      `(${not}${isArray(value.type) ? anyOf(value, listed) : listed(value)})`,
    );
  }
  const { sql, columns } = context.query(among, context.scope);
  const [column, more] = columns;
  if (column === undefined || more !== undefined) {
    throw invalid('A query after IN must have one column.');
  }
  const [one, other] = comparable(value, typed(column.type, storedAs(column, 'c')));
  const rows = other.sql === 'c' ? sql : `SELECT ${other.sql} FROM (${sql}) AS rows(c)`;
  return typed('BOOLEAN', `(${one.sql} ${not}IN (${rows}))`);
}

function isQuery(among: readonly Expression[] | Query): among is Query {
  return 'kind' in among;
}

function translateCase(
  expression: Expression & { kind: 'case' },
  context: ExpressionContext,
): Typed {
  const subject = expression.subject && translateExpression(expression.subject, context);
  const conditions = expression.branches.map(({ when }) => {
    const value = translateExpression(when, context);
    return subject === undefined ? toBoolean(value) : compare('=', subject, value);
  });
  const results = expression.branches.map(({ result }) => translateExpression(result, context));
  const otherwise = expression.otherwise && translateExpression(expression.otherwise, context);
  const same = unified(otherwise === undefined ? results : [...results, otherwise]);
  const branches = conditions.map(
    (condition, index) => `WHEN ${condition} THEN ${same[index]?.sql}`,
  );
  const end = otherwise === undefined ? '' : ` ELSE ${same.at(-1)?.sql}`;
  return typed(same[0]?.type ?? 'NULL', `CASE ${branches.join(' ')}${end} END`);
}

/** Returns the name of a function without underscores, in upper case. */
function canonical(name: string): string {
  return name.replaceAll('_', '').toUpperCase();
}

function translateCall(call: CallExpression, context: ExpressionContext): Typed {
  const name = canonical(call.name.text);
  const [first] = call.values;
  const given = name === 'COUNT' && first?.kind === 'star' ? [] : call.values;
  const aggregate = aggregateOf(name) ?? windowFunctions[name];
  const inner = aggregate === undefined ? context : { ...context, isAggregated: true };
  const values = given.map((value) => translateExpression(value, inner));
  const special = specialForm(name, values);
  if (special !== undefined) return special;
  const typedName = call.name.text;
  if (aggregate !== undefined) {
    assertArity(typedName, aggregate.arity, values.length);
    const around: AggregateCall & { readonly isIgnoringNulls: boolean } = {
      name: typedName,
      isDistinct: call.isDistinct,
      filter: call.filter && toBoolean(translateExpression(call.filter, inner)),
      over: call.over && windowOf(call.over, context),
      order: orderText(call.within, context),
      isIgnoringNulls: call.isIgnoringNulls,
    };
    return aggregate.translate(values, around);
  }
  const rule = Object.hasOwn(scalarFunctions, name) ? scalarFunctions[name] : undefined;
  if (rule === undefined) {
    throw invalid(
      `The embedded engine has no function '${typedName.slice(0, 100)}' in the dialect pinot; its guide lists the supported ones.`,
    );
  }
  if (call.over !== undefined || call.filter !== undefined) {
    throw invalid(`${typedName} is not an aggregate: OVER and FILTER cannot follow it.`);
  }
  assertArity(typedName, rule.arity, values.length);
  return rule.translate(values, { name: typedName });
}

/** Translates forms for which the SQL standard has keywords, if they are written as calls. */
function specialForm(name: string, values: readonly Typed[]): Typed | undefined {
  const [first = nullValue, second = nullValue] = values;
  switch (name) {
    case 'COALESCE': {
      const same = unified(values);
      return typed(same[0]?.type ?? 'NULL', `coalesce(${same.map(({ sql }) => sql).join(', ')})`);
    }
    case 'NULLIF': {
      const [left, right] = comparable(first, second);
      return typed(
        first.type,
        `CASE WHEN ${left.sql} = ${right.sql} THEN NULL ELSE ${first.sql} END`,
      );
    }
    case 'ISNULL':
    case 'ISNOTNULL':
      return typed('BOOLEAN', `(${first.sql} IS ${name === 'ISNULL' ? '' : 'NOT '}NULL)`);
    case 'LIKE':
      return typed('BOOLEAN', `(${toText(first)} ILIKE ${toText(second)} ESCAPE '\\')`);
    case 'EQUALS':
    case 'NOTEQUALS':
    case 'GREATERTHAN':
    case 'GREATERTHANOREQUAL':
    case 'LESSTHAN':
    case 'LESSTHANOREQUAL':
      return typed('BOOLEAN', compare(comparisonNames[name] ?? '=', first, second));
    default:
      return undefined;
  }
}

const comparisonNames: Readonly<Record<string, string>> = {
  EQUALS: '=',
  NOTEQUALS: '<>',
  GREATERTHAN: '>',
  GREATERTHANOREQUAL: '>=',
  LESSTHAN: '<',
  LESSTHANOREQUAL: '<=',
};

function assertArity(name: string, [least, most]: readonly [number, number], count: number): void {
  if (count >= least && count <= most) return;
  const expected = least === most ? String(least) : `${least} to ${most}`;
  throw invalid(`${name} has ${count} argument${count === 1 ? '' : 's'}; expected ${expected}.`);
}

function windowOf(over: NonNullable<CallExpression['over']>, context: ExpressionContext): string {
  return 'text' in over ? quoteIdentifier(over.text) : windowText(over, context);
}

/** Returns a window in DuckDB's SQL. */
export function windowText(
  { partition, order, frame }: Window,
  context: ExpressionContext,
): string {
  const parts = [
    ...(partition.length === 0
      ? []
      : [
          `PARTITION BY ${partition.map((value) => translateExpression(value, context).sql).join(', ')}`,
        ]),
    orderText(order, context).trim(),
    frame ?? '',
  ];
  return `(${parts.filter((part) => part !== '').join(' ')})`;
}

function orderText(orders: readonly Ordering[], context: ExpressionContext): string {
  if (orders.length === 0) return '';
  return ` ORDER BY ${orders.map((order) => `${translateExpression(order.value, context).sql}${directionOf(order)}`).join(', ')}`;
}

/** Returns the direction of an ordering. Null is the largest value by default. */
export function directionOf({ isDescending, nulls }: Ordering): string {
  return `${isDescending ? ' DESC' : ''} NULLS ${nulls ?? (isDescending ? 'FIRST' : 'LAST')}`;
}

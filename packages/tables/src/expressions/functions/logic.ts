import {
  boolean,
  define,
  defineNullable,
  defineVariadic,
  double,
  type FunctionDefinition,
  object,
} from './function-definition.ts';
import { Decimal, Float, Timestamp, typeOf, type Value, WholeDouble } from '../values/value.ts';

/** The difference below which doubles are equal. */
const tolerance = 1e-7;

/** Comparisons. Both sides are compared as doubles, including texts, which must be numbers. */
export const comparisonFunctions: readonly FunctionDefinition[] = [
  define(
    'equals',
    [double, double],
    boolean,
    (a, b) => Math.abs(a - b) < tolerance,
    'Whether two numbers differ by less than 10^-7; the operator `=`.',
    'equals(1, 1.0)',
  ),
  define(
    'notEquals',
    [double, double],
    boolean,
    (a, b) => Math.abs(a - b) >= tolerance,
    'Whether two numbers differ by 10^-7 or more; the operator `<>`.',
    'notEquals(1, 2)',
  ),
  define(
    'greaterThan',
    [double, double],
    boolean,
    (a, b) => a > b,
    'The operator `>`.',
    'greaterThan(2, 1)',
  ),
  define(
    'greaterThanOrEqual',
    [double, double],
    boolean,
    (a, b) => a >= b,
    'The operator `>=`.',
    'greaterThanOrEqual(2, 2)',
  ),
  define(
    'lessThan',
    [double, double],
    boolean,
    (a, b) => a < b,
    'The operator `<`.',
    'lessThan(2, 1)',
  ),
  define(
    'lessThanOrEqual',
    [double, double],
    boolean,
    (a, b) => a <= b,
    'The operator `<=`.',
    'lessThanOrEqual(2, 2)',
  ),
  define(
    'between',
    [double, double, double],
    boolean,
    (a, low, high) => a >= low && a <= high,
    'Whether a number is between two others, inclusive; `BETWEEN`.',
    'between(2, 1, 3)',
  ),
];

/**
 * `and`, `or` and `not` are part of the language: they take Booleans only and stop once the outcome
 * is certain.
 */
export const logicFunctions: readonly FunctionDefinition[] = [
  defineVariadic(
    'caseWhen case',
    object,
    true,
    (...args) => {
      for (let index = 0; index + 1 < args.length; index += 2) {
        if (args[index] === true) return args[index + 1] ?? null;
      }
      return args.length % 2 === 0 ? null : (args.at(-1) ?? null);
    },
    'The value after the first condition that is true, otherwise the last value; `CASE WHEN`. Every argument is evaluated first.',
    "caseWhen(1 = 2, 'a', 'b')",
  ),
  defineVariadic(
    'coalesce',
    object,
    true,
    (...args) => args.find((arg) => arg !== null) ?? null,
    'The first value that is not null.',
    "coalesce(null, 'x')",
  ),
  defineNullable(
    'isNull',
    [object],
    boolean,
    (a) => a === null,
    'Whether there is no value; `IS NULL`.',
    'isNull(null)',
  ),
  defineNullable(
    'isNotNull',
    [object],
    boolean,
    (a) => a !== null,
    'Whether there is a value; `IS NOT NULL`.',
    'isNotNull(1)',
  ),
  defineNullable(
    'isDistinctFrom',
    [object, object],
    boolean,
    (a, b) => !javaEquals(a, b),
    'Whether two values differ in type or value; null equals null.',
    "isDistinctFrom('a', null)",
  ),
  defineNullable(
    'isNotDistinctFrom',
    [object, object],
    boolean,
    (a, b) => javaEquals(a, b),
    'Whether two values have the same type and value.',
    "isNotDistinctFrom('a', 'a')",
  ),
  defineNullable(
    'nullIf',
    [object, object],
    object,
    (a, b) => (javaEquals(a, b) ? null : a),
    'The first value, or null if the second has the same type and value.',
    "nullIf('a', 'b')",
  ),
];

/**
 * Reports whether two values have the same type and are equal, like Java's `equals`: lists are
 * never equal, and 1 does not equal 1.0.
 */
function javaEquals(a: Value, b: Value): boolean {
  const type = typeOf(a);
  if (type !== typeOf(b)) return false;
  if (type === 'ARRAY' || type === 'BYTES') return a === b;
  if (a instanceof Decimal && b instanceof Decimal) {
    return a.unscaled === b.unscaled && a.scale === b.scale;
  }
  if (a instanceof Timestamp && b instanceof Timestamp) return a.epochMs === b.epochMs;
  if (
    (a instanceof WholeDouble && b instanceof WholeDouble) ||
    (a instanceof Float && b instanceof Float)
  ) {
    return Object.is(a.value, b.value);
  }
  if (type === 'LONG') return BigInt(a as number) === BigInt(b as number);
  if (type !== 'MAP') return Object.is(a, b);
  const [left, right] = [
    a as Readonly<Record<string, Value>>,
    b as Readonly<Record<string, Value>>,
  ];
  const names = Object.keys(left);
  return (
    names.length === Object.keys(right).length &&
    names.every(
      (name) => Object.hasOwn(right, name) && javaEquals(left[name] ?? null, right[name] ?? null),
    )
  );
}

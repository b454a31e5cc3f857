import { comparable, toDouble, toInt, toLong, unified } from '../convert.ts';
import { once, type Typed, typed } from '../typed.ts';
import { at, type FunctionRule, type FunctionTable, rule } from './function-rule.ts';

const ofOne = (write: (value: string) => string): FunctionRule =>
  rule(1, 'DOUBLE', (values) => write(toDouble(at(values, 0))));

/** Defines a function that DuckDB has under the same name. */
const same = (name: string): FunctionRule => ofOne((value) => `${name}(${value})`);

/** Defines a logarithm, which in DuckDB fails for numbers that are not positive. */
const logarithm = (name: string): FunctionRule =>
  ofOne((value) =>
    once(
      value,
      (x) =>
        `CASE WHEN ${x} > 0 THEN ${name}(${x}) WHEN ${x} = 0 THEN CAST('-inf' AS DOUBLE) WHEN ${x} IS NULL THEN NULL ELSE CAST('nan' AS DOUBLE) END`,
    ),
  );

/**
 * Translates an operation. Sums, differences and products of decimals and whole numbers are exact,
 * all others are DOUBLE.
 */
export function arithmetic(
  operator: '+' | '-' | '*' | '/' | '%',
  left: Typed,
  right: Typed,
): Typed {
  const isExact = [left, right].every(
    ({ type, constant }) =>
      ['BIG_DECIMAL', 'INT', 'LONG'].includes(type) ||
      (constant !== undefined && type === 'DOUBLE' && !/e/i.test(constant)),
  );
  const hasDecimal = left.type === 'BIG_DECIMAL' || right.type === 'BIG_DECIMAL';
  if (hasDecimal && isExact && operator !== '/' && operator !== '%') {
    const sqlOf = ({ type, sql, constant }: Typed): string =>
      type === 'DOUBLE' && constant !== undefined ? `(${constant})` : sql;
    return typed('BIG_DECIMAL', `(${sqlOf(left)} ${operator} ${sqlOf(right)})`);
  }
  if (operator === '%') return remainder(left, right);
  return typed('DOUBLE', `(${toDouble(left)} ${operator} ${toDouble(right)})`);
}

/** The remainder has the sign of the dividend; it is NaN if the divisor is 0. */
function remainder(left: Typed, right: Typed): Typed {
  return typed(
    'DOUBLE',
    `coalesce(${toDouble(left)} % ${toDouble(right)}, ${toDouble(left)} + ${toDouble(right)} + CAST('nan' AS DOUBLE))`,
  );
}

const operation = (operator: '+' | '-' | '*' | '/' | '%'): FunctionRule => ({
  arity: [2, operator === '+' || operator === '*' ? 20 : 2],
  translate: (values) =>
    values
      .slice(2)
      .reduce(
        (sum, value) => arithmetic(operator, sum, value),
        arithmetic(operator, at(values, 0), at(values, 1)),
      ),
});

const extreme = (name: 'greatest' | 'least'): FunctionRule => ({
  arity: [1, 20],
  translate: (values) => {
    const same = unified(values);
    const list = same.map(({ sql }) => sql);
    // One null makes the result null, while DuckDB ignores nulls.
    const isNull = list.map((sql) => `${sql} IS NULL`).join(' OR ');
    return typed(
      at(same, 0).type,
      `CASE WHEN ${isNull} THEN NULL ELSE ${name}(${list.join(', ')}) END`,
    );
  },
});

/** Defines a function for the operator. */
const distinctFrom = (operator: string): FunctionRule =>
  rule(2, 'BOOLEAN', (values) => {
    const [left, right] = comparable(at(values, 0), at(values, 1));
    return `(${left.sql} ${operator} ${right.sql})`;
  });

/**
 * Rounds halves away from zero, like BigDecimal; to whole numbers, halves are rounded up, like
 * Math.round.
 */
const roundDecimal = rule([1, 2], 'DOUBLE', (values) =>
  values.length === 1
    ? `floor(${toDouble(at(values, 0))} + 0.5e0)`
    : once(toDouble(at(values, 0)), (x) => {
        const digits = toInt(at(values, 1));
        // The decimal digits count: 1.005 is a little less in binary. Other numbers have too many.
        const decimal = `CASE WHEN ${digits} <= 15 THEN TRY_CAST(CAST(${x} AS VARCHAR) AS DECIMAL(38, 22)) END`;
        return `coalesce(CAST(round(${decimal}, ${digits}) AS DOUBLE), round(${x}, ${digits}))`;
      }),
);

/** Functions of numbers. */
export const numberFunctions: FunctionTable = {
  ADD: operation('+'),
  PLUS: operation('+'),
  SUB: operation('-'),
  MINUS: operation('-'),
  MULT: operation('*'),
  TIMES: operation('*'),
  DIV: operation('/'),
  DIVIDE: operation('/'),
  MOD: operation('%'),
  ABS: same('abs'),
  CEIL: same('ceil'),
  CEILING: same('ceil'),
  FLOOR: same('floor'),
  EXP: same('exp'),
  SIGN: ofOne((value) => `CAST(sign(${value}) AS DOUBLE)`),
  SIN: same('sin'),
  COS: same('cos'),
  TAN: same('tan'),
  COT: same('cot'),
  ASIN: same('asin'),
  ACOS: same('acos'),
  ATAN: same('atan'),
  SINH: same('sinh'),
  COSH: same('cosh'),
  TANH: same('tanh'),
  DEGREES: same('degrees'),
  RADIANS: same('radians'),
  SQRT: ofOne((value) =>
    once(value, (x) => `CASE WHEN ${x} < 0 THEN CAST('nan' AS DOUBLE) ELSE sqrt(${x}) END`),
  ),
  LN: logarithm('ln'),
  LOG: logarithm('ln'),
  LOG2: logarithm('log2'),
  LOG10: logarithm('log10'),
  POWER: rule(
    2,
    'DOUBLE',
    (values) => `power(${toDouble(at(values, 0))}, ${toDouble(at(values, 1))})`,
  ),
  POW: rule(
    2,
    'DOUBLE',
    (values) => `power(${toDouble(at(values, 0))}, ${toDouble(at(values, 1))})`,
  ),
  ATAN2: rule(
    2,
    'DOUBLE',
    (values) => `atan2(${toDouble(at(values, 0))}, ${toDouble(at(values, 1))})`,
  ),
  HYPOT: rule(2, 'DOUBLE', (values) => {
    const [x, y] = [toDouble(at(values, 0)), toDouble(at(values, 1))];
    return `sqrt(${x} * ${x} + ${y} * ${y})`;
  }),
  ISDISTINCTFROM: distinctFrom('IS DISTINCT FROM'),
  ISNOTDISTINCTFROM: distinctFrom('IS NOT DISTINCT FROM'),
  TRUNCATE: rule([1, 2], 'DOUBLE', (values) =>
    values.length === 1
      ? `trunc(${toDouble(at(values, 0))})`
      : `CAST(trunc(CAST(CAST(${toDouble(at(values, 0))} AS VARCHAR) AS DECIMAL(38, 15)), ${toInt(at(values, 1))}) AS DOUBLE)`,
  ),
  ROUNDDECIMAL: roundDecimal,
  // Rounds down to a multiple of the second argument, usually a span of time.
  ROUND: rule(
    2,
    'LONG',
    (values) => `(${toLong(at(values, 0))} // ${toLong(at(values, 1))} * ${toLong(at(values, 1))})`,
  ),
  GREATEST: extreme('greatest'),
  LEAST: extreme('least'),
  INTDIV: rule(
    2,
    'LONG',
    (values) => `CAST(floor(${toDouble(at(values, 0))} / ${toDouble(at(values, 1))}) AS BIGINT)`,
  ),
  GCD: rule(2, 'LONG', (values) => `gcd(${toLong(at(values, 0))}, ${toLong(at(values, 1))})`),
  LCM: rule(2, 'LONG', (values) => `lcm(${toLong(at(values, 0))}, ${toLong(at(values, 1))})`),
  BITAND: rule(2, 'LONG', (values) => `(${toLong(at(values, 0))} & ${toLong(at(values, 1))})`),
  BITOR: rule(2, 'LONG', (values) => `(${toLong(at(values, 0))} | ${toLong(at(values, 1))})`),
  BITXOR: rule(2, 'LONG', (values) => `xor(${toLong(at(values, 0))}, ${toLong(at(values, 1))})`),
};

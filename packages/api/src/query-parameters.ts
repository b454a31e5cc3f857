import { type QueryParameter, type QueryParameters, QuireError } from '@quire/core/portable';
import { Type } from '@quire/core/schema';

/** The type of a parameter's value. */
export type ParameterType = QueryParameter['type'];

const expectations: Readonly<Record<ParameterType, string>> = {
  NULL: 'null',
  BOOLEAN: 'true or false',
  INT: 'an integer from -2147483648 to 2147483647',
  LONG: 'an integer of 64 bits, as text, or as a number up to 2^53 - 1',
  DOUBLE: "a number, 'NaN', 'Infinity' or '-Infinity'",
  BIG_DECIMAL: "a number of up to 38 digits, as text such as '-12.50'",
  STRING: 'text without a NUL character and without half of a surrogate pair',
  DATE: "a day of the years 1 to 9999, such as '2024-02-29'",
  TIMESTAMP:
    "a time in UTC, such as '2024-02-29 23:59:59.123'; beyond microseconds in the years 1678 to 2261",
  BYTES: "hexadecimal digits, two for a byte, such as '00ff'",
};

/** The types of parameter values. */
export const parameterTypes = Object.keys(expectations) as readonly ParameterType[];

/**
 * `parameters` of the body. Its values are only described here; `parseQueryParameters` validates
 * them with better messages.
 */
export const QueryParameterValues = Type.Unsafe<unknown>({
  description:
    'Values for the parameters in the SQL: a list for ? and $1, an object for $name; null means none. They are bound, never inserted into the text. ' +
    'A value is null, a boolean, a number or text, with the same meaning as in SQL; or an object with a type and a value, where ' +
    'that is not sufficient: integers beyond 2^53 - 1 as LONG or BIG_DECIMAL, and DATE, TIMESTAMP (in UTC) and BYTES (hexadecimal).',
  examples: [[10, 'JFK'], { day: { type: 'DATE', value: '2024-02-29' } }],
});

/**
 * Parses the values of a query's parameters: a list, or an object by name; null means none, because
 * typed clients send it for unset members. Each is `{ type, value }`, or a plain JSON value with
 * the type that it would have in SQL: null, a boolean, text, a number.
 *
 * @throws INVALID_BODY when a value does not match its type, or a plain number is an integer that
 *   has lost digits
 */
export function parseQueryParameters(parameters: unknown): QueryParameters {
  if (parameters === null) return [];
  if (Array.isArray(parameters)) {
    return parameters.map((value: unknown, index) => parseParameter(String(index + 1), value));
  }
  if (typeof parameters === 'object' && parameters !== null) {
    return Object.fromEntries(
      Object.entries(parameters).map(([name, value]) => [name, parseParameter(name, value)]),
    );
  }
  throw new QuireError(
    'INVALID_BODY',
    `parameters is ${show(parameters)}; expected a list of values, or an object with names.`,
  );
}

function parseParameter(name: string, given: unknown): QueryParameter {
  if (given === null) return { type: 'NULL', value: null };
  if (typeof given === 'boolean') return { type: 'BOOLEAN', value: given };
  if (typeof given === 'string') return parseTyped(name, 'STRING', given);
  if (typeof given === 'number') return parseNumber(name, given);
  if (typeof given === 'object' && 'type' in given && 'value' in given) {
    return parseTyped(name, given.type, given.value);
  }
  throw new QuireError(
    'INVALID_BODY',
    `Parameter ${name} is ${show(given)}; expected null, a boolean, a number, text, or an object with type and value.`,
  );
}

/** Parses a number like a literal in SQL: the narrowest type that holds it. */
function parseNumber(name: string, value: number): QueryParameter {
  if (!Number.isInteger(value)) return parseTyped(name, 'DOUBLE', value);
  if (Number.isSafeInteger(value)) {
    return isInt(value) ? { type: 'INT', value } : { type: 'LONG', value: String(value) };
  }
  throw new QuireError(
    'INVALID_BODY',
    `Parameter ${name} is ${value}, which may have lost digits; expected an integer beyond 2^53 - 1 as {"type": "LONG", "value": "…"}, ` +
      'or another number with its type.',
  );
}

function parseTyped(name: string, type: unknown, value: unknown): QueryParameter {
  if (typeof type !== 'string' || !Object.hasOwn(expectations, type)) {
    throw new QuireError(
      'INVALID_BODY',
      `Parameter ${name} has the type ${show(type)}; expected ${parameterTypes.join(', ')}.`,
    );
  }
  const known = type as ParameterType;
  const parameter = fit(known, value);
  if (parameter !== undefined) return parameter;
  throw new QuireError(
    'INVALID_BODY',
    `Parameter ${name} of type ${type} is ${show(value)}; expected ${expectations[known]}.`,
  );
}

function fit(type: ParameterType, value: unknown): QueryParameter | undefined {
  switch (type) {
    case 'NULL':
      return value === null ? { type, value } : undefined;
    case 'BOOLEAN':
      return typeof value === 'boolean' ? { type, value } : undefined;
    case 'INT':
      return isInt(value) ? { type, value } : undefined;
    case 'DOUBLE':
      return isDouble(value) ? { type, value } : undefined;
    case 'LONG': {
      const digits = Number.isSafeInteger(value) ? String(value) : value;
      return isMatch(digits, /^-?\d{1,19}$/) && BigInt.asIntN(64, BigInt(digits)) === BigInt(digits)
        ? { type, value: digits }
        : undefined;
    }
    case 'BIG_DECIMAL':
      return isMatch(value, /^-?(?=[\d.]{1,39}$)\d+(?:\.\d+)?$/) &&
        value.replace(/[-.]/g, '').length <= 38
        ? { type, value }
        : undefined;
    case 'STRING':
      return typeof value === 'string' && !value.includes('\0') && value.isWellFormed()
        ? { type, value }
        : undefined;
    case 'DATE':
      return isMatch(value, /^\d{4}-\d{2}-\d{2}$/) && isDay(value) ? { type, value } : undefined;
    case 'TIMESTAMP':
      return isTimestamp(value) ? { type, value } : undefined;
    case 'BYTES':
      return isMatch(value, /^(?:[0-9a-f]{2})*$/i) ? { type, value } : undefined;
  }
}

function isInt(value: unknown): value is number {
  return typeof value === 'number' && (value | 0) === value && !Object.is(value, -0);
}

function isDouble(value: unknown): value is number | 'NaN' | 'Infinity' | '-Infinity' {
  return Number.isFinite(value) || value === 'NaN' || value === 'Infinity' || value === '-Infinity';
}

function isMatch(value: unknown, pattern: RegExp): value is string {
  return typeof value === 'string' && pattern.test(value);
}

/** Reports whether the calendar has the day: 29 February exists only in leap years. */
function isDay(text: string): boolean {
  const timeMs = Date.parse(`${text}T00:00:00Z`);
  return text >= '0001' && !Number.isNaN(timeMs) && new Date(timeMs).toISOString().startsWith(text);
}

function isTimestamp(value: unknown): value is string {
  const match =
    typeof value === 'string'
      ? /^(\d{4}-\d{2}-\d{2})[ T](\d{2}):(\d{2}):(\d{2})(?:\.(\d{1,9}))?Z?$/.exec(value)
      : null;
  if (match === null) return false;
  const [, day = '', hours = '', minutes = '', seconds = '', fraction = ''] = match;
  // 64 bits of nanoseconds cover only these years.
  if (fraction.length > 6 && (day < '1678' || day > '2262')) return false;
  return isDay(day) && hours < '24' && minutes < '60' && seconds < '60';
}

const shownLengthMax = 60;

/**
 * Shows the first level of a value, because deeper levels may be nested too deeply for
 * JSON.stringify.
 */
function show(value: unknown): string {
  // JSON has such numbers, and JavaScript reads them as infinities.
  if (value === Infinity || value === -Infinity) return 'a number beyond the range of a double';
  const text = JSON.stringify(value, withoutNested) ?? String(value);
  return text.length > shownLengthMax ? `${text.slice(0, shownLengthMax)}…` : text;
}

function withoutNested(key: string, value: unknown): unknown {
  return key === '' || typeof value !== 'object' || value === null ? value : '…';
}

import { type QueryParameter, QuireError } from '@quire/core/portable';

/**
 * A value for a parameter of a query. A Date is a TIMESTAMP, bytes are BYTES. A bigint is a LONG,
 * or a BIG_DECIMAL if it is too large. A number is the smallest of INT, LONG or DOUBLE that holds
 * it; −0 is a DOUBLE. `{ type, value }` sets the type explicitly.
 */
export type ParameterValue =
  | null
  | boolean
  | number
  | bigint
  | string
  | Date
  | Uint8Array
  | QueryParameter;

/** Values by position, for `?` or `$1`, or by name, for `$name`. */
export type ParameterValues = readonly ParameterValue[] | Readonly<Record<string, ParameterValue>>;

/**
 * Returns the values for the body of a query. @throws INVALID_PARAMETER when a value cannot be
 * encoded
 */
export function encodeParameters(values: ParameterValues): unknown {
  if (isList(values)) return values.map((value, index) => encodeValue(String(index + 1), value));
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => [name, encodeValue(name, value)]),
  );
}

function encodeValue(
  name: string,
  value: ParameterValue,
): null | boolean | number | string | QueryParameter {
  if (typeof value === 'bigint') return encodeInteger(name, value);
  if (value instanceof Date) return { type: 'TIMESTAMP', value: encodeTime(name, value) };
  if (value instanceof Uint8Array) return { type: 'BYTES', value: hexadecimal(value) };
  if (typeof value === 'number') return encodeNumber(value);
  // Untyped JavaScript may pass anything, and JSON would omit it.
  if (value !== null && !['boolean', 'string', 'object'].includes(typeof value)) {
    throw new QuireError(
      'INVALID_PARAMETER',
      `Parameter ${name} is of the type ${typeof value}; expected a value, or null for NULL.`,
    );
  }
  return value;
}

function encodeNumber(value: number): number | QueryParameter {
  if (Object.is(value, -0)) return { type: 'DOUBLE', value };
  if (Number.isSafeInteger(value)) return value;
  if (Number.isFinite(value)) return Number.isInteger(value) ? { type: 'DOUBLE', value } : value;
  return {
    type: 'DOUBLE',
    value: Number.isNaN(value) ? 'NaN' : value > 0 ? 'Infinity' : '-Infinity',
  };
}

function encodeInteger(name: string, value: bigint): QueryParameter {
  if (BigInt.asIntN(64, value) === value) return { type: 'LONG', value: String(value) };
  if (value > -(10n ** 38n) && value < 10n ** 38n) {
    return { type: 'BIG_DECIMAL', value: String(value) };
  }
  throw new QuireError(
    'INVALID_PARAMETER',
    `Parameter ${name} is ${value}; expected an integer of 38 digits at most.`,
  );
}

function encodeTime(name: string, time: Date): string {
  const year = time.getUTCFullYear();
  if (year >= 1 && year <= 9999) return time.toISOString().replace('T', ' ').replace('Z', '');
  throw new QuireError(
    'INVALID_PARAMETER',
    `Parameter ${name} is a Date of the year ${year}; expected a time in the years 1 to 9999.`,
  );
}

function hexadecimal(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

function isList(values: ParameterValues): values is readonly ParameterValue[] {
  return Array.isArray(values);
}

import type { SourceValue } from '../../row.ts';
import { parseTimestamp } from '../datetime/timestamp.ts';
import { expressionFailed } from '../expression-error.ts';
import type { Parameter, PresentValue } from '../parameter.ts';
import { boolean, bytes, double, integer, long, number, text } from '../parameters.ts';
import { plainDecimal } from './decimal.ts';
import { writeJson } from './json.ts';
import { kindOf } from './kind-of.ts';

const castTypes = ['INT', 'LONG', 'FLOAT', 'DOUBLE', 'BIG_DECIMAL', 'BOOLEAN', 'TIMESTAMP', 'STRING', 'JSON', 'BYTES'] as const;

/** A type that a value can be cast to. */
export type CastType = (typeof castTypes)[number];

/** What SQL and Java call the types. */
const otherNames: Readonly<Record<string, CastType>> = {
  INTEGER: 'INT',
  BIGINT: 'LONG',
  REAL: 'FLOAT',
  DECIMAL: 'BIG_DECIMAL',
  BIGDECIMAL: 'BIG_DECIMAL',
  NUMERIC: 'BIG_DECIMAL',
  BOOL: 'BOOLEAN',
  VARCHAR: 'STRING',
  CHAR: 'STRING',
  TEXT: 'STRING',
  VARBINARY: 'BYTES',
};

/** A type as a function takes it. */
export const castType: Parameter<CastType> = {
  type: 'type',
  read(value, place) {
    const name = text.read(value, place).toUpperCase();
    const type = castTypes.find((known) => known === name) ?? (Object.hasOwn(otherNames, name) ? otherNames[name] : undefined);
    if (type !== undefined) return type;
    throw expressionFailed(`Expected ${castTypes.join(', ')} as ${place}, found ${kindOf(value)}.`);
  },
};

/**
 * Converts a value to a type; fractions are cut off towards zero, integers keep all digits.
 *
 * @throws EXPRESSION_FAILED when the value is none of the type, or beyond its range
 */
export function castValue(value: PresentValue, type: CastType): SourceValue {
  const place = `a value of ${type}`;
  switch (type) {
    case 'INT': {
      const whole = integer.read(value, place);
      if (whole !== (whole | 0)) throw expressionFailed(`${whole} does not fit INT, which has 32 bits.`);
      return whole;
    }
    case 'LONG':
      return long.read(value, place);
    case 'FLOAT':
      return Math.fround(double.read(value, place));
    case 'DOUBLE':
      return double.read(value, place);
    case 'BIG_DECIMAL':
      return plainDecimal(typeof value === 'string' ? value : String(number.read(value, place)));
    case 'BOOLEAN':
      return boolean.read(value, place);
    case 'TIMESTAMP':
      return typeof value === 'string' ? parseTimestamp(value) : integer.read(value, place);
    case 'STRING':
      return isCompound(value) ? writeJson(value) : text.read(value, place);
    case 'JSON':
      return typeof value === 'string' ? value : writeJson(value);
    case 'BYTES':
      return bytes.read(value, place);
  }
}

function isCompound(value: PresentValue): boolean {
  return typeof value === 'object' && !(value instanceof Uint8Array);
}

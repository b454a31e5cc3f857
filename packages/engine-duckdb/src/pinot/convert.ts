import { quoteLiteral } from '../conversion/column-plan.ts';
import {
  arrayOf,
  elementOf,
  invalid,
  isArray,
  isNumeric,
  isText,
  numberConstant,
  once,
  type PinotType,
  type ScalarType,
  sqlTypeOf,
  type Typed,
  typed,
} from './typed.ts';

/*
 * Conversions of values to other types, as in Apache Pinot: a time becomes its milliseconds since
 * 1970, an integer loses the fraction, and the text of a number is formatted as in Java.
 */

/** Converts a value to DOUBLE, the type of all arithmetic. */
export function toDouble(value: Typed): string {
  const { type, sql, constant } = value;
  if (type === 'DOUBLE') return sql;
  if (constant !== undefined && (type === 'INT' || type === 'LONG')) return doubleOf(constant);
  if (constant !== undefined && type === 'STRING') return numberOfText(constant).sql;
  if (type === 'TIMESTAMP') return `CAST(epoch_ms(${sql}) AS DOUBLE)`;
  if (type === 'BYTES' || isArray(type)) throw invalid(`${described(value)} is not a number.`);
  return `CAST(${sql} AS DOUBLE)`;
}

function doubleOf(text: string): string {
  return text.startsWith('-') ? `(${text}e0)` : `${text}e0`;
}

/** @throws QUERY_INVALID */
function numberOfText(text: string): Typed {
  const trimmed = text.trim();
  if (/^[+-]?(?:Infinity|NaN)$/.test(trimmed)) {
    return typed('DOUBLE', `CAST('${trimmed}' AS DOUBLE)`);
  }
  if (!/^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?$/.test(trimmed)) {
    throw invalid(`'${text}' is used as a number, but is not a number.`);
  }
  const number = numberConstant(trimmed.replace(/^\+/, ''));
  return number.type === 'DOUBLE'
    ? number
    : { ...number, type: 'DOUBLE', sql: doubleOf(number.constant ?? '') };
}

/** Converts a value to LONG. */
export function toLong(value: Typed): string {
  const { type, sql } = value;
  if (type === 'LONG') return sql;
  if (type === 'TIMESTAMP') return `epoch_ms(${sql})`;
  if (type === 'INT' || type === 'BOOLEAN' || type === 'NULL') return `CAST(${sql} AS BIGINT)`;
  if (isText(type)) return `CAST(trunc(CAST(${sql} AS DECIMAL(38, 9))) AS BIGINT)`;
  return `CAST(trunc(${toNumber(value)}) AS BIGINT)`;
}

export function toInt(value: Typed): string {
  return value.type === 'INT' ? value.sql : `CAST(${toLong(value)} AS INTEGER)`;
}

/** Converts a value to a number: of its own type if it is one, otherwise DOUBLE. */
function toNumber(value: Typed): string {
  return isNumeric(value.type) ? value.sql : toDouble(value);
}

/** Converts a value to text, as Apache Pinot writes it. */
export function toText(value: Typed): string {
  const { type, sql, constant } = value;
  if (type === 'STRING') return sql;
  if (constant !== undefined && (type === 'INT' || type === 'LONG')) return quoteLiteral(constant);
  switch (type) {
    case 'DOUBLE':
    case 'FLOAT':
      return javaText(sql);
    case 'TIMESTAMP':
      return `regexp_replace(strftime(${sql}, '%Y-%m-%d %H:%M:%S.%g'), '0{1,2}$', '')`;
    case 'BYTES':
      return `lower(hex(${sql}))`;
    default:
      if (isArray(type)) throw invalid(`${described(value)} is not a single value.`);
      return `CAST(${sql} AS VARCHAR)`;
  }
}

/** Writes a number like Java, with an exponent from 10^7 on and below 10^-3. */
function javaText(sql: string): string {
  const exponent = (text: string): string =>
    `regexp_replace(replace(${text}, 'e+', 'E'), 'e', 'E')`;
  const withPoint = (text: string): string => `regexp_replace(${text}, '^(-?\\d)E', '\\1.0E')`;
  return once(`CAST(${sql} AS VARCHAR)`, (text) => {
    const digits = `regexp_replace(regexp_replace(${text}, '[-.]', '', 'g'), '0+$', '')`;
    const sign = `CASE WHEN ${text} LIKE '-%' THEN '-' ELSE '' END`;
    const large = `${sign} || ${digits}[1] || '.' || CASE WHEN length(${digits}) > 1 THEN ${digits}[2:] ELSE '0' END || 'E' || CAST(strpos(ltrim(${text}, '-'), '.') - 2 AS VARCHAR)`;
    const small = `${sign} || ltrim(${digits}, '0')[1] || '.' || CASE WHEN length(ltrim(${digits}, '0')) > 1 THEN ltrim(${digits}, '0')[2:] ELSE '0' END || 'E-' || CAST(length(${digits}) - length(ltrim(${digits}, '0')) AS VARCHAR)`;
    return `CASE WHEN contains(${text}, 'n') THEN CASE ${text} WHEN 'nan' THEN 'NaN' WHEN 'inf' THEN 'Infinity' ELSE '-Infinity' END WHEN contains(${text}, 'e') THEN regexp_replace(${withPoint(exponent(text))}, 'E(-?)0+', 'E\\1') WHEN strpos(ltrim(${text}, '-'), '.') > 8 THEN ${large} WHEN regexp_matches(${text}, '^-?0\\.000*[1-9]') AND regexp_matches(${text}, '^-?0\\.000') THEN ${small} ELSE ${text} END`;
  });
}

/** Converts a value to a timestamp. */
function toTimestamp(value: Typed): string {
  const { type, sql, constant } = value;
  if (type === 'TIMESTAMP' || type === 'NULL') return `CAST(${sql} AS TIMESTAMP)`;
  if (isText(type)) {
    return constant !== undefined && /^-?\d+$/.test(constant)
      ? `epoch_ms(CAST(${constant} AS BIGINT))`
      : `CAST(${sql} AS TIMESTAMP)`;
  }
  return `epoch_ms(${toLong(value)})`;
}

export function toBoolean(value: Typed): string {
  const { type, sql, constant } = value;
  if (type === 'BOOLEAN') return sql;
  if (constant !== undefined && isText(type)) return String(/^(?:true|1)$/i.test(constant));
  if (isText(type)) return `(lower(${sql}) IN ('true', '1'))`;
  if (isNumeric(type)) return `(${sql} <> 0)`;
  return `CAST(${sql} AS BOOLEAN)`;
}

/** Converts a value to bytes; text is read as hexadecimal digits. */
export function toBytes(value: Typed): string {
  const { type, sql, constant } = value;
  if (type === 'BYTES' || type === 'NULL') return sql;
  if (constant !== undefined && !/^(?:[0-9a-fA-F]{2})*$/.test(constant)) {
    throw invalid(`'${constant}' is used as bytes, but is not pairs of hexadecimal digits.`);
  }
  if (isText(type)) return `unhex(${sql})`;
  throw invalid(`${described(value)} is not bytes.`);
}

/** Converts a value to another type. @throws QUERY_INVALID when it cannot be converted */
export function convert(value: Typed, type: PinotType): Typed {
  if (value.type === type) return value;
  if (value.type === 'NULL') return typed(type, `CAST(${value.sql} AS ${sqlTypeOf(type)})`);
  if (isArray(type)) return convertArray(value, type);
  switch (type) {
    case 'INT':
      return typed(type, value.type === 'BOOLEAN' ? `CAST(${value.sql} AS INTEGER)` : toInt(value));
    case 'LONG':
      return typed(type, toLong(value));
    case 'FLOAT':
      return typed(type, `CAST(${toNumber(value)} AS FLOAT)`);
    case 'DOUBLE':
      return typed(type, toDouble(value));
    case 'BIG_DECIMAL':
      return typed(type, decimalOf(value));
    case 'BOOLEAN':
      return typed(type, toBoolean(value));
    case 'TIMESTAMP':
      return typed(type, toTimestamp(value));
    case 'BYTES':
      return typed(type, toBytes(value));
    case 'JSON':
      return typed(type, `CAST(${toText(value)} AS JSON)`);
    case 'STRING':
      return typed(type, toText(value));
    default:
      return value;
  }
}

function decimalOf(value: Typed): string {
  const { type, sql, constant } = value;
  if (constant !== undefined && isNumeric(type) && !/e/i.test(constant)) {
    return constant.startsWith('-') ? `(${constant})` : constant;
  }
  if (type === 'INT' || type === 'LONG') return `CAST(${sql} AS DECIMAL(19, 0))`;
  if (type === 'TIMESTAMP') return `CAST(epoch_ms(${sql}) AS DECIMAL(19, 0))`;
  if (type === 'DOUBLE' || type === 'FLOAT') {
    return `CAST(CAST(${sql} AS VARCHAR) AS DECIMAL(38, 15))`;
  }
  return `CAST(${toText(value)} AS DECIMAL(38, 10))`;
}

function convertArray(value: Typed, type: PinotType): Typed {
  const element = elementOf(type);
  if (!isArray(value.type)) return typed(type, `[${convert(value, element).sql}]`);
  const converted = convert(typed(elementOf(value.type), 'e'), element).sql;
  return typed(type, `list_transform(${value.sql}, lambda e: ${converted})`);
}

/** Returns the common type of several values. @throws QUERY_INVALID when there is none */
export function commonType(values: readonly Typed[]): PinotType {
  const types: readonly PinotType[] = [
    ...new Set(values.map(({ type }) => type).filter((type) => type !== 'NULL')),
  ];
  const [first = 'NULL', ...more] = types;
  if (more.length === 0) return first;
  if (types.some(isArray)) {
    const elements = types.map((type) => typed(elementOf(type), ''));
    return arrayOf(commonType(elements) as ScalarType);
  }
  if (types.some(isText)) return 'STRING';
  if (types.includes('BYTES') || types.includes('MAP')) {
    throw invalid(`Values of ${types.join(' and ')} have no type in common.`);
  }
  if (types.includes('TIMESTAMP')) return types.includes('DOUBLE') ? 'DOUBLE' : 'LONG';
  const order: readonly PinotType[] = ['BOOLEAN', 'INT', 'LONG', 'FLOAT', 'DOUBLE'];
  if (types.includes('BIG_DECIMAL')) return 'BIG_DECIMAL';
  if (types.includes('LONG') && types.includes('FLOAT')) return 'DOUBLE';
  return order.findLast((type) => types.includes(type)) ?? 'DOUBLE';
}

/** Converts all values to their common type. */
export function unified(values: readonly Typed[]): readonly Typed[] {
  const type = commonType(values);
  return values.map((value) => (value.type === type ? value : convert(value, type)));
}

/** Converts two values to the types in which they are compared. */
export function comparable(left: Typed, right: Typed): readonly [Typed, Typed] {
  if (left.type === right.type || left.type === 'NULL' || right.type === 'NULL') {
    return [left, right];
  }
  const swapped = (): readonly [Typed, Typed] => {
    const [b, a] = comparable(right, left);
    return [a, b];
  };
  const rank: readonly PinotType[] = [
    'BYTES',
    'TIMESTAMP',
    'BOOLEAN',
    'BIG_DECIMAL',
    'FLOAT',
    'DOUBLE',
    'LONG',
    'INT',
  ];
  const rankOf = (type: PinotType): number =>
    (rank.indexOf(type) + rank.length + 1) % (rank.length + 1);
  if (rankOf(left.type) > rankOf(right.type)) return swapped();
  switch (left.type) {
    case 'BYTES':
      return [left, typed('BYTES', toBytes(right))];
    case 'TIMESTAMP':
      // A column that is not converted lets DuckDB skip row groups.
      return right.type === 'DOUBLE' || right.type === 'FLOAT' || right.type === 'BIG_DECIMAL'
        ? [typed('DOUBLE', toDouble(left)), typed('DOUBLE', toDouble(right))]
        : [left, typed('TIMESTAMP', toTimestamp(right))];
    case 'BOOLEAN':
      return [left, typed('BOOLEAN', toBoolean(right))];
    case 'BIG_DECIMAL':
      return right.constant === undefined &&
        (right.type === 'DOUBLE' || right.type === 'FLOAT' || isText(right.type))
        ? [typed('DOUBLE', toDouble(left)), typed('DOUBLE', toDouble(right))]
        : [left, typed('BIG_DECIMAL', decimalOf(right))];
    case 'FLOAT':
      // A constant is compared as a FLOAT: 0.1 equals a stored 0.1.
      if (right.constant !== undefined) {
        return [left, typed('FLOAT', `CAST(${toDouble(right)} AS FLOAT)`)];
      }
      return [left, typed('DOUBLE', toDouble(right))];
    case 'DOUBLE':
    case 'LONG':
    case 'INT':
      if (!isText(right.type)) return [left, right];
      // A DOUBLE would also equal the neighbours of a large LONG.
      if (right.constant !== undefined && /^\s*[+-]?\d+\s*$/.test(right.constant)) {
        const whole = numberConstant(String(BigInt(right.constant.trim().replace('+', ''))));
        if (whole.type !== 'DOUBLE') return [left, whole];
      }
      return right.constant === undefined && left.constant !== undefined
        ? [typed('STRING', quoteLiteral(left.constant)), right]
        : [left, typed('DOUBLE', toDouble(right))];
    default:
      return [typed('STRING', toText(left)), typed('STRING', toText(right))];
  }
}

/** Returns a condition that is true if it is true for one of the values of a multi-value column. */
export function anyOf(array: Typed, condition: (element: Typed) => string): string {
  const holds = `list_transform(${array.sql}, lambda e: ${condition(typed(elementOf(array.type), 'e'))})`;
  return `list_contains(${holds}, true)`;
}

/** Describes a value for a message. */
function described({ type, constant }: Typed): string {
  return constant === undefined ? `A value of ${type}` : `'${constant}'`;
}

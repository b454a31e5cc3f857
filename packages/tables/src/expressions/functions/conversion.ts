import { expressionFailed } from '../values/expression-error.ts';
import {
  bytes,
  decimal,
  define,
  type FunctionDefinition,
  long,
  object,
  text,
  type Type,
  withUtf8,
} from './function-definition.ts';
import {
  bytesOfHex,
  saturatedLong,
  toBoolean,
  toBytes,
  toDecimal,
  toDouble,
  toFloat,
  toInt,
  toLong,
  toMap,
  toText,
  toTimestamp,
} from '../values/convert.ts';
import { Decimal, doubleValue, Float, type PresentValue, type Value } from '../values/value.ts';
import { parseDouble, parseTimestamp, parseWhole } from '../values/text.ts';
import { parseExactJson, writeJson } from '../values/json.ts';

/** The name of a type to convert a value to. */
const target: Type<Cast> = {
  name: 'String',
  read: (value) => parseCast(toText(value)),
  write: () => null,
};

/** A character set by its name; undefined if it is unknown. */
const charset: Type<Charset | undefined> = {
  name: 'String',
  read: (value) => charsetOf(toText(value)),
  write: () => null,
};

/** Functions that convert values. Text instead of bytes is parsed as hex digits. */
export const conversionFunctions: readonly FunctionDefinition[] = [
  define(
    'cast',
    [object, target],
    object,
    (value, convert) => (value === null ? null : convert(value)),
    'The value as another type; written `CAST(a AS LONG)`.',
    "CAST('42.9' AS INT)",
  ),
  define(
    'bigDecimalToBytes',
    [decimal],
    bytes,
    (value) => value.toBytes(),
    'A decimal in the format of BYTES columns.',
    'bigDecimalToBytes(1.5)',
  ),
  define(
    'bytesToBigDecimal',
    [bytes],
    decimal,
    (value) => Decimal.fromBytes(value),
    'The decimal of bytes in the format of BYTES columns.',
    "bytesToBigDecimal('00010f')",
  ),
  define(
    'hexToBytes',
    [text],
    bytes,
    bytesOfHex,
    'The bytes of a hexadecimal text.',
    "hexToBytes('00ff')",
  ),
  define(
    'bytesToHex',
    [bytes],
    text,
    (value) => Buffer.from(value).toString('hex'),
    'Bytes as hexadecimal text.',
    "bytesToHex(toUtf8('Hi'))",
  ),
  define(
    'hexDecimalToLong',
    [text],
    long,
    longOfHex,
    'The long value of a hexadecimal text, with or without `0x`.',
    "hexDecimalToLong('0xff')",
  ),
  define(
    'longToHexDecimal',
    [long],
    text,
    (value) => BigInt.asUintN(64, value).toString(16),
    'A long as hexadecimal text.',
    'longToHexDecimal(255)',
  ),
  define(
    'base64Encode',
    [bytes],
    bytes,
    (value) => Buffer.from(Buffer.from(value).toString('base64')),
    'Bytes, encoded in base64, as bytes.',
    "fromUtf8(base64Encode(toUtf8('Hi')))",
  ),
  define(
    'base64Decode',
    [bytes],
    bytes,
    (value) => bytesOfBase64(Buffer.from(value).toString('latin1')),
    'The bytes decoded from base64, which is given as bytes.',
    "fromUtf8(base64Decode(toUtf8('SGk=')))",
  ),
  withUtf8(
    define(
      'toBase64',
      [bytes],
      text,
      (value) => Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString('base64'),
      'Bytes, encoded in base64, as text.',
      "toBase64(toUtf8('Hi'))",
    ),
    // The bytes of a text of ASCII are its characters.
    (given) =>
      Buffer.byteLength(given) === given.length
        ? btoa(given)
        : Buffer.from(given, 'utf8').toString('base64'),
  ),
  define(
    'fromBase64',
    [text],
    bytes,
    bytesOfBase64,
    'The bytes decoded from base64, which is given as text.',
    "fromUtf8(fromBase64('SGk='))",
  ),
  define(
    'toUtf8',
    [text],
    bytes,
    (value) => Buffer.from(value, 'utf8'),
    'The text as UTF-8 bytes.',
    "toUtf8('ä')",
  ),
  define(
    'fromUtf8',
    [bytes],
    text,
    (value) => new TextDecoder('utf-8', { ignoreBOM: true }).decode(value),
    'The text of UTF-8 bytes.',
    "fromUtf8('c3a4')",
  ),
  define(
    'toAscii',
    [text],
    bytes,
    (value) => encode(value, 'ascii'),
    'The text as ASCII bytes, with `?` for other characters.',
    "toAscii('aä')",
  ),
  define(
    'fromAscii',
    [bytes],
    text,
    (value) => decode(value, 'ascii'),
    'The text of ASCII bytes.',
    "fromAscii('4142')",
  ),
  define(
    'toBytes',
    [text, charset],
    bytes,
    (value, to) => (to === undefined ? null : encode(value, to)),
    'The text as bytes in a character set; null if the set is unknown.',
    "toBytes('ä', 'ISO-8859-1')",
  ),
  define(
    'fromBytes',
    [bytes, charset],
    text,
    (value, from) => (from === undefined ? null : decode(value, from)),
    'The text of bytes in a character set.',
    "fromBytes('e4', 'ISO-8859-1')",
  ),
  define(
    'toUUIDBytes',
    [text],
    bytes,
    bytesOfUuid,
    'The 16 bytes of a UUID; null if the text is not a UUID.',
    "toUUIDBytes('123e4567-e89b-12d3-a456-426614174000')",
  ),
  define(
    'fromUUIDBytes',
    [bytes],
    text,
    uuidOfBytes,
    'The UUID of 16 bytes.',
    "fromUUIDBytes(toUUIDBytes('123e4567-e89b-12d3-a456-426614174000'))",
  ),
];

function longOfHex(given: string): bigint {
  const [, sign = '', digits = ''] =
    /^([+-]?)([\da-f]{1,40})$/i.exec(given.startsWith('0x') ? given.slice(2) : given) ?? [];
  if (digits === '') throw expressionFailed(`‘${given.slice(0, 40)}’ is not hex digits.`);
  const value = BigInt(`0x${digits}`);
  return parseWhole(String(sign === '-' ? -value : value), 64);
}

function bytesOfBase64(given: string): Uint8Array {
  const isPadded = given.includes('=');
  const isRight =
    /^[A-Za-z\d+/]*={0,2}$/.test(given) &&
    (isPadded ? given.length % 4 === 0 : given.length % 4 !== 1);
  if (!isRight) throw expressionFailed(`‘${given.slice(0, 40)}’ is not base64.`);
  return Uint8Array.from(Buffer.from(given, 'base64'));
}

type Charset = 'utf-8' | 'ascii' | 'latin1' | 'utf-16be' | 'utf-16le' | 'utf-16';

const charsets: Readonly<Record<string, Charset>> = {
  'UTF-8': 'utf-8',
  UTF8: 'utf-8',
  ASCII: 'ascii',
  'US-ASCII': 'ascii',
  'ISO-8859-1': 'latin1',
  LATIN1: 'latin1',
  'UTF-16': 'utf-16',
  'UTF-16BE': 'utf-16be',
  'UTF-16LE': 'utf-16le',
};

function charsetOf(name: string): Charset | undefined {
  const upper = name.toUpperCase();
  return Object.hasOwn(charsets, upper) ? charsets[upper] : undefined;
}

function encode(given: string, charset: Charset): Uint8Array {
  if (charset === 'utf-8') return Buffer.from(given, 'utf8');
  if (charset === 'ascii' || charset === 'latin1') {
    const last = charset === 'ascii' ? 0x7f : 0xff;
    return Uint8Array.from(
      Array.from(given, (each) =>
        (each.codePointAt(0) ?? 0) <= last ? (each.codePointAt(0) ?? 0) : 0x3f,
      ),
    );
  }
  const units = Buffer.from(given, 'utf16le');
  if (charset === 'utf-16le') return units;
  const swapped = units.swap16();
  return charset === 'utf-16be' || given === ''
    ? swapped
    : Buffer.concat([Buffer.from([0xfe, 0xff]), swapped]);
}

function decode(given: Uint8Array, charset: Charset): string {
  if (charset === 'ascii') {
    return Array.from(given, (byte) => (byte > 0x7f ? '\uFFFD' : String.fromCharCode(byte))).join(
      '',
    );
  }
  if (charset === 'latin1') return Buffer.from(given).toString('latin1');
  if (charset === 'utf-16') {
    const isLittle = given[0] === 0xff && given[1] === 0xfe;
    return new TextDecoder(isLittle ? 'utf-16le' : 'utf-16be').decode(given);
  }
  return new TextDecoder(charset, { ignoreBOM: true }).decode(given);
}

function bytesOfUuid(given: string): Uint8Array | null {
  const groups = given.split('-');
  if (
    groups.length !== 5 ||
    given.length > 36 ||
    groups.some((group) => !/^[\da-f]+$/i.test(group))
  ) {
    return null;
  }
  const sizes = [8, 4, 4, 4, 12];
  return Buffer.from(
    groups
      .map((group, index) => group.padStart(sizes[index] ?? 0, '0').slice(-(sizes[index] ?? 0)))
      .join(''),
    'hex',
  );
}

function uuidOfBytes(given: Uint8Array): string {
  if (given.length < 16) throw expressionFailed(`A UUID has 16 bytes, not ${given.length}.`);
  return Buffer.from(given.subarray(0, 16))
    .toString('hex')
    .replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}

const conversions: Readonly<Record<string, Cast>> = {
  INTEGER: (value) => (typeof value === 'string' ? intOfText(value.trim()) : toInt(value)),
  LONG: (value) => (typeof value === 'string' ? longOfText(value.trim()) : toLong(value)),
  FLOAT: (value) => new Float(toFloat(value)),
  DOUBLE: (value) => doubleValue(toDouble(value)),
  BIG_DECIMAL: toDecimal,
  BOOLEAN: toBoolean,
  TIMESTAMP: toTimestamp,
  STRING: toText,
  JSON: toJson,
  BYTES: toBytes,
  MAP: toMap,
  OBJECT: (value) => value,
};

const aliases: Readonly<Record<string, string>> = {
  INT: 'INTEGER',
  BIGINT: 'LONG',
  DECIMAL: 'BIG_DECIMAL',
  VARBINARY: 'BYTES',
  VARCHAR: 'STRING',
};

/** Converts a value to a type. @throws EXPRESSION_FAILED when it cannot be converted */
type Cast = (value: PresentValue) => Value;

/** Finds a type by its name in Apache Pinot or SQL. @throws EXPRESSION_FAILED when it is unknown */
function parseCast(type: string): Cast {
  const upper = type.toUpperCase();
  const name = Object.hasOwn(aliases, upper) ? (aliases[upper] ?? upper) : upper;
  const convert = Object.hasOwn(conversions, name) ? conversions[name] : undefined;
  if (convert === undefined) {
    throw expressionFailed(
      `${type.slice(0, 40)} is not a type: expected ${Object.keys(conversions).join(', ')}.`,
    );
  }
  return (value) => {
    if (Array.isArray(value)) throw expressionFailed(`A list cannot be converted to ${upper}.`);
    return convert(value);
  };
}

/**
 * Returns JSON as a JSON column stores it: JSON text without white space, and other text and values
 * written as JSON.
 */
export function toJson(value: PresentValue): string {
  if (typeof value !== 'string') return writeJson(value);
  if (value.trim() === '') return '';
  let parsed: Value;
  try {
    parsed = parseExactJson(value);
  } catch {
    return writeJson(value);
  }
  return writeJson(parsed);
}

function intOfText(text: string): number {
  return /^[+-]?\d+$/.test(text) && fits(text, 32)
    ? Number(text)
    : Math.trunc(Math.min(Math.max(parseDouble(text), -(2 ** 31)), 2 ** 31 - 1)) || 0;
}

function longOfText(text: string): bigint {
  try {
    return /^[+-]?\d+$/.test(text) ? parseWhole(text, 64) : BigInt(parseTimestamp(text));
  } catch {
    return saturatedLong(parseDouble(text));
  }
}

function fits(text: string, bits: number): boolean {
  const whole = BigInt(text.replace(/^\+/, ''));
  return BigInt.asIntN(bits, whole) === whole;
}

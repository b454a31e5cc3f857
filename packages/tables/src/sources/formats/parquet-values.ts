import { type FileMetaData, parquetSchema, type SchemaElement, type SchemaTree } from 'hyparquet';
import type { SourceRow } from '../../row.ts';
import { textOfDecimal } from './row-reading.ts';

/**
 * The most digits of a decimal that is returned as a number: every decimal with as many has a
 * double of its own.
 */
const numberDigitsMax = 15;
/** The most digits of a decimal; of 256 bits in Arrow. */
const precisionMax = 76;
const decimalBytesMax = 32;

/** Converts what the library returns for a column; undefined if it is already the value. */
type Convert = ((value: unknown) => unknown) | undefined;

type Members = Record<string, unknown>;

/** The metadata to read a file with, and the conversion of its rows. */
export interface ParquetValues {
  /** The metadata to read with. */
  readonly metadata: FileMetaData;
  /** The names of the columns of decimals. */
  readonly decimals: readonly string[];
  /** Completes a row that was read with it. */
  readonly complete: (row: Members) => SourceRow;
}

/**
 * Returns how to read the values of a file without loss. The library multiplies decimals as
 * doubles, decodes enums only if it decodes all bytes as text, and refuses a whole file for a
 * column of intervals or BSON. So decimals are declared as the numbers or bytes that they are, and
 * converted afterwards; enums are declared as text, and the others as bytes. Source:
 * https://github.com/apache/parquet-format/blob/master/LogicalTypes.md
 */
export function parquetValuesOf(metadata: FileMetaData): ParquetValues {
  const decimals = new Map<SchemaElement, Convert>();
  const schema = metadata.schema.map((element) => {
    const convert = decimalConverter(element);
    const declared = declaredAs(element);
    if (convert !== undefined) decimals.set(declared, convert);
    return declared;
  });
  const declared = { ...metadata, schema };
  const columns = parquetSchema(declared).children;
  const convert = structConverter(columns, decimals);
  return {
    metadata: declared,
    decimals: columns
      .map(({ element }) => element)
      .filter((element) => decimals.has(element))
      .map(({ name }) => name),
    complete: (row) => (convert === undefined ? row : convert(row)) as SourceRow,
  };
}

function plainElement({
  converted_type: _converted,
  logical_type: _logical,
  ...element
}: SchemaElement): SchemaElement {
  return element;
}

function declaredAs(element: SchemaElement): SchemaElement {
  const { type, converted_type: converted, logical_type: logical } = element;
  if (isDecimal(element)) return plainElement(element);
  if (type !== 'BYTE_ARRAY' && type !== 'FIXED_LEN_BYTE_ARRAY') return element;
  if (converted === 'ENUM' || logical?.type === 'ENUM') {
    return { ...plainElement(element), converted_type: 'UTF8' };
  }
  if (logical?.type === 'JSON') return { ...element, converted_type: 'JSON' };
  return converted === 'BSON' || converted === 'INTERVAL' ? plainElement(element) : element;
}

function isDecimal({ converted_type: converted, logical_type: logical }: SchemaElement): boolean {
  return converted === 'DECIMAL' || logical?.type === 'DECIMAL';
}

/** Returns the conversion of a column of decimals, if it is one. */
function decimalConverter(element: SchemaElement): Convert {
  if (!isDecimal(element)) return undefined;
  const { logical_type: logical } = element;
  const { scale = 0, precision = 0 } = logical?.type === 'DECIMAL' ? logical : element;
  if (scale < 0 || precision < 1 || precision > precisionMax || scale > precision) return undefined;
  const text = (value: unknown): unknown => textOfUnscaled(value, scale) ?? value;
  if (precision > numberDigitsMax) return text;
  // Both are exact, so the quotient is the double that is nearest to the decimal.
  const divisor = 10 ** scale;
  return (value) => {
    const unscaled = unscaledNumber(value);
    return Number.isSafeInteger(unscaled) ? unscaled / divisor : text(value);
  };
}

/** Returns a number of 32 or 64 bits or in bytes, in two's complement and big-endian order. */
function unscaledNumber(value: unknown): number {
  if (!(value instanceof Uint8Array)) return Number(value);
  let number = ((value[0] ?? 0) << 24) >> 24;
  for (let index = 1; index < value.length; index += 1) number = number * 256 + (value[index] ?? 0);
  return number;
}

/** Returns the text of a decimal as it is stored; undefined for null and for too many bytes. */
function textOfUnscaled(value: unknown, scale: number): string | undefined {
  if (typeof value === 'number' || typeof value === 'bigint') {
    return textOfDecimal(BigInt(value), 64, scale);
  }
  if (!(value instanceof Uint8Array) || value.length > decimalBytesMax) return undefined;
  const bits = BigInt(`0x${Buffer.from(value).toString('hex') || '0'}`);
  return textOfDecimal(bits, value.length * 8, scale);
}

/** Returns the conversion of a column, also inside lists, maps and structs. */
function columnConverter(
  { element, children }: SchemaTree,
  decimals: ReadonlyMap<SchemaElement, Convert>,
): Convert {
  const [only] = children;
  if (only === undefined) return eachOf(decimals.get(element));
  const isWrapper = children.length === 1 && only.element.repetition_type === 'REPEATED';
  if (isWrapper && element.converted_type === 'LIST' && only.children.length <= 1) {
    return columnConverter(only.children[0] ?? only, decimals);
  }
  const [key, value] = only.children;
  if (isWrapper && element.converted_type === 'MAP' && key !== undefined && value !== undefined) {
    return mapConverter(
      keyConverter(key.element, decimals.get(key.element)),
      columnConverter(value, decimals),
    );
  }
  return eachOf(structConverter(children, decimals));
}

function mapConverter(
  convertKey: ((key: string) => string) | undefined,
  convertValue: Convert,
): Convert {
  if (convertKey === undefined && convertValue === undefined) return undefined;
  return eachOf((map) =>
    Object.fromEntries(
      Object.entries(map as Members).map(([key, value]) => [
        convertKey === undefined ? key : convertKey(key),
        convertValue === undefined ? value : convertValue(value),
      ]),
    ),
  );
}

/** Returns the conversion of a map's keys, which the library has made text: of bytes, a list. */
function keyConverter(
  { type, converted_type: converted, logical_type: logical }: SchemaElement,
  decimal: Convert,
): ((key: string) => string) | undefined {
  if (type !== 'BYTE_ARRAY' && type !== 'FIXED_LEN_BYTE_ARRAY') {
    return decimal && ((key) => String(decimal(BigInt(key))));
  }
  if (converted !== undefined || logical !== undefined) return undefined;
  return (key) => {
    const bytes = Buffer.from(key.split(',').map(Number));
    return decimal === undefined ? bytes.toString('hex') : String(decimal(bytes));
  };
}

/** Returns the conversion of a struct, or of a row. */
function structConverter(
  children: readonly SchemaTree[],
  decimals: ReadonlyMap<SchemaElement, Convert>,
): Convert {
  const converters = new Map<string, NonNullable<Convert>>();
  for (const child of children) {
    const convert = columnConverter(child, decimals);
    if (convert !== undefined) converters.set(child.element.name, convert);
  }
  if (converters.size === 0) return undefined;
  return (struct) => {
    const members = struct as Members;
    for (const [name, convert] of converters) members[name] = convert(members[name]);
    return members;
  };
}

/** Returns a conversion that also takes null, and lists of any depth. */
function eachOf(convert: Convert): Convert {
  if (convert === undefined) return undefined;
  return function each(value: unknown): unknown {
    if (value === null || value === undefined) return null;
    return Array.isArray(value) ? value.map(each) : convert(value);
  };
}

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

type Members = Readonly<Record<string, unknown>>;

/** The metadata to read a file with, and the conversion of its rows. */
export interface ParquetValues {
  /** The metadata to read with. */
  readonly metadata: FileMetaData;
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
  const convert =
    decimals.size === 0 ? undefined : structConverter(parquetSchema(declared).children, decimals);
  return {
    metadata: declared,
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
  return (value) => {
    const text = textOfUnscaled(value, scale);
    return text !== undefined && precision <= numberDigitsMax ? Number(text) : (text ?? value);
  };
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
  if (isWrapper && element.converted_type === 'LIST') {
    return columnConverter(
      only.children.length === 1 ? (only.children[0] ?? only) : only,
      decimals,
    );
  }
  const [, value] = only.children;
  if (isWrapper && element.converted_type === 'MAP' && value !== undefined) {
    const convert = columnConverter(value, decimals);
    return eachOf(convert && ((map) => convertMembers(map as Members, () => convert)));
  }
  return eachOf(structConverter(children, decimals));
}

/** Returns the conversion of a struct, or of a row. */
function structConverter(
  children: readonly SchemaTree[],
  decimals: ReadonlyMap<SchemaElement, Convert>,
): Convert {
  const converters = new Map<string, Convert>();
  for (const child of children) {
    const convert = columnConverter(child, decimals);
    if (convert !== undefined) converters.set(child.element.name, convert);
  }
  if (converters.size === 0) return undefined;
  return (struct) => convertMembers(struct as Members, (name) => converters.get(name));
}

function convertMembers(members: Members, converterOf: (name: string) => Convert): Members {
  return Object.fromEntries(
    Object.entries(members).map(([name, value]) => {
      const convert = converterOf(name);
      return [name, convert === undefined ? value : convert(value)];
    }),
  );
}

/** Returns a conversion that also takes null, and lists of any depth. */
function eachOf(convert: Convert): Convert {
  if (convert === undefined) return undefined;
  return function each(value: unknown): unknown {
    if (value === null || value === undefined) return null;
    return Array.isArray(value) ? value.map(each) : convert(value);
  };
}

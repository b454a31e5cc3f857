import duckdb, { type LogicalType } from '@duckdb/node-bindings';
import {
  Binary,
  Bool,
  type DataType,
  DateDay,
  Decimal,
  Field,
  FixedSizeBinary,
  FixedSizeList,
  Float32,
  Float64,
  Int16,
  Int32,
  Int64,
  Int8,
  List,
  Map_,
  Struct,
  TimeMicrosecond,
  TimeNanosecond,
  TimestampMicrosecond,
  TimestampMillisecond,
  TimestampNanosecond,
  TimestampSecond,
  Uint16,
  Uint32,
  Uint64,
  Uint8,
  Utf8,
} from 'apache-arrow';
import { fixedWidthReader, type VectorReader } from './fixed-width.ts';
import { boolReader, mediumDecimalReader, smallDecimalReader, uuidReader } from './narrow-types.ts';
import { arrayReader, listReader, structReader } from './nested-types.ts';
import { stringReader } from './strings.ts';

/** The conversion of one DuckDB type to Arrow data. */
export interface ColumnType {
  readonly arrow: DataType;
  /** Metadata of the Arrow field that its type does not express. */
  readonly metadata: ReadonlyMap<string, string>;
  readonly read: VectorReader;
  /** The DuckDB type, in SQL, that `read` reads. */
  readonly sql: string;
  /**
   * True if DuckDB must cast to that type first: a type without an Arrow type that every reader
   * supports is converted to text as DuckDB formats it.
   */
  readonly needsCast: boolean;
}

const { Type } = duckdb;
const noMetadata: ReadonlyMap<string, string> = new Map();
const jsonMetadata = extension('arrow.json');
const uuidMetadata = extension('arrow.uuid');
/** Marks text that contains only digits; in JSON, the type of such a column is BIG_DECIMAL. */
const digitsMetadata: ReadonlyMap<string, string> = new Map([
  ['quire:columnDataType', 'BIG_DECIMAL'],
]);

const utf8 = new Utf8();
const text: ColumnType = {
  arrow: utf8,
  metadata: noMetadata,
  read: stringReader(utf8),
  sql: 'VARCHAR',
  needsCast: false,
};
const json: ColumnType = { ...text, metadata: jsonMetadata, sql: 'JSON' };
const rendered: ColumnType = { ...text, needsCast: true };
/** Integers that are too large for any Arrow type. */
export const digits: ColumnType = { ...rendered, metadata: digitsMetadata };

type ElementsArgument = Parameters<typeof fixedWidthReader>[1];

function fixed(sql: string, arrow: DataType, Elements: ElementsArgument, stride = 1): ColumnType {
  return {
    arrow,
    metadata: noMetadata,
    read: fixedWidthReader(arrow, Elements, stride),
    sql,
    needsCast: false,
  };
}

const binary = new Binary();
export const bigint = fixed('BIGINT', new Int64(), BigInt64Array);
// HUGEINT has up to 39 digits, this type 38: sums-of-integers.ts checks that values fit.
export const hugeint = fixed('HUGEINT', new Decimal(0, 38, 128), Uint32Array, 4);
const scalarTypes = new Map<number, ColumnType>([
  [
    Type.BOOLEAN,
    { arrow: new Bool(), metadata: noMetadata, read: boolReader, sql: 'BOOLEAN', needsCast: false },
  ],
  [Type.TINYINT, fixed('TINYINT', new Int8(), Int8Array)],
  [Type.SMALLINT, fixed('SMALLINT', new Int16(), Int16Array)],
  [Type.INTEGER, fixed('INTEGER', new Int32(), Int32Array)],
  [Type.BIGINT, bigint],
  [Type.UTINYINT, fixed('UTINYINT', new Uint8(), Uint8Array)],
  [Type.USMALLINT, fixed('USMALLINT', new Uint16(), Uint16Array)],
  [Type.UINTEGER, fixed('UINTEGER', new Uint32(), Uint32Array)],
  [Type.UBIGINT, fixed('UBIGINT', new Uint64(), BigUint64Array)],
  [Type.HUGEINT, hugeint],
  [Type.UHUGEINT, digits],
  [Type.BIGNUM, digits],
  [Type.FLOAT, fixed('FLOAT', new Float32(), Float32Array)],
  [Type.DOUBLE, fixed('DOUBLE', new Float64(), Float64Array)],
  [Type.DATE, fixed('DATE', new DateDay(), Int32Array)],
  [Type.TIME, fixed('TIME', new TimeMicrosecond(), BigInt64Array)],
  [Type.TIME_NS, fixed('TIME_NS', new TimeNanosecond(), BigInt64Array)],
  [Type.TIMESTAMP_S, fixed('TIMESTAMP_S', new TimestampSecond(), BigInt64Array)],
  [Type.TIMESTAMP_MS, fixed('TIMESTAMP_MS', new TimestampMillisecond(), BigInt64Array)],
  [Type.TIMESTAMP, fixed('TIMESTAMP', new TimestampMicrosecond(), BigInt64Array)],
  [Type.TIMESTAMP_NS, fixed('TIMESTAMP_NS', new TimestampNanosecond(), BigInt64Array)],
  [Type.TIMESTAMP_TZ, fixed('TIMESTAMPTZ', new TimestampMicrosecond('UTC'), BigInt64Array)],
  [
    Type.UUID,
    {
      arrow: new FixedSizeBinary(16),
      metadata: uuidMetadata,
      read: uuidReader,
      sql: 'UUID',
      needsCast: false,
    },
  ],
  [
    Type.BLOB,
    {
      arrow: binary,
      metadata: noMetadata,
      read: stringReader(binary),
      sql: 'BLOB',
      needsCast: false,
    },
  ],
]);

/**
 * Returns the conversion of a DuckDB type, at any depth of nesting.
 *
 * INTERVAL, TIMETZ, BIT, ENUM, UNION, VARIANT, GEOMETRY and all other types become text, as DuckDB
 * casts them.
 */
export function columnTypeOf(type: LogicalType): ColumnType {
  const typeId = duckdb.get_type_id(type);
  switch (typeId) {
    case Type.VARCHAR:
      return duckdb.logical_type_get_alias(type) === 'JSON' ? json : text;
    case Type.DECIMAL:
      return decimalType(duckdb.decimal_width(type), duckdb.decimal_scale(type));
    case Type.LIST:
      return listType(nestedTypeOf(duckdb.list_type_child_type(type)));
    case Type.ARRAY:
      return arrayType(
        nestedTypeOf(duckdb.array_type_child_type(type)),
        duckdb.array_type_array_size(type),
      );
    case Type.MAP:
      return mapType(
        nestedTypeOf(duckdb.map_type_key_type(type)),
        nestedTypeOf(duckdb.map_type_value_type(type)),
      );
    case Type.STRUCT:
      return structType(type);
    default:
      return scalarTypes.get(typeId) ?? rendered;
  }
}

/**
 * Returns the conversion of a type inside another one. The values of a nested HUGEINT are not
 * checked, so it becomes text.
 */
function nestedTypeOf(type: LogicalType): ColumnType {
  const nested = columnTypeOf(type);
  return nested === hugeint ? digits : nested;
}

/** Returns the Arrow field of a column, list element or struct member. */
export function fieldOf(name: string, type: ColumnType, isNullable = true): Field<DataType> {
  return new Field(name, type.arrow, isNullable, new Map(type.metadata));
}

function decimalType(width: number, scale: number): ColumnType {
  const arrow = new Decimal(scale, width, 128);
  const sql = `DECIMAL(${width},${scale})`;
  // The width alone decides the number of bits that DuckDB uses.
  if (width > 18) return fixed(sql, arrow, Uint32Array, 4);
  let read = mediumDecimalReader(arrow);
  if (width <= 9) read = smallDecimalReader(arrow, width <= 4 ? Int16Array : Int32Array);
  return { arrow, metadata: noMetadata, read, sql, needsCast: false };
}

function listType(element: ColumnType): ColumnType {
  const arrow = new List(fieldOf('item', element));
  const read = listReader(arrow, element.read);
  return {
    arrow,
    metadata: noMetadata,
    read,
    sql: `${element.sql}[]`,
    needsCast: element.needsCast,
  };
}

function arrayType(element: ColumnType, size: number): ColumnType {
  const arrow = new FixedSizeList(size, fieldOf('item', element));
  const read = arrayReader(arrow, size, element.read);
  return {
    arrow,
    metadata: noMetadata,
    read,
    sql: `${element.sql}[${size}]`,
    needsCast: element.needsCast,
  };
}

function mapType(key: ColumnType, value: ColumnType): ColumnType {
  const entries = new Struct<{ key: DataType; value: DataType }>([
    fieldOf('key', key, false),
    fieldOf('value', value),
  ]);
  const arrow = new Map_(new Field('entries', entries, false));
  const read = listReader(arrow, structReader(entries, [key.read, value.read]));
  return {
    arrow,
    metadata: noMetadata,
    read,
    sql: `MAP(${key.sql}, ${value.sql})`,
    needsCast: key.needsCast || value.needsCast,
  };
}

function structType(type: LogicalType): ColumnType {
  const count = duckdb.struct_type_child_count(type);
  // The members of row(…) have no names: they get those that DuckDB gives them in Parquet files.
  const names = Array.from(
    { length: count },
    (_, index) => duckdb.struct_type_child_name(type, index) || `element${index + 1}`,
  );
  const members = names.map((_, index) => nestedTypeOf(duckdb.struct_type_child_type(type, index)));
  const arrow = new Struct(members.map((member, index) => fieldOf(names[index] ?? '', member)));
  const sqlMembers = members.map(
    (member, index) => `${quoteIdentifier(names[index] ?? '')} ${member.sql}`,
  );
  return {
    arrow,
    metadata: noMetadata,
    read: structReader(
      arrow,
      members.map((member) => member.read),
    ),
    sql: `STRUCT(${sqlMembers.join(', ')})`,
    needsCast: members.some((member) => member.needsCast),
  };
}

/** Quotes a name for SQL. */
export function quoteIdentifier(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

function extension(name: string): ReadonlyMap<string, string> {
  return new Map([
    ['ARROW:extension:name', name],
    ['ARROW:extension:metadata', ''],
  ]);
}

import {
  type Data,
  DataType,
  DateDay,
  Decimal,
  Field,
  type FixedSizeBinary,
  LargeList,
  List,
  Map_,
  Precision,
  Struct,
  type Time,
  TimeUnit,
  type Timestamp,
  util,
  Utf8,
} from 'apache-arrow';
import type { SchemaElement } from 'hyparquet';
import { QuireError, type RowRange } from '@quire/core';
import { isUuidField } from '../column-data-types.ts';
import { bytesView, int32View, int64View, offsetsOf, validityOf } from './column-reader.ts';
import { distinctNames } from './distinct-names.ts';
import { clockTextOf } from './scalar-writer.ts';

/** An Arrow column as a Parquet column. */
export interface ParquetColumn {
  readonly name: string;
  /** The elements of the schema, outermost first. */
  readonly elements: readonly SchemaElement[];
  /** The Arrow field that readers with Arrow support restore. */
  readonly field: Field<DataType>;
  /** Opens the values of a batch. */
  readonly open: (data: Data) => ValueOf;
  /** True if it holds floats: the writer's dictionaries would treat -0 as 0. */
  readonly hasFloats: boolean;
  /** The values of a batch as the writer expects them, if they have that layout in memory. */
  readonly whole: ((data: Data) => WholeValues) | undefined;
}

/** Returns the value of a row as the writer expects it, or null. */
type ValueOf = (row: number) => unknown;

type WholeValues = Int32Array | Float32Array | Float64Array | BigInt64Array;

/** The Parquet representation of an Arrow type. */
interface ParquetType {
  readonly element: Omit<SchemaElement, 'name' | 'repetition_type'>;
  /** The child elements of a group. */
  readonly below?: readonly SchemaElement[];
  /** The Arrow type that values are read back as. Absent: the same. */
  readonly readAs?: DataType;
  /** Opens the values of non-null rows. */
  readonly open: (data: Data) => ValueOf;
  readonly whole?: (data: Data) => WholeValues;
}

/**
 * Maps columns to Parquet (https://parquet.apache.org/docs/file-format/types/).
 *
 * All may have nulls. A repeated name gets a number. Intervals become the texts that JSON has for
 * them; fixed-size lists become lists.
 *
 * @throws UNSUPPORTED_COLUMN_TYPE for a struct without fields, and a decimal that is too wide
 */
export function parquetColumnsOf(fields: readonly Field[]): ParquetColumn[] {
  const names = distinctNames(fields);
  return fields.map((field, index) => columnOf(field, names[index] ?? '', field.name));
}

/** Returns the values of some rows. */
export function parquetValuesOf(
  { open, whole }: ParquetColumn,
  data: Data,
  { start, end }: RowRange,
): unknown[] | WholeValues {
  if (whole !== undefined && validityOf(data) === undefined) {
    return whole(data).subarray(start, end);
  }
  const valueOf = open(data);
  return Array.from({ length: end - start }, (_, index) => valueOf(start + index));
}

/**
 * Maps one field.
 *
 * @param path the column of the field, for messages; a nested one by its path
 */
function columnOf(
  source: Field,
  name: string,
  path: string,
  repetition: 'OPTIONAL' | 'REQUIRED' = 'OPTIONAL',
): ParquetColumn {
  const { element, below = [], readAs, open, whole } = parquetTypeOf(source, path);
  const elements = [{ name, repetition_type: repetition, ...element }, ...below];
  return {
    name,
    elements,
    hasFloats: elements.some(
      ({ type, logical_type: logical }) =>
        type === 'FLOAT' || type === 'DOUBLE' || logical?.type === 'FLOAT16',
    ),
    field: new Field(
      name,
      readAs ?? (source.type as DataType),
      repetition === 'OPTIONAL',
      source.metadata,
    ),
    open: (data) => {
      const isValid = validityOf(data);
      const valueOf = open(data);
      return isValid === undefined ? valueOf : (row) => (isValid(row) ? valueOf(row) : null);
    },
    whole,
  };
}

function parquetTypeOf(field: Field, path: string): ParquetType {
  const type = field.type as DataType;
  const known =
    numberTypeOf(type, path) ?? bytesTypeOf(field) ?? clockTypeOf(type) ?? groupTypeOf(type, path);
  if (known !== undefined) return known;
  if (DataType.isBool(type)) {
    return {
      element: { type: 'BOOLEAN' },
      open: (data) => {
        const bits = data.values as Uint8Array;
        const { offset } = data;
        return (row) => (((bits[(offset + row) >> 3] ?? 0) >> ((offset + row) & 7)) & 1) === 1;
      },
    };
  }
  return { element: { type: 'INT32', logical_type: { type: 'NULL' } }, open: () => () => null };
}

function numberTypeOf(type: DataType, path: string): ParquetType | undefined {
  if (DataType.isDecimal(type)) return decimalTypeOf(type, path);
  if (DataType.isFloat(type)) {
    if (type.precision === Precision.SINGLE) {
      const whole = (data: Data) => data.values as Float32Array;
      return { element: { type: 'FLOAT' }, open: (data) => elementOf(whole(data)), whole };
    }
    if (type.precision === Precision.DOUBLE) {
      const whole = (data: Data) => data.values as Float64Array;
      return { element: { type: 'DOUBLE' }, open: (data) => elementOf(whole(data)), whole };
    }
    return {
      element: {
        type: 'FIXED_LEN_BYTE_ARRAY',
        type_length: 2,
        logical_type: { type: 'FLOAT16' },
      },
      open: (data) => {
        const halves = data.values as Uint16Array;
        return (row) => util.uint16ToFloat64(halves[row] ?? 0);
      },
    };
  }
  if (!DataType.isInt(type)) return undefined;
  const { bitWidth, isSigned } = type;
  if (bitWidth === 64) {
    if (isSigned) {
      return {
        element: { type: 'INT64' },
        open: (data) => elementOf(int64View(data)),
        whole: int64View,
      };
    }
    return {
      element: { type: 'INT64', converted_type: 'UINT_64' },
      open: (data) => {
        const values = int64View(data);
        return (row) => BigInt.asUintN(64, values[row] ?? 0n);
      },
    };
  }
  const open = (data: Data): ValueOf => elementOf(data.values as ArrayLike<number>);
  if (bitWidth === 32 && isSigned) {
    return { element: { type: 'INT32' }, open, whole: (data) => data.values as Int32Array };
  }
  return {
    element: { type: 'INT32', converted_type: `${isSigned ? '' : 'U'}INT_${bitWidth}` },
    open,
  };
}

function elementOf<Value>(values: ArrayLike<Value>): ValueOf {
  return (row) => values[row];
}

/** The maximum precision of Arrow's decimals. */
const digitsMax = 76;

/**
 * Returns the Parquet type of a decimal. Parquet does not support a negative scale, or one greater
 * than the precision.
 */
function decimalTypeOf({ precision, scale, bitWidth }: Decimal, path: string): ParquetType {
  const shift = Math.max(0, -scale);
  const digits = Math.max(precision + shift, scale);
  if (digits > digitsMax) {
    throw refused(path, `is a decimal of ${digits} digits; Parquet's have at most ${digitsMax}`);
  }
  const factor = 10n ** BigInt(shift);
  const wordCount = bitWidth / 64;
  const logical = { precision: digits, scale: Math.max(0, scale) };
  return {
    element: {
      ...(digits <= 18
        ? { type: 'INT64' }
        : { type: 'FIXED_LEN_BYTE_ARRAY', type_length: digits <= 38 ? 16 : 32 }),
      converted_type: 'DECIMAL',
      ...logical,
      logical_type: { type: 'DECIMAL', ...logical },
    },
    readAs: new Decimal(logical.scale, digits, digits <= 38 ? 128 : 256),
    open: (data) => {
      if (bitWidth === 32) {
        const values = int32View(data);
        return (row) => BigInt(values[row] ?? 0) * factor;
      }
      const words = int64View(data);
      return (row) => {
        const top = row * wordCount + wordCount - 1;
        let value = words[top] ?? 0n;
        for (let word = top - 1; word >= row * wordCount; word -= 1) {
          value = (value << 64n) | BigInt.asUintN(64, words[word] ?? 0n);
        }
        return value * factor;
      };
    },
  };
}

const textElement = {
  type: 'BYTE_ARRAY',
  converted_type: 'UTF8',
  logical_type: { type: 'STRING' },
} as const;

function bytesTypeOf(field: Field): ParquetType | undefined {
  const type = field.type as DataType;
  if (DataType.isUtf8(type) || DataType.isLargeUtf8(type)) {
    // JSON as well: DuckDB reads a column as bytes if JSON is its only logical type.
    return { element: textElement, open: openBytes };
  }
  if (DataType.isBinary(type) || DataType.isLargeBinary(type)) {
    return { element: { type: 'BYTE_ARRAY' }, open: openBytes };
  }
  if (!DataType.isFixedSizeBinary(type)) return undefined;
  return {
    element: {
      type: 'FIXED_LEN_BYTE_ARRAY',
      type_length: type.byteWidth,
      ...(isUuidField(field) && { logical_type: { type: 'UUID' } }),
    },
    open: openFixedBytes(type),
  };
}

function openBytes(data: Data): ValueOf {
  const source = bytesView(data);
  const offsets = offsetsOf(data);
  return (row) => source.subarray(offsets[row] ?? 0, offsets[row + 1] ?? 0);
}

function openFixedBytes({ byteWidth }: FixedSizeBinary): (data: Data) => ValueOf {
  return (data) => {
    const source = bytesView(data);
    return (row) => source.subarray(row * byteWidth, (row + 1) * byteWidth);
  };
}

const dayMs = 86_400_000;
const int32Range = [-(2 ** 31), 2 ** 31 - 1] as const;

/** Returns the Parquet type of dates, times, instants, durations and intervals. */
function clockTypeOf(type: DataType): ParquetType | undefined {
  if (DataType.isDate(type)) {
    const element = {
      type: 'INT32',
      converted_type: 'DATE',
      logical_type: { type: 'DATE' },
    } as const;
    if (DataType.isDate(type) && type.unit === 0) {
      return { element, open: (data) => elementOf(int32View(data)), whole: int32View };
    }
    // Dates in milliseconds; values outside the calendar represent the infinities.
    const open = (data: Data): ValueOf => {
      const times = int64View(data);
      return (row) => {
        const day = Math.floor(Number(times[row] ?? 0n) / dayMs);
        return Math.max(int32Range[0], Math.min(int32Range[1], day));
      };
    };
    return { element, readAs: new DateDay(), open };
  }
  if (DataType.isTime(type)) return timeTypeOf(type);
  if (DataType.isTimestamp(type)) return instantTypeOf(type);
  if (DataType.isDuration(type)) {
    return {
      element: { type: 'INT64' },
      open: (data) => elementOf(int64View(data)),
      whole: int64View,
    };
  }
  if (!DataType.isInterval(type)) return undefined;
  return {
    element: textElement,
    readAs: new Utf8(),
    open: (data) => clockTextOf(type, data) ?? (() => null),
  };
}

/** The Parquet units of time. Parquet has no seconds: they become milliseconds. */
const parquetUnits = {
  [TimeUnit.SECOND]: { unit: 'MILLIS', factor: 1000n },
  [TimeUnit.MILLISECOND]: { unit: 'MILLIS', factor: 1n },
  [TimeUnit.MICROSECOND]: { unit: 'MICROS', factor: 1n },
  [TimeUnit.NANOSECOND]: { unit: 'NANOS', factor: 1n },
} as const;

function timeTypeOf({ unit: arrowUnit, bitWidth }: Time): ParquetType {
  const { unit, factor } = parquetUnits[arrowUnit];
  const logical_type = { type: 'TIME', isAdjustedToUTC: false, unit } as const;
  if (bitWidth === 32) {
    return {
      element: { type: 'INT32', logical_type },
      open: (data) => {
        const values = int32View(data);
        return (row) => (values[row] ?? 0) * Number(factor);
      },
    };
  }
  return {
    element: { type: 'INT64', logical_type },
    open: (data) => elementOf(int64View(data)),
    whole: int64View,
  };
}

const int64Range = [-(2n ** 63n), 2n ** 63n - 1n] as const;

function instantTypeOf({ unit: arrowUnit, timezone }: Timestamp): ParquetType {
  const { unit, factor } = parquetUnits[arrowUnit];
  const isAdjustedToUTC = (timezone ?? '') !== '';
  const element = {
    type: 'INT64',
    logical_type: { type: 'TIMESTAMP', isAdjustedToUTC, unit },
  } as const;
  if (factor === 1n) {
    return { element, open: (data) => elementOf(int64View(data)), whole: int64View };
  }
  return {
    element,
    open: (data) => {
      const values = int64View(data);
      // The infinities stay the largest and the smallest instants.
      return (row) => {
        const value = (values[row] ?? 0n) * factor;
        return value < int64Range[0]
          ? int64Range[0]
          : value > int64Range[1]
            ? int64Range[1]
            : value;
      };
    },
  };
}

/** Returns the Parquet type of lists, maps and structs. */
function groupTypeOf(type: DataType, path: string): ParquetType | undefined {
  if (DataType.isStruct(type)) return structTypeOf(type.children, path);
  if (DataType.isMap(type)) return mapTypeOf(type, path);
  const [itemField] = (type.children ?? []) as readonly Field[];
  const fixedSize = DataType.isFixedSizeList(type) ? type.listSize : undefined;
  if (itemField === undefined) return undefined;
  const item = columnOf(itemField, 'element', `${path}.${itemField.name}`);
  return {
    element: { num_children: 1, converted_type: 'LIST', logical_type: { type: 'LIST' } },
    below: [{ name: 'list', repetition_type: 'REPEATED', num_children: 1 }, ...item.elements],
    readAs: DataType.isLargeList(type) ? new LargeList(item.field) : new List(item.field),
    open: (data) => {
      const valueOf = item.open(data.children[0] as Data);
      const offsets = fixedSize === undefined ? offsetsOf(data) : undefined;
      const startOf = (row: number): number =>
        offsets === undefined ? row * (fixedSize ?? 0) : (offsets[row] ?? 0);
      return (row) => valuesBetween(valueOf, startOf(row), startOf(row + 1));
    },
  };
}

function valuesBetween(valueOf: ValueOf, start: number, end: number): unknown[] {
  return Array.from({ length: end - start }, (_, index) => valueOf(start + index));
}

function structTypeOf(fields: readonly Field[], path: string): ParquetType {
  if (fields.length === 0) throw refused(path, 'is a struct without fields');
  const names = distinctNames(fields);
  const members = fields.map((field, index) =>
    columnOf(field, names[index] ?? '', `${path}.${field.name}`),
  );
  return {
    element: { num_children: members.length },
    below: members.flatMap(({ elements }) => elements),
    readAs: new Struct(members.map(({ field }) => field)),
    open: (data) => {
      const opened = members.map(({ name, open }, index) => ({
        name,
        valueOf: open(data.children[index] as Data),
      }));
      return (row) => {
        const value = Object.create(null) as Record<string, unknown>; // a name may be __proto__
        for (const { name, valueOf } of opened) value[name] = valueOf(row);
        return value;
      };
    },
  };
}

function mapTypeOf(type: Map_, path: string): ParquetType {
  const [keyField, valueField] = type.childType.children as readonly Field[] as readonly [
    Field,
    Field,
  ];
  const key = columnOf(keyField, 'key', `${path}.key`, 'REQUIRED');
  const value = columnOf(valueField, 'value', `${path}.value`);
  return {
    element: { num_children: 1, converted_type: 'MAP', logical_type: { type: 'MAP' } },
    below: [
      { name: 'key_value', repetition_type: 'REPEATED', num_children: 2 },
      ...key.elements,
      ...value.elements,
    ],
    readAs: new Map_(
      new Field(
        'entries',
        new Struct<{ key: DataType; value: DataType }>([key.field, value.field]),
      ),
      type.keysSorted,
    ),
    open: (data) => {
      const offsets = offsetsOf(data);
      const entries = data.children[0] as Data;
      const keyOf = key.open(entries.children[0] as Data);
      const valueOf = value.open(entries.children[1] as Data);
      const entryOf = (row: number): unknown => ({ key: keyOf(row), value: valueOf(row) });
      return (row) => valuesBetween(entryOf, offsets[row] ?? 0, offsets[row + 1] ?? 0);
    },
  };
}

function refused(path: string, what: string): QuireError {
  return new QuireError(
    'UNSUPPORTED_COLUMN_TYPE',
    `Column '${path}' ${what}, which Parquet cannot represent; read the result in another format.`,
  );
}

import { DataType, Field, IntervalUnit, Precision, Schema, TimeUnit, Type } from 'apache-arrow';
import { QuireError } from '@quire/core';

/**
 * Bytes of one value of a type that has values of one size, or undefined for every other type.
 * Source: https://arrow.apache.org/docs/format/Columnar.html#fixed-size-primitive-layout
 */
export function byteWidthOf(type: DataType): number | undefined {
  if (DataType.isInt(type)) return type.bitWidth / 8;
  if (DataType.isFloat(type)) return type.precision === Precision.HALF ? 2 : type.precision === Precision.SINGLE ? 4 : 8;
  if (DataType.isDecimal(type)) return type.bitWidth / 8;
  if (DataType.isDate(type)) return type.unit === 0 ? 4 : 8;
  if (DataType.isTime(type)) return type.bitWidth / 8;
  if (DataType.isTimestamp(type) || DataType.isDuration(type)) return 8;
  if (DataType.isFixedSizeBinary(type)) return type.byteWidth;
  if (DataType.isInterval(type)) {
    return type.unit === IntervalUnit.YEAR_MONTH ? 4 : type.unit === IntervalUnit.DAY_TIME ? 8 : 16;
  }
  return undefined;
}

/** Fraction digits of a time unit: 0 for seconds, 9 for nanoseconds. */
export function fractionDigitsOf(unit: TimeUnit): 0 | 3 | 6 | 9 {
  return unit === TimeUnit.SECOND ? 0 : unit === TimeUnit.MILLISECOND ? 3 : unit === TimeUnit.MICROSECOND ? 6 : 9;
}

/**
 * The schema of the file that holds batches of `schema`: the same, but dictionary columns become columns of their values,
 * so that every batch stands alone.
 *
 * @throws UNSUPPORTED_COLUMN_TYPE for unions, views and run-ends, which not every Arrow reader knows
 */
export function storedSchemaOf(schema: Schema): Schema {
  return new Schema(
    schema.fields.map((field) => storedFieldOf(field)),
    schema.metadata,
  );
}

function storedFieldOf(field: Field): Field {
  return new Field(field.name, storedTypeOf(field.type as DataType, field.name), field.nullable, field.metadata);
}

function storedTypeOf(type: DataType, column: string): DataType {
  if (DataType.isDictionary(type)) return storedTypeOf(type.dictionary as DataType, column);
  if (type.typeId === Type.Union || type.typeId < 0 || type.typeId > Type.LargeList || isView(type)) {
    throw new QuireError(
      'UNSUPPORTED_COLUMN_TYPE',
      `Column '${column}' has type ${Type[type.typeId]}, which results cannot hold; cast it to text.`,
    );
  }
  const children = type.children as readonly Field[] | null;
  if (children === null || children === undefined || children.length === 0) return type;
  const stored = children.map((child) => storedFieldOf(child));
  if (stored.every((child, index) => child.type === children[index]?.type)) return type;
  // Same type over other children: the constructors differ, the prototype and the scalar members do not.
  return Object.assign(Object.create(Object.getPrototypeOf(type) as object) as DataType, type, { children: stored });
}

function isView(type: DataType): boolean {
  return DataType.isUtf8View(type) || DataType.isBinaryView(type);
}

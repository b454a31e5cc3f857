import {
  Binary,
  Bool,
  type DataType,
  Date_,
  Decimal,
  Duration,
  Field,
  FixedSizeBinary,
  FixedSizeList,
  Float,
  Int,
  Interval,
  LargeBinary,
  LargeList,
  LargeUtf8,
  List,
  Map_,
  Null,
  Schema,
  Struct,
  Time,
  Timestamp,
  Type,
  Utf8,
} from 'apache-arrow';
import { QuireError } from '@quire/core';
import type { ArrowField, ArrowSchema, ArrowType } from './arrow-input.ts';

/**
 * Returns the schema of the file that holds batches of `schema`. It has value columns instead of
 * dictionary columns, so that every batch is self-contained. It is rebuilt from numbers and names,
 * because the given one may be from another copy of apache-arrow.
 *
 * @throws INVALID_PARAMETER when it is not a schema
 * @throws UNSUPPORTED_COLUMN_TYPE for unions, views and run-ends, which not every Arrow reader
 *   supports
 */
export function storedSchemaOf(schema: ArrowSchema): Schema {
  // The value may be from untyped JavaScript.
  const fields = (schema as Partial<ArrowSchema> | undefined)?.fields;
  if (!Array.isArray(fields)) {
    throw new QuireError(
      'INVALID_PARAMETER',
      'schema has no fields; expected a schema of Apache Arrow.',
    );
  }
  return new Schema(
    schema.fields.map((field) => storedFieldOf(field, field.name)),
    new Map(schema.metadata),
  );
}

/**
 * Returns a schema for Arrow's encoder, which omits empty names, although some readers refuse a
 * field without a name: it writes those that are bytes.
 */
export function encodableSchemaOf(schema: Schema): Schema {
  if (!hasEmptyName(schema.fields)) return schema;
  const copy = storedSchemaOf(schema);
  writeEmptyNames(copy.fields);
  return copy;
}

function hasEmptyName(fields: readonly Field<DataType>[]): boolean {
  return fields.some(({ name, type }) => name === '' || hasEmptyName(childrenOf(type)));
}

function writeEmptyNames(fields: readonly Field<DataType>[]): void {
  for (const field of fields) {
    if (field.name === '') Object.assign(field, { name: new Uint8Array(0) });
    writeEmptyNames(childrenOf(field.type));
  }
}

function childrenOf({ children }: DataType): readonly Field<DataType>[] {
  return (children as readonly Field<DataType>[] | null | undefined) ?? [];
}

function storedFieldOf(field: ArrowField, column: string): Field {
  const { type, nullable, metadata } = field;
  return new Field(nameOf(field), storedTypeOf(type, column), nullable, new Map(metadata));
}

/** Returns the name of a field: Arrow's decoder returns null if it is missing. */
function nameOf({ name }: ArrowField): string {
  const given = name as string | null;
  return given ?? '';
}

/**
 * Returns the stored type of a column.
 *
 * @param column the column of the type, for messages; a nested one by its path
 */
function storedTypeOf(type: ArrowType, column: string): DataType {
  const parameters = type as ArrowType & TypeParameters;
  const children = (): Field[] =>
    (type.children ?? []).map((child) => storedFieldOf(child, `${column}.${child.name}`));
  const child = (): Field => children()[0] ?? refuse(type, column);
  switch (type.typeId) {
    case Type.Dictionary as number:
      return storedTypeOf(parameters.dictionary, column);
    case Type.Null as number:
      return new Null();
    case Type.Bool as number:
      return new Bool();
    case Type.Utf8 as number:
      return new Utf8();
    case Type.LargeUtf8 as number:
      return new LargeUtf8();
    case Type.Binary as number:
      return new Binary();
    case Type.LargeBinary as number:
      return new LargeBinary();
    case Type.Int as number:
      return new Int(parameters.isSigned, parameters.bitWidth as 8);
    case Type.Float as number:
      return new Float(parameters.precision);
    case Type.Decimal as number:
      return new Decimal(parameters.scale, parameters.precision, parameters.bitWidth);
    case Type.Date as number:
      return new Date_(parameters.unit);
    case Type.Time as number:
      return new Time(parameters.unit, parameters.bitWidth as 32);
    case Type.Timestamp as number:
      return new Timestamp(parameters.unit, parameters.timezone);
    case Type.Interval as number:
      return new Interval(parameters.unit);
    case Type.Duration as number:
      return new Duration(parameters.unit);
    case Type.FixedSizeBinary as number:
      return new FixedSizeBinary(parameters.byteWidth);
    case Type.FixedSizeList as number:
      return new FixedSizeList(parameters.listSize, child());
    case Type.List as number:
      return new List(child());
    case Type.LargeList as number:
      return new LargeList(child());
    case Type.Struct as number:
      return new Struct(children());
    case Type.Map as number: {
      const entries = child();
      const pair = (entries.type as DataType).children as readonly Field[] | null;
      return pair?.length === 2
        ? new Map_(entries as ConstructorParameters<typeof Map_>[0], parameters.keysSorted)
        : refuse(type, column);
    }
    default:
      return refuse(type, column);
  }
}

/** Optional members of types. */
interface TypeParameters {
  readonly dictionary: ArrowType;
  readonly isSigned: boolean;
  readonly bitWidth: number;
  readonly precision: number;
  readonly scale: number;
  readonly unit: number;
  readonly timezone?: string | null;
  readonly byteWidth: number;
  readonly listSize: number;
  readonly keysSorted: boolean;
}

/**
 * The parameters that must be equal for two types with the same number to be equal. Names of items,
 * keys and values do not matter.
 */
const parametersOf: Readonly<Partial<Record<Type, readonly (keyof TypeParameters)[]>>> = {
  [Type.Int]: ['isSigned', 'bitWidth'],
  [Type.Float]: ['precision'],
  [Type.Decimal]: ['scale', 'precision', 'bitWidth'],
  [Type.Date]: ['unit'],
  [Type.Time]: ['unit', 'bitWidth'],
  [Type.Timestamp]: ['unit', 'timezone'],
  [Type.Interval]: ['unit'],
  [Type.Duration]: ['unit'],
  [Type.FixedSizeBinary]: ['byteWidth'],
  [Type.FixedSizeList]: ['listSize'],
};

/**
 * Reports whether values of `type` are stored as `stored`, a type of a stored schema; for a
 * dictionary, its values.
 */
export function isStoredAs(type: ArrowType, stored: DataType): boolean {
  const parameters = type as ArrowType & TypeParameters;
  if (type.typeId === (Type.Dictionary as number)) return isStoredAs(parameters.dictionary, stored);
  if (type.typeId !== (stored.typeId as number)) return false;
  for (const name of parametersOf[stored.typeId] ?? []) {
    if ((parameters[name] ?? '') !== ((stored as unknown as TypeParameters)[name] ?? '')) {
      return false;
    }
  }
  const children = type.children ?? [];
  const storedChildren = childrenOf(stored);
  if (children.length !== storedChildren.length) return false;
  const isNamed = stored.typeId === Type.Struct;
  return storedChildren.every(({ name, type: storedType }, index) => {
    const child = children[index] as ArrowField;
    return (!isNamed || nameOf(child) === name) && isStoredAs(child.type, storedType);
  });
}

function refuse(type: ArrowType, column: string): never {
  const name = Type[type.typeId] ?? `number ${String(type.typeId)}`;
  throw new QuireError(
    'UNSUPPORTED_COLUMN_TYPE',
    `Column '${column}' has type ${name}, which results cannot represent; cast it to text.`,
  );
}

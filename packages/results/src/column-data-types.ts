import { DataType, type Field, type Int, Precision, type Schema } from 'apache-arrow';

/** The field metadata with which an engine overrides the type name of text columns. */
const columnDataTypeKey = 'quire:columnDataType';
const extensionNameKey = 'ARROW:extension:name';

/** The item types of arrays; lists of other types are JSON. */
const arrayItemTypes: ReadonlySet<string> = new Set([
  'INT',
  'LONG',
  'FLOAT',
  'DOUBLE',
  'BOOLEAN',
  'TIMESTAMP',
  'STRING',
  'BYTES',
]);

/**
 * Reports whether the text of a column is JSON
 * (https://arrow.apache.org/docs/format/CanonicalExtensions.html#json).
 */
export function isJsonField(field: Field): boolean {
  return DataType.isUtf8(field.type) && field.metadata.get(extensionNameKey) === 'arrow.json';
}

/**
 * Reports whether the 16 bytes of a column are a UUID
 * (https://arrow.apache.org/docs/format/CanonicalExtensions.html#uuid).
 */
export function isUuidField(field: Field): boolean {
  return (
    DataType.isFixedSizeBinary(field.type) &&
    field.type.byteWidth === 16 &&
    field.metadata.get(extensionNameKey) === 'arrow.uuid'
  );
}

/**
 * Reports whether a list column has cells that are strings of JSON, because there is no array type
 * for it.
 */
export function isJsonListField(field: Field): boolean {
  return isListType(field.type as DataType) && columnDataTypeOf(field) === 'JSON';
}

function isListType(type: DataType): boolean {
  return DataType.isList(type) || DataType.isLargeList(type) || DataType.isFixedSizeList(type);
}

/**
 * Returns the `columnDataTypes` of a schema, one for each column (CONTRACT.md section 2, "Column
 * types and cells").
 */
export function columnDataTypes(schema: Schema): string[] {
  return schema.fields.map((field) => columnDataTypeOf(field));
}

/** Returns the data type of one column, as `columnDataTypes` names it. */
export function columnDataTypeOf(field: Field): string {
  const type = field.type as DataType;
  const override = field.metadata.get(columnDataTypeKey);
  if (override !== undefined) return override;
  if (DataType.isInt(type)) return integerTypeOf(type);
  if (DataType.isFloat(type)) return type.precision === Precision.DOUBLE ? 'DOUBLE' : 'FLOAT';
  if (DataType.isDecimal(type)) return 'BIG_DECIMAL';
  if (DataType.isBool(type)) return 'BOOLEAN';
  if (DataType.isTimestamp(type)) return 'TIMESTAMP';
  if (isJsonField(field) || DataType.isStruct(type)) return 'JSON';
  if (DataType.isMap(type)) return 'MAP';
  if (DataType.isBinary(type) || DataType.isLargeBinary(type)) return 'BYTES';
  if (DataType.isFixedSizeBinary(type)) return isUuidField(field) ? 'STRING' : 'BYTES';
  if (!isListType(type)) return 'STRING';
  const child = (type.children as readonly Field[])[0];
  const childType = child === undefined ? 'STRING' : columnDataTypeOf(child);
  return arrayItemTypes.has(childType) ? `${childType}_ARRAY` : 'JSON';
}

function integerTypeOf({ bitWidth, isSigned }: Int): string {
  if (bitWidth === 64) return isSigned ? 'LONG' : 'BIG_DECIMAL';
  // An unsigned 32-bit integer does not fit the INT of typed clients; LONG holds it.
  return bitWidth < 32 || isSigned ? 'INT' : 'LONG';
}

import { DataType, type Field, Precision, type Schema } from 'apache-arrow';

/** Field metadata by which an engine overrides the type name, for text that holds something else than text. */
const columnDataTypeKey = 'quire:columnDataType';
const extensionNameKey = 'ARROW:extension:name';

/** Columns whose text is JSON (https://arrow.apache.org/docs/format/CanonicalExtensions.html#json). */
export function isJsonField(field: Field): boolean {
  return DataType.isUtf8(field.type) && field.metadata.get(extensionNameKey) === 'arrow.json';
}

/** Columns whose 16 bytes are a UUID (https://arrow.apache.org/docs/format/CanonicalExtensions.html#uuid). */
export function isUuidField(field: Field): boolean {
  return (
    DataType.isFixedSizeBinary(field.type) && field.type.byteWidth === 16 && field.metadata.get(extensionNameKey) === 'arrow.uuid'
  );
}

/** The `columnDataTypes` of a schema, one per column (CONTRACT.md section 2, "Column types and cells"). */
export function columnDataTypes(schema: Schema): string[] {
  return schema.fields.map((field) => columnDataTypeOf(field));
}

function columnDataTypeOf(field: Field): string {
  const type = field.type as DataType;
  const override = field.metadata.get(columnDataTypeKey);
  if (override !== undefined) return override;
  // An unsigned 32-bit integer does not fit the INT of clients that are typed: LONG holds it.
  if (DataType.isInt(type)) return type.bitWidth < 32 || (type.bitWidth === 32 && type.isSigned) ? 'INT' : 'LONG';
  if (DataType.isFloat(type)) return type.precision === Precision.DOUBLE ? 'DOUBLE' : 'FLOAT';
  if (DataType.isDecimal(type)) return 'BIG_DECIMAL';
  if (DataType.isBool(type)) return 'BOOLEAN';
  if (DataType.isTimestamp(type)) return 'TIMESTAMP';
  if (isJsonField(field) || DataType.isStruct(type)) return 'JSON';
  if (DataType.isMap(type)) return 'MAP';
  if (DataType.isBinary(type) || DataType.isLargeBinary(type)) return 'BYTES';
  if (DataType.isFixedSizeBinary(type)) return isUuidField(field) ? 'STRING' : 'BYTES';
  if (DataType.isList(type) || DataType.isLargeList(type) || DataType.isFixedSizeList(type)) {
    const child = (type.children as readonly Field[])[0];
    return `${child === undefined ? 'STRING' : columnDataTypeOf(child)}_ARRAY`;
  }
  return 'STRING';
}

import {
  Binary,
  Bool,
  type DataType,
  DateDay,
  Field,
  Float64,
  Int64,
  Schema,
  TimestampMillisecond,
  Utf8,
} from 'apache-arrow';
import type { ParameterType } from '@quire/core';

/**
 * Returns the schema in which drivers send values of parameters: JDBC's refuses a value that its
 * field does not accept. Integers are 64 bits wide, so that both setInt and setLong fit; decimals
 * are doubles, since a decimal field has a single scale; timestamps have milliseconds, which JDBC
 * sends whatever the unit. All other types are sent as text.
 */
export function parameterSchemaOf(types: readonly ParameterType[]): Schema {
  return new Schema(
    types.map((type, index) => new Field(`$${index + 1}`, arrowTypeOf(type), true)),
  );
}

function arrowTypeOf(type: ParameterType): DataType {
  switch (type) {
    case 'BOOLEAN':
      return new Bool();
    case 'INT':
    case 'LONG':
      return new Int64();
    case 'DOUBLE':
    case 'BIG_DECIMAL':
      return new Float64();
    case 'DATE':
      return new DateDay();
    case 'TIMESTAMP':
      return new TimestampMillisecond();
    case 'BYTES':
      return new Binary();
    case 'STRING':
    case 'NULL':
      return new Utf8();
  }
}

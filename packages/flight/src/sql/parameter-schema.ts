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
 * Returns the schema by which drivers send values for parameters: JDBC's refuses a value that its
 * field does not take. Whole numbers are 64 bits wide, so that setInt and setLong both fit; decimals
 * are doubles, since a decimal field takes values of one scale only; timestamps have milliseconds,
 * which is what JDBC sends whatever the unit. Anything else is sent as text.
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

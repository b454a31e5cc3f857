import type { RelationType } from '@quire/core/table-engine';
import type { SchemaElement } from 'hyparquet';
import type { TableColumn } from './table-columns.ts';

type Primitive = Pick<SchemaElement, 'type' | 'converted_type'>;

const primitives: Readonly<Record<RelationType, Primitive>> = {
  INT: { type: 'INT32' },
  LONG: { type: 'INT64' },
  FLOAT: { type: 'FLOAT' },
  DOUBLE: { type: 'DOUBLE' },
  BIG_DECIMAL: { type: 'BYTE_ARRAY', converted_type: 'UTF8' },
  BOOLEAN: { type: 'BOOLEAN' },
  TIMESTAMP: { type: 'INT64', converted_type: 'TIMESTAMP_MILLIS' },
  STRING: { type: 'BYTE_ARRAY', converted_type: 'UTF8' },
  JSON: { type: 'BYTE_ARRAY', converted_type: 'UTF8' },
  BYTES: { type: 'BYTE_ARRAY' },
  MAP: { type: 'BYTE_ARRAY', converted_type: 'UTF8' },
};

/**
 * Returns the elements of a column in the schema of a Parquet file. A list has three levels, as the
 * format requires.
 */
export function elementsOf({ name, type, isList }: TableColumn): SchemaElement[] {
  return isList
    ? [
        { name, repetition_type: 'OPTIONAL', num_children: 1, converted_type: 'LIST' },
        { name: 'list', repetition_type: 'REPEATED', num_children: 1 },
        { name: 'element', repetition_type: 'OPTIONAL', ...primitives[type] },
      ]
    : [{ name, repetition_type: 'OPTIONAL', ...primitives[type] }];
}

import type { RelationType } from '@quire/core/table-engine';
import type { SourceValue } from '@quire/tables';
import { writeLosslessJson } from '@quire/core';
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
 * The schema of a Parquet file with these columns; a list is one of three levels, as the format's
 * document asks for.
 */
export function parquetSchemaOf(columns: readonly TableColumn[]): SchemaElement[] {
  return [
    { name: 'root', num_children: columns.length },
    ...columns.flatMap(({ name, type, isList }): SchemaElement[] =>
      isList
        ? [
            { name, repetition_type: 'OPTIONAL', num_children: 1, converted_type: 'LIST' },
            { name: 'list', repetition_type: 'REPEATED', num_children: 1 },
            { name: 'element', repetition_type: 'OPTIONAL', ...primitives[type] },
          ]
        : [{ name, repetition_type: 'OPTIONAL', ...primitives[type] }],
    ),
  ];
}

/** Gives the function that writes values of the pipeline as the Parquet writer takes them. */
export function storedValues(type: RelationType): (value: Exclude<SourceValue, null>) => unknown {
  switch (type) {
    case 'LONG':
      return (value) => BigInt(value as number);
    case 'TIMESTAMP':
      return (value) => BigInt(Math.trunc(Number(value)));
    case 'JSON':
    case 'MAP':
      return (value) => (typeof value === 'string' ? value : writeLosslessJson(value));
    case 'BIG_DECIMAL':
    case 'STRING':
      return String;
    case 'INT':
    case 'FLOAT':
    case 'DOUBLE':
    case 'BOOLEAN':
    case 'BYTES':
      return (value) => value;
  }
}

import {
  type Data,
  type DataType,
  type DenseUnion,
  type Field,
  makeData,
  RecordBatch,
  type Schema,
  Struct,
  type Uint32,
  type Vector,
  vectorFromArray,
} from 'apache-arrow';
import type { OutgoingData } from '../flight-producer.ts';
import { dataOfBatch } from './ipc-messages.ts';
import { metadataSchemas, sqlInfoKinds } from './metadata-schemas.ts';
import type { SqlInfoEntry } from './sql-info.ts';

/** Encodes rows of metadata; each row has a value for each column. */
export function encodeRows(schema: Schema, rows: readonly (readonly unknown[])[]): OutgoingData[] {
  const columns = (schema.fields as readonly Field<DataType>[]).map(({ type }, index) =>
    columnOf(
      type,
      rows.map((row) => row[index] ?? null),
    ),
  );
  return encodeColumns(schema, rows.length, columns);
}

/** Encodes entries of `CommandGetSqlInfo`. */
export function encodeSqlInfo(entries: readonly SqlInfoEntry[]): OutgoingData[] {
  const schema = metadataSchemas.CommandGetSqlInfo;
  const [names, union] = schema.fields as [Field<Uint32>, Field<DenseUnion>];
  const kinds = entries.map(({ kind }) => sqlInfoKinds.indexOf(kind));
  const seen = sqlInfoKinds.map(() => 0);
  const offsets = kinds.map((kind) => (seen[kind] = (seen[kind] ?? 0) + 1) - 1);
  const children = (union.type.children as readonly Field<DataType>[]).map(({ type }, kind) =>
    columnOf(
      type,
      entries.filter((_, index) => kinds[index] === kind).map(({ value }) => value),
    ),
  );
  const values = makeData({
    type: union.type as never,
    length: entries.length,
    nullCount: 0,
    typeIds: Int8Array.from(kinds),
    valueOffsets: Int32Array.from(offsets),
    children,
  } as never) as Data;
  const numbers = columnOf(
    names.type,
    entries.map(({ number }) => number),
  );
  return encodeColumns(schema, entries.length, [numbers, values]);
}

function encodeColumns(schema: Schema, length: number, children: Data[]): OutgoingData[] {
  const type = new Struct(schema.fields);
  const data = makeData({ type, length, nullCount: 0, children });
  return dataOfBatch(new RecordBatch(schema, data));
}

function columnOf(type: DataType, values: readonly unknown[]): Data {
  const { data } = vectorFromArray(values, type) as Vector;
  const [whole] = data as readonly Data[];
  return whole ?? (makeData({ type: type as never, length: 0 } as never) as Data);
}

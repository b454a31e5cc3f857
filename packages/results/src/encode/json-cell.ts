import { type Data, DataType, type Field } from 'apache-arrow';
import { isJsonField } from '../column-data-types.ts';
import type { CellWriter } from './cell-writer.ts';
import { offsetsOf, validityOf } from './column-reader.ts';
import { type JsonPosition, nestedJsonWriterOf } from './nested-json.ts';
import { scalarWriterOf } from './scalar-writer.ts';
import { jsonStringWidthMax, writeAscii, writeBytes, writeJsonString } from './write-string.ts';

const nullText = 'null';

/** Compiles the writer of one column's JSON, including nulls. */
export function jsonWriterOf(
  field: Field,
  data: Data,
  position: JsonPosition = 'cell',
): CellWriter {
  if (DataType.isNull(field.type)) {
    return {
      widthMax: nullText.length,
      widthOf: undefined,
      write: (bytes, position) => writeAscii(bytes, position, nullText),
    };
  }
  const writer = valueWriterOf(field, data, position);
  const isValid = validityOf(data);
  if (isValid === undefined) return writer;
  const { write, widthOf } = writer;
  return {
    widthMax: Math.max(nullText.length, writer.widthMax),
    widthOf: widthOf === undefined ? undefined : (row) => (isValid(row) ? widthOf(row) : 0),
    write: (bytes, position, row) =>
      isValid(row) ? write(bytes, position, row) : writeAscii(bytes, position, nullText),
  };
}

function valueWriterOf(field: Field, data: Data, position: JsonPosition): CellWriter {
  const scalar = scalarWriterOf(field, data, true);
  if (scalar !== undefined) return scalar;
  const type = field.type as DataType;
  if (!DataType.isUtf8(type) && !DataType.isLargeUtf8(type)) {
    return nestedJsonWriterOf(field, data, position, jsonWriterOf);
  }
  const source = data.values as Uint8Array;
  const offsets = offsetsOf(data);
  const lengthOf = (row: number): number => (offsets[row + 1] ?? 0) - (offsets[row] ?? 0);
  if (position === 'value' && isJsonField(field)) {
    return {
      widthMax: 0,
      widthOf: lengthOf,
      write: (bytes, position, row) =>
        writeBytes(bytes, position, source, offsets[row] ?? 0, offsets[row + 1] ?? 0),
    };
  }
  return {
    widthMax: 0,
    widthOf: (row) => jsonStringWidthMax(lengthOf(row)),
    write: (bytes, position, row) =>
      writeJsonString(bytes, position, source, offsets[row] ?? 0, offsets[row + 1] ?? 0),
  };
}

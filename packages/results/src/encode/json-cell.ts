import { type Data, DataType, type Field } from 'apache-arrow';
import { isJsonField } from '../column-data-types.ts';
import type { CellWriter } from './cell-writer.ts';
import { offsetsOf, validityOf } from './column-reader.ts';
import { type JsonPosition, nestedJsonWriterOf } from './nested-json.ts';
import { scalarWriterOf } from './scalar-writer.ts';
import {
  jsonStringPieces,
  jsonStringWidthMax,
  writeAscii,
  writeBytes,
  writeJsonString,
} from './write-string.ts';

const nullText = 'null';
const space = 32;

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
    ...writer,
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
  if (position === 'value' && isJsonField(field)) return jsonTextWriter(source, offsets);
  return {
    widthMax: 0,
    widthOf: (row) => jsonStringWidthMax(lengthOf(row)),
    write: (bytes, position, row) =>
      writeJsonString(bytes, position, source, offsets[row] ?? 0, offsets[row + 1] ?? 0),
    piecesOf: (row) => jsonStringPieces(source, offsets[row] ?? 0, offsets[row + 1] ?? 0),
  };
}

/**
 * Returns the writer of JSON text within other JSON. Engines also accept text that is not JSON by
 * RFC 8259, such as `[NaN,]`: it becomes a string. Line breaks become spaces, because a row of
 * NDJSON is one line; JSON has them only between its tokens.
 */
function jsonTextWriter(source: Uint8Array, offsets: ArrayLike<number>): CellWriter {
  // `widthOf` decides for the `write` that follows.
  let isString = false;
  return {
    widthMax: 0,
    widthOf: (row) => {
      const text = source.subarray(offsets[row] ?? 0, offsets[row + 1] ?? 0);
      isString = !isJson(text);
      return isString ? jsonStringWidthMax(text.length) : text.length;
    },
    write: (bytes, position, row) => {
      const start = offsets[row] ?? 0;
      const end = offsets[row + 1] ?? 0;
      if (isString) return writeJsonString(bytes, position, source, start, end);
      const to = writeBytes(bytes, position, source, start, end);
      for (let index = position; index < to; index += 1) {
        if ((bytes[index] ?? 0) < space) bytes[index] = space;
      }
      return to;
    },
  };
}

function isJson(text: Uint8Array): boolean {
  try {
    JSON.parse(Buffer.from(text.buffer, text.byteOffset, text.byteLength).toString());
    return true;
  } catch {
    return false;
  }
}

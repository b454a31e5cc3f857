import { type Data, DataType, type Field } from 'apache-arrow';
import { ByteSink } from './byte-sink.ts';
import type { CellWriter } from './cell-writer.ts';
import { offsetsOf, validityOf } from './column-reader.ts';
import { jsonWriterOf } from './json-cell.ts';
import { scalarWriterOf } from './scalar-writer.ts';
import { csvFieldPieces, csvFieldWidthMax, writeAscii, writeCsvField } from './write-string.ts';

/** A null in the only column, where it must differ from empty text. */
export const loneNull = '\\N';

/**
 * Compiles the writer of one column's CSV fields: null is `nullText`; lists, maps and structs are
 * their JSON.
 */
export function csvWriterOf(field: Field, data: Data, nullText: string): CellWriter {
  const writeNull = (bytes: Uint8Array, position: number): number =>
    writeAscii(bytes, position, nullText);
  if (DataType.isNull(field.type)) {
    return { widthMax: nullText.length, widthOf: undefined, write: writeNull };
  }
  const writer = valueWriterOf(field, data, nullText === loneNull);
  const isValid = validityOf(data);
  if (isValid === undefined) return writer;
  const { write, widthOf } = writer;
  return {
    ...writer,
    widthMax: Math.max(nullText.length, writer.widthMax),
    widthOf: widthOf === undefined ? undefined : (row) => (isValid(row) ? widthOf(row) : 0),
    write: (bytes, position, row) =>
      isValid(row) ? write(bytes, position, row) : writeNull(bytes, position),
  };
}

function valueWriterOf(field: Field, data: Data, isLone: boolean): CellWriter {
  const type = field.type as DataType;
  const scalar = scalarWriterOf(field, data, false);
  // Of the scalars, only bytes can be empty text, which must differ from null.
  if (scalar !== undefined && scalar.widthOf === undefined) return scalar;
  if (scalar === undefined && (DataType.isUtf8(type) || DataType.isLargeUtf8(type))) {
    const source = data.values as Uint8Array;
    const offsets = offsetsOf(data);
    return {
      widthMax: 0,
      widthOf: (row) => csvFieldWidthMax((offsets[row + 1] ?? 0) - (offsets[row] ?? 0)),
      write: (bytes, position, row) => {
        const [start = 0, end = 0] = [offsets[row], offsets[row + 1]];
        const looksNull =
          isLone &&
          end - start === loneNull.length &&
          source[start] === 0x5c &&
          source[start + 1] === 0x4e;
        return looksNull
          ? writeAscii(bytes, position, `"${loneNull}"`)
          : writeCsvField(bytes, position, source, start, end);
      },
      piecesOf: (row) => csvFieldPieces(source, offsets[row] ?? 0, offsets[row + 1] ?? 0),
    };
  }
  const scratch = new ByteSink(1024);
  const inner = scalar ?? jsonWriterOf(field, data, 'value');
  return {
    widthMax: 0,
    widthOf: (row) => {
      scratch.clear();
      scratch.writeCell(inner, row);
      return csvFieldWidthMax(scratch.length);
    },
    write: (bytes, position) => writeCsvField(bytes, position, scratch.bytes, 0, scratch.length),
    piecesOf: () => csvFieldPieces(scratch.bytes, 0, scratch.length),
  };
}

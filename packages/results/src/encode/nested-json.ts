import { type Data, DataType, type Field } from 'apache-arrow';
import { isJsonListField } from '../column-data-types.ts';
import { ByteSink } from './byte-sink.ts';
import type { CellWriter } from './cell-writer.ts';
import { offsetsOf } from './column-reader.ts';
import { distinctNames } from './distinct-names.ts';
import {
  jsonStringPieces,
  jsonStringWidthMax,
  writeBytes,
  writeJsonString,
} from './write-string.ts';

/**
 * The position of a JSON value: the cell of a row, where structs, lists of them and JSON text are
 * strings that hold JSON (CONTRACT.md section 2), or a value within such JSON.
 */
export type JsonPosition = 'cell' | 'value';

/**
 * Compiles the writer of a child column; passed as an argument because it in turn uses this file.
 */
export type JsonWriterOf = (field: Field, data: Data, position: JsonPosition) => CellWriter;

/** Writes the JSON of a row's nested value into a sink, which grows as needed. */
type WriteNested = (sink: ByteSink, row: number) => void;

const comma = 44;
const colon = 58;
const quote = 34;

/**
 * Returns the writer for a column of lists, maps or structs. The width of a nested value is known
 * only when it is written: `widthOf` writes it to a buffer, and `write` copies it.
 */
export function nestedJsonWriterOf(
  field: Field,
  data: Data,
  position: JsonPosition,
  jsonWriterOf: JsonWriterOf,
): CellWriter {
  const scratch = new ByteSink(1024);
  const isString = position === 'cell' && (DataType.isStruct(field.type) || isJsonListField(field));
  const write = nestedWriterOf(
    field.type as DataType,
    data,
    isString ? 'value' : position,
    jsonWriterOf,
  );
  return {
    widthMax: 0,
    widthOf: (row) => {
      scratch.clear();
      write(scratch, row);
      return isString ? jsonStringWidthMax(scratch.length) : scratch.length;
    },
    write: (bytes, position) => {
      if (isString) return writeJsonString(bytes, position, scratch.bytes, 0, scratch.length);
      return writeBytes(bytes, position, scratch.bytes, 0, scratch.length);
    },
    piecesOf: () =>
      isString ? jsonStringPieces(scratch.bytes, 0, scratch.length) : [scratch.view()],
  };
}

function nestedWriterOf(
  type: DataType,
  data: Data,
  position: JsonPosition,
  jsonWriterOf: JsonWriterOf,
): WriteNested {
  if (DataType.isStruct(type)) return objectWriter(type.children, data, jsonWriterOf);
  if (DataType.isMap(type)) return mapWriter(type.childType.children, data, jsonWriterOf);
  if (DataType.isFixedSizeList(type)) {
    const { listSize } = type;
    return listWriter(
      jsonWriterOf(type.valueField, data.children[0] as Data, position),
      (row) => row * listSize,
    );
  }
  const offsets = offsetsOf(data);
  const itemField = type.children[0] as Field;
  return listWriter(
    jsonWriterOf(itemField, data.children[0] as Data, position),
    (row) => offsets[row] ?? 0,
  );
}

function objectWriter(
  fields: readonly Field[],
  data: Data,
  jsonWriterOf: JsonWriterOf,
): WriteNested {
  const names = distinctNames(fields);
  const members = fields.map((field, index) => ({
    key: Buffer.from(`${index === 0 ? '{' : ','}${JSON.stringify(names[index])}:`),
    writer: jsonWriterOf(field, data.children[index] as Data, 'value'),
  }));
  return (sink, row) => {
    for (const { key, writer } of members) {
      sink.writeBytes(key);
      sink.writeCell(writer, row);
    }
    sink.writeAscii(members.length === 0 ? '{}' : '}');
  };
}

function listWriter(writer: CellWriter, startOf: (row: number) => number): WriteNested {
  return (sink, row) => {
    sink.writeByte(91);
    const start = startOf(row);
    const end = startOf(row + 1);
    for (let index = start; index < end; index += 1) {
      if (index > start) sink.writeByte(comma);
      sink.writeCell(writer, index);
    }
    sink.writeByte(93);
  };
}

function mapWriter(fields: readonly Field[], data: Data, jsonWriterOf: JsonWriterOf): WriteNested {
  const [keyField, valueField] = fields as readonly [Field, Field];
  const offsets = offsetsOf(data);
  const entries = data.children[0] as Data;
  const scratch = new ByteSink(256);
  const keyWriter = jsonWriterOf(keyField, entries.children[0] as Data, 'value');
  const valueWriter = jsonWriterOf(valueField, entries.children[1] as Data, 'value');
  return (sink, row) => {
    sink.writeByte(123);
    const start = offsets[row] ?? 0;
    const end = offsets[row + 1] ?? 0;
    for (let index = start; index < end; index += 1) {
      if (index > start) sink.writeByte(comma);
      scratch.clear();
      scratch.writeCell(keyWriter, index);
      // Keys of JSON objects are strings: other keys become strings that hold their JSON.
      if (scratch.bytes[0] === quote) sink.writeBytes(scratch.view());
      else writeKeyText(sink, scratch);
      sink.writeByte(colon);
      sink.writeCell(valueWriter, index);
    }
    sink.writeByte(125);
  };
}

function writeKeyText(sink: ByteSink, text: ByteSink): void {
  const position = sink.reserve(jsonStringWidthMax(text.length));
  sink.length = writeJsonString(sink.bytes, position, text.bytes, 0, text.length);
}

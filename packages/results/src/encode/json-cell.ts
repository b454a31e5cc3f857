import { type Data, DataType, type Field } from 'apache-arrow';
import { isJsonField } from '../column-data-types.ts';
import { ByteSink } from './byte-sink.ts';
import { offsetsOf, validityOf } from './column-reader.ts';
import { scalarWriterOf, type ScalarWriter, type WriteValue } from './scalar-writer.ts';
import { writeJsonString } from './write-string.ts';

/**
 * Where a JSON value stands: as the cell of a row, where structs and JSON text are strings that hold JSON (contract section 2), or
 * within such JSON, where they are values like any other.
 */
type JsonPlace = 'cell' | 'value';

const quote = 34;
const comma = 44;
const colon = 58;

/** Compiles the writer of one column's JSON: a closure with the column's buffers and kind already chosen; null included. */
export function jsonWriterOf(field: Field, data: Data, sink: ByteSink, place: JsonPlace = 'cell'): WriteValue {
  const write = valueWriterOf(field, data, sink, place);
  const isValid = validityOf(data);
  if (DataType.isNull(field.type)) return () => sink.writeAscii('null');
  if (isValid === undefined) return write;
  return (row) => {
    if (isValid(row)) write(row);
    else sink.writeAscii('null');
  };
}

function valueWriterOf(field: Field, data: Data, sink: ByteSink, place: JsonPlace): WriteValue {
  const type = field.type as DataType;
  const scalar = scalarWriterOf(field, data, sink);
  if (scalar !== undefined) return quoteAsNeeded(scalar, data, sink);
  if (DataType.isStruct(type)) {
    return place === 'cell' ? stringHolding(field, data, sink) : objectWriter(type.children, data, sink);
  }
  if (DataType.isMap(type)) return mapWriter(type.childType.children, data, sink);
  if (DataType.isFixedSizeList(type)) {
    const { listSize } = type;
    return listWriter(type.children, data, sink, place, (row) => row * listSize);
  }
  const offsets = data.valueOffsets === undefined ? [] : offsetsOf(data);
  if (DataType.isList(type) || DataType.isLargeList(type)) {
    return listWriter(type.children as readonly Field[], data, sink, place, (row) => offsets[row] ?? 0);
  }
  const bytes = data.values as Uint8Array;
  if (place === 'value' && isJsonField(field)) return (row) => sink.writeBytes(bytes, offsets[row] ?? 0, offsets[row + 1] ?? 0);
  return (row) => writeJsonString(sink, bytes, offsets[row] ?? 0, offsets[row + 1] ?? 0);
}

function quoteAsNeeded({ json, write }: ScalarWriter, data: Data, sink: ByteSink): WriteValue {
  if (json === 'bare') return write;
  const quoted: WriteValue = (row) => {
    sink.writeByte(quote);
    write(row);
    sink.writeByte(quote);
  };
  if (json === 'quoted') return quoted;
  const values = data.values as ArrayLike<number>;
  // Half floats are bits here, not numbers: an exponent of all ones is what is not finite.
  const isFinite =
    data.values instanceof Uint16Array
      ? (row: number) => ((values[row] ?? 0) & 0x7c00) !== 0x7c00
      : (row: number) => Number.isFinite(values[row]);
  return (row) => (isFinite(row) ? write(row) : quoted(row));
}

/** A struct as a string that holds its JSON. */
function stringHolding(field: Field, data: Data, sink: ByteSink): WriteValue {
  const scratch = new ByteSink(1024);
  const write = valueWriterOf(field, data, scratch, 'value');
  return (row) => {
    scratch.clear();
    write(row);
    writeJsonString(sink, scratch.bytes, 0, scratch.length);
  };
}

function objectWriter(fields: readonly Field[], data: Data, sink: ByteSink): WriteValue {
  const members = fields.map((field, index) => ({
    key: Buffer.from(`${index === 0 ? '{' : ','}${JSON.stringify(field.name)}:`),
    write: jsonWriterOf(field, data.children[index] as Data, sink, 'value'),
  }));
  return (row) => {
    for (const { key, write } of members) {
      sink.writeBytes(key);
      write(row);
    }
    sink.writeAscii(members.length === 0 ? '{}' : '}');
  };
}

function listWriter(
  fields: readonly Field[],
  data: Data,
  sink: ByteSink,
  place: JsonPlace,
  startOf: (row: number) => number,
): WriteValue {
  const writeItem = jsonWriterOf(fields[0] as Field, data.children[0] as Data, sink, place);
  return (row) => {
    sink.writeByte(91);
    const start = startOf(row);
    const end = startOf(row + 1);
    for (let index = start; index < end; index += 1) {
      if (index > start) sink.writeByte(comma);
      writeItem(index);
    }
    sink.writeByte(93);
  };
}

function mapWriter(fields: readonly Field[], data: Data, sink: ByteSink): WriteValue {
  const offsets = offsetsOf(data);
  const entries = data.children[0] as Data;
  const [keyField, valueField] = fields as readonly [Field, Field];
  const scratch = new ByteSink(256);
  const keyData = entries.children[0] as Data;
  const writeKey = jsonWriterOf(keyField, keyData, scratch, 'value');
  const writeValue = jsonWriterOf(valueField, entries.children[1] as Data, sink, 'value');
  return (row) => {
    sink.writeByte(123);
    const start = offsets[row] ?? 0;
    const end = offsets[row + 1] ?? 0;
    for (let index = start; index < end; index += 1) {
      if (index > start) sink.writeByte(comma);
      scratch.clear();
      writeKey(index);
      // Keys of JSON objects are strings: what is none already becomes one that holds its JSON.
      if (scratch.bytes[0] === quote) sink.writeBytes(scratch.bytes, 0, scratch.length);
      else writeJsonString(sink, scratch.bytes, 0, scratch.length);
      sink.writeByte(colon);
      writeValue(index);
    }
    sink.writeByte(125);
  };
}

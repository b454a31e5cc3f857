import { type Data, DataType, type Field } from 'apache-arrow';
import { ByteSink } from './byte-sink.ts';
import { offsetsOf, validityOf } from './column-reader.ts';
import { jsonWriterOf } from './json-cell.ts';
import { scalarWriterOf, type WriteValue } from './scalar-writer.ts';
import { writeCsvField } from './write-string.ts';

/** Compiles the writer of one column's CSV fields: null is nothing at all, lists, maps and structs are their JSON. */
export function csvWriterOf(field: Field, data: Data, sink: ByteSink): WriteValue {
  if (DataType.isNull(field.type)) return () => {};
  const write = valueWriterOf(field, data, sink);
  const isValid = validityOf(data);
  if (isValid === undefined) return write;
  return (row) => {
    if (isValid(row)) write(row);
  };
}

function valueWriterOf(field: Field, data: Data, sink: ByteSink): WriteValue {
  const type = field.type as DataType;
  const scalar = scalarWriterOf(field, data, sink);
  if (scalar !== undefined && !isBytes(type)) return scalar.write;
  if (DataType.isUtf8(type) || DataType.isLargeUtf8(type)) {
    const bytes = data.values as Uint8Array;
    const offsets = offsetsOf(data);
    return (row) => writeCsvField(sink, bytes, offsets[row] ?? 0, offsets[row + 1] ?? 0);
  }
  const scratch = new ByteSink(1024);
  const write = scalarWriterOf(field, data, scratch)?.write ?? jsonWriterOf(field, data, scratch, 'value');
  return (row) => {
    scratch.clear();
    write(row);
    writeCsvField(sink, scratch.bytes, 0, scratch.length);
  };
}

/** Empty bytes have to be told from null, as empty text has. */
function isBytes(type: DataType): boolean {
  return DataType.isBinary(type) || DataType.isLargeBinary(type);
}

import type { Data, Field, RecordBatch, Schema } from 'apache-arrow';
import type { RowRange } from '@quire/core';
import { ByteSink } from './byte-sink.ts';
import { csvWriterOf } from './csv-cell.ts';
import { jsonWriterOf } from './json-cell.ts';
import type { WriteValue } from './scalar-writer.ts';
import { writeCsvField } from './write-string.ts';

/** A decoded batch and the rows of it that are wanted. */
export interface PageBatch {
  readonly batch: RecordBatch;
  readonly rows: RowRange;
}

/** Handed on as soon as a chunk has this many bytes. */
const chunkBytes = 128 * 1024;

/** Encodes rows as a JSON array of arrays of cells: `[[1,"a"],[2,null]]` (contract section 2). */
export async function* encodeJsonRows(schema: Schema, batches: AsyncIterable<PageBatch>): AsyncGenerator<Uint8Array> {
  const sink = new ByteSink(chunkBytes * 2);
  sink.writeByte(91);
  let separator = 91;
  for await (const { batch, rows } of batches) {
    const writers = writersOf(schema, batch, sink, jsonWriterOf);
    for (let row = rows.start; row < rows.end; row += 1) {
      if (separator === 44) sink.writeByte(44);
      separator = 91;
      for (const write of writers) {
        sink.writeByte(separator);
        write(row);
        separator = 44;
      }
      sink.writeByte(93);
      if (sink.length >= chunkBytes) yield sink.take();
    }
  }
  sink.writeByte(93);
  yield sink.take();
}

/** Encodes rows as lines of one JSON object each; a column name that stands twice gets a number the second time. */
export async function* encodeNdjson(schema: Schema, batches: AsyncIterable<PageBatch>): AsyncGenerator<Uint8Array> {
  const sink = new ByteSink(chunkBytes * 2);
  const keys = distinctNames(schema).map((name, index) => Buffer.from(`${index === 0 ? '{' : ','}${JSON.stringify(name)}:`));
  for await (const { batch, rows } of batches) {
    const writers = writersOf(schema, batch, sink, jsonWriterOf);
    for (let row = rows.start; row < rows.end; row += 1) {
      for (const [index, write] of writers.entries()) {
        sink.writeBytes(keys[index] as Uint8Array);
        write(row);
      }
      sink.writeAscii('}\n');
      if (sink.length >= chunkBytes) yield sink.take();
    }
  }
  if (sink.length > 0) yield sink.take();
}

/** Encodes rows as CSV with a header line (RFC 4180, lines end with LF): null is an empty field, empty text is `""`. */
export async function* encodeCsv(schema: Schema, batches: AsyncIterable<PageBatch>): AsyncGenerator<Uint8Array> {
  const sink = new ByteSink(chunkBytes * 2);
  for (const [index, field] of schema.fields.entries()) {
    if (index > 0) sink.writeByte(44);
    const name = Buffer.from(field.name);
    writeCsvField(sink, name, 0, name.length);
  }
  sink.writeByte(10);
  for await (const { batch, rows } of batches) {
    const writers = writersOf(schema, batch, sink, csvWriterOf);
    for (let row = rows.start; row < rows.end; row += 1) {
      const start = sink.length;
      for (const [index, write] of writers.entries()) {
        if (index > 0) sink.writeByte(44);
        write(row);
      }
      // A lone null would make an empty line, which readers skip.
      if (sink.length === start) sink.writeAscii('""');
      sink.writeByte(10);
      if (sink.length >= chunkBytes) yield sink.take();
    }
  }
  if (sink.length > 0) yield sink.take();
}

type WriterOf = (field: Field, data: Data, sink: ByteSink) => WriteValue;

function writersOf(schema: Schema, batch: RecordBatch, sink: ByteSink, writerOf: WriterOf): WriteValue[] {
  return schema.fields.map((field, index) => writerOf(field, batch.data.children[index] as Data, sink));
}

function distinctNames(schema: Schema): string[] {
  const seen = new Set<string>();
  return schema.fields.map((field) => {
    let name = field.name;
    for (let count = 1; seen.has(name); count += 1) name = `${field.name}_${count}`;
    seen.add(name);
    return name;
  });
}

import type { Schema } from 'apache-arrow';
import type { RowRange } from '@quire/core';
import type { ColumnBatch } from '../arrow/column-batch.ts';
import { type CellFormat, csvFormat, jsonFormat } from './cell-format.ts';
import { ChunkBuffer } from './chunk-buffer.ts';
import { RowEncoder, type RowFrame } from './row-encoder.ts';
import { csvFieldWidthMax, writeCsvField } from './write-string.ts';

/** A decoded batch and the rows of it that are wanted. */
export interface PageBatch {
  readonly batch: ColumnBatch;
  readonly rows: RowRange;
}

const text = (ascii: string): Uint8Array => Buffer.from(ascii);
const nothing = text('');

/** Encodes rows as a JSON array of arrays of cells: `[[1,"a"],[2,null]]` (contract section 2). */
export function encodeJsonRows(schema: Schema, batches: AsyncIterable<PageBatch>): AsyncGenerator<Uint8Array> {
  const cellPrefixes = schema.fields.map((_, index) => text(index === 0 ? ',[' : ','));
  const frame = { head: text('['), cellPrefixes, separatorBytes: 1, rowSuffix: text(']'), tail: text(']') };
  return encodeRows(schema, batches, frame, jsonFormat);
}

/** Encodes rows as lines of one JSON object each; a column name that stands twice gets a number the second time. */
export function encodeNdjson(schema: Schema, batches: AsyncIterable<PageBatch>): AsyncGenerator<Uint8Array> {
  const cellPrefixes = distinctNames(schema).map((name, index) =>
    Buffer.from(`${index === 0 ? '{' : ','}${JSON.stringify(name)}:`),
  );
  const frame = { head: nothing, cellPrefixes, separatorBytes: 0, rowSuffix: text('}\n'), tail: nothing };
  return encodeRows(schema, batches, frame, jsonFormat);
}

/** Encodes rows as CSV with a header line (RFC 4180, lines end with LF): null is an empty field, empty text is `""`. */
export function encodeCsv(schema: Schema, batches: AsyncIterable<PageBatch>): AsyncGenerator<Uint8Array> {
  const cellPrefixes = schema.fields.map((_, index) => (index === 0 ? nothing : text(',')));
  const frame = { head: csvHeader(schema), cellPrefixes, separatorBytes: 0, rowSuffix: text('\n'), tail: nothing };
  return encodeRows(schema, batches, frame, csvFormat(schema.fields.length));
}

async function* encodeRows(
  schema: Schema,
  batches: AsyncIterable<PageBatch>,
  frame: RowFrame,
  format: CellFormat,
): AsyncGenerator<Uint8Array> {
  const chunks = new ChunkBuffer();
  const encoder = new RowEncoder(schema, frame, format);
  yield* chunks.append(frame.head);
  for await (const { batch, rows } of batches) {
    for (const text of encoder.encode(batch.columns, rows)) yield* chunks.append(text);
  }
  yield* chunks.append(frame.tail);
  const last = chunks.finish();
  if (last.length > 0) yield last;
}

function csvHeader(schema: Schema): Uint8Array {
  const names = schema.fields.map(({ name }) => {
    const source = Buffer.from(name);
    const field = new Uint8Array(csvFieldWidthMax(source.length));
    return Buffer.from(field.subarray(0, writeCsvField(field, 0, source, 0, source.length))).toString();
  });
  return Buffer.from(`${names.join(',')}\n`);
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

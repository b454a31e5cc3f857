import type { Data, Schema } from 'apache-arrow';
import type { RowRange } from '@quire/core';
import type { FormatsWith } from '@quire/core/wire';
import type { Lender } from '../buffer-pool.ts';
import type { PageBatch } from '../plain-batches.ts';
import { type CellFormat, csvFormat, jsonFormat } from './cell-format.ts';
import { ChunkBuffer } from './chunk-buffer.ts';
import { distinctNames } from './distinct-names.ts';
import { escapedName, escapeFormulas } from './escape-formulas.ts';
import { type PagePart, wholePage } from './page-part.ts';
import { RowEncoder, type RowFrame } from './row-encoder.ts';
import { csvFieldWidthMax, writeCsvField } from './write-string.ts';

/** The rows of batches to encode. */
interface TextRows {
  readonly schema: Schema;
  readonly batches: AsyncIterable<PageBatch>;
  /**
   * Lends the memory of chunks, which are then valid until the next one is requested; without it,
   * the reader may retain them.
   */
  readonly pool: Lender | undefined;
  /** Absent: the batches are those of the whole page. */
  readonly part?: PagePart | undefined;
}

/** The parts of a JSON document before and after the rows. */
export interface TextAround {
  readonly before: Uint8Array;
  readonly after: Uint8Array;
}

/** The options of text formats. */
export interface TextOptions {
  /**
   * For CSV: adds an apostrophe before texts that a spreadsheet would interpret as formulas.
   * Default: no.
   */
  readonly escapesFormulas?: boolean | undefined;
  /** For JSON: text around the rows, in the same chunks. */
  readonly around?: TextAround | undefined;
}

/** The layout of a page of text. */
interface TextLayout {
  readonly frame: RowFrame;
  readonly cells: CellFormat;
  /** Transforms columns before their cells are written. Absent: no transformation. */
  readonly prepare?: (columns: readonly Data[], rows: RowRange) => readonly Data[];
}

const text = (ascii: string): Uint8Array => Buffer.from(ascii);
const nothing = text('');
const comma = text(',');
const firstOfJsonRow = text(',[');
const emptyJsonRow = text(',[]');
const bracket = text(']');

/** Encodes rows as text, chunk by chunk. */
export async function* encodeText(
  format: FormatsWith<'isText'>,
  { schema, batches, pool, part = wholePage }: TextRows,
  options: TextOptions = {},
): AsyncGenerator<Uint8Array> {
  const { frame, cells, prepare } = layOut[format](schema, options);
  const chunks = new ChunkBuffer(pool);
  const encoder = new RowEncoder(schema, frame, cells, part.isFirst);
  try {
    if (part.isFirst) yield* handOut(chunks, frame.head);
    for await (const { batch, rows } of batches) {
      const columns = prepare?.(batch.columns, rows) ?? batch.columns;
      for (const text of encoder.encode(columns, rows)) yield* handOut(chunks, text);
    }
    if (part.isLast) yield* handOut(chunks, frame.tail);
    const last = chunks.finish();
    if (last.length > 0) yield last;
    chunks.release(last);
  } finally {
    chunks.abandon();
  }
}

/** Encodes the rows of batches in memory into separate memory. */
export function encodeTextSync(
  format: FormatsWith<'isText'>,
  { schema, batches }: { readonly schema: Schema; readonly batches: readonly PageBatch[] },
  options: TextOptions = {},
): Uint8Array {
  const { frame, cells, prepare } = layOut[format](schema, options);
  const encoder = new RowEncoder(schema, frame, cells);
  const pieces = [frame.head];
  for (const { batch, rows } of batches) {
    // Copied, because the next text overwrites it.
    for (const piece of encoder.encode(prepare?.(batch.columns, rows) ?? batch.columns, rows)) {
      pieces.push(Buffer.from(piece));
    }
  }
  pieces.push(frame.tail);
  return Buffer.concat(pieces);
}

/** The layouts of rows of a schema for each text format. */
const layOut: Readonly<
  Record<FormatsWith<'isText'>, (schema: Schema, options: TextOptions) => TextLayout>
> = { json: jsonLayout, csv: csvLayout, ndjson: ndjsonLayout };

/**
 * Returns the layout of JSON: an array of arrays of cells, `[[1,"a"],[2,null]]` (CONTRACT.md
 * section 2).
 */
function jsonLayout(schema: Schema, { around }: TextOptions): TextLayout {
  const cellPrefixes = schema.fields.map((_, index) => (index === 0 ? firstOfJsonRow : comma));
  const head = Buffer.concat([around?.before ?? nothing, text('[')]);
  const tail = Buffer.concat([bracket, around?.after ?? nothing]);
  // The first cell's prefix starts a row; a row without cells is only a suffix.
  const rowSuffix = cellPrefixes.length === 0 ? emptyJsonRow : bracket;
  return {
    frame: { head, cellPrefixes, separatorBytes: 1, rowSuffix, tail },
    cells: jsonFormat,
  };
}

/**
 * Returns the layout of NDJSON: one JSON object for each line; a repeated column name gets a
 * number.
 */
function ndjsonLayout(schema: Schema): TextLayout {
  const cellPrefixes = distinctNames(schema.fields).map((name, index) =>
    Buffer.from(`${index === 0 ? '{' : ','}${JSON.stringify(name)}:`),
  );
  const frame = {
    head: nothing,
    cellPrefixes,
    separatorBytes: 0,
    rowSuffix: text(cellPrefixes.length === 0 ? '{}\n' : '}\n'),
    tail: nothing,
  };
  return { frame, cells: jsonFormat };
}

/**
 * Returns the layout of CSV with a header line (RFC 4180, with LF as line ending): null is an empty
 * field, empty text is `""`.
 */
function csvLayout({ fields }: Schema, { escapesFormulas = false }: TextOptions): TextLayout {
  const cellPrefixes = fields.map((_, index) => (index === 0 ? nothing : comma));
  const head = csvHeader(fields.map(({ name }) => (escapesFormulas ? escapedName(name) : name)));
  const frame = { head, cellPrefixes, separatorBytes: 0, rowSuffix: text('\n'), tail: nothing };
  const layout = { frame, cells: csvFormat(fields) };
  return escapesFormulas
    ? { ...layout, prepare: (columns, rows) => escapeFormulas(fields, columns, rows) }
    : layout;
}

/**
 * Yields the chunks that a piece of text has filled; the piece is copied before anything else can
 * be encoded.
 */
function* handOut(chunks: ChunkBuffer, piece: Uint8Array): Generator<Uint8Array> {
  for (const chunk of chunks.append(piece)) {
    yield chunk;
    chunks.release(chunk);
  }
}

function csvHeader(columnNames: readonly string[]): Uint8Array {
  const names = columnNames.map((name) => {
    const source = Buffer.from(name);
    const field = new Uint8Array(csvFieldWidthMax(source.length));
    return Buffer.from(
      field.subarray(0, writeCsvField(field, 0, source, 0, source.length)),
    ).toString();
  });
  return Buffer.from(`${names.join(',')}\n`);
}

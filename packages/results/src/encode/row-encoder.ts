import type { Data, Schema } from 'apache-arrow';
import type { RowRange } from '@quire/core';
import { ByteSink } from './byte-sink.ts';
import { type CellFormat, writerColumnOf } from './cell-format.ts';
import { columnBytes, prefixAt, prefixLengthAt } from './row-writer-layout.ts';
import { RowWriter, type StagedText } from './row-writer.ts';
import type { WriterColumn } from './writer-column.ts';

/** The text around the cells. */
export interface RowFrame {
  /** The text before the first row. */
  readonly head: Uint8Array;
  /** The text before each cell of a row, one for each column. */
  readonly cellPrefixes: readonly Uint8Array[];
  /**
   * The bytes at the start of the first prefix that separate two rows; the very first row omits
   * them.
   */
  readonly separatorBytes: number;
  readonly rowSuffix: Uint8Array;
  /** The text after the last row. */
  readonly tail: Uint8Array;
}

/**
 * The maximum number of rows written at once: with their text, they should fit in the processor's
 * L2 cache.
 */
const blockRowsMax = 1024;
/**
 * The number of rows staged first if cells are preformatted and it is unknown how many fit; it
 * doubles each time.
 */
const asideRowsFirst = 16;
const asideRowsMax = 512;
/** The size of text from which a value is written in pieces. */
const longBytes = 256 * 1024;

/**
 * Creates the text of rows: blocks of rows with the row writer, and separately each row that is too
 * large for its memory.
 */
export class RowEncoder {
  readonly #schema: Schema;
  readonly #frame: RowFrame;
  readonly #format: CellFormat;
  /** The concatenated texts of prefixes and suffix, staged in one piece. */
  readonly #frameText: Uint8Array;
  #isFirstRow: boolean;
  /** The number of rows to stage next if cells are preformatted. */
  #asideRows = asideRowsFirst;

  /**
   * Creates an encoder.
   *
   * @param isFirst false if other rows of the page precede these
   */
  constructor(schema: Schema, frame: RowFrame, format: CellFormat, isFirst = true) {
    this.#schema = schema;
    this.#frame = frame;
    this.#format = format;
    this.#isFirstRow = isFirst;
    this.#frameText = Buffer.concat([...frame.cellPrefixes, frame.rowSuffix]);
  }

  /**
   * Encodes rows of one batch. Each text is valid until the next one is requested, or until
   * anything else is encoded.
   */
  *encode(data: readonly Data[], rows: RowRange): Generator<Uint8Array> {
    const columns = this.#schema.fields.map((field, index) =>
      writerColumnOf(field, data[index] as Data, this.#format),
    );
    let staged: StagedRows | undefined;
    for (let start = rows.start; start < rows.end;) {
      // Other encoders may have staged their rows since the last text was yielded.
      if (staged === undefined || staged.end === start || !staged.isInPlace()) {
        staged = this.#stage(columns, start, rows.end);
      }
      const count =
        staged === undefined
          ? 0
          : outputRowsThatFit(columns, this.#frameText.length, start, staged.end);
      const texts =
        staged === undefined || count === 0
          ? this.#piecesOfRow(data, start)
          : [staged.write(start, start + count)];
      start += Math.max(1, count);
      for (const text of texts) {
        yield this.#isFirstRow ? text.subarray(this.#frame.separatorBytes) : text;
        this.#isFirstRow = false;
      }
    }
  }

  /**
   * Copies as many rows from `start` as are certain to fit into the row writer's memory; returns
   * undefined if one might not fit.
   */
  #stage(columns: readonly WriterColumn[], start: number, endMax: number): StagedRows | undefined {
    const isAside = columns.some(({ isWrittenAside }) => isWrittenAside);
    const countMax = isAside ? Math.min(this.#asideRows, endMax - start) : endMax - start;
    const count = this.#inputRowsThatFit(columns, start, countMax);
    this.#asideRows = Math.min(asideRowsMax, Math.max(1, count) * 2);
    return count === 0
      ? undefined
      : new StagedRows(columns, this.#frame, this.#frameText, start, start + count);
  }

  #inputRowsThatFit(columns: readonly WriterColumn[], start: number, countMax: number): number {
    const { inputBytesMax } = RowWriter.shared;
    for (let count = countMax; count > 0; count >>= 1) {
      let inputBytes = this.#frameText.length + 8 + columns.length * columnBytes + 8;
      for (const column of columns) inputBytes += column.inputBytesMax(start, start + count);
      if (inputBytes <= inputBytesMax) return count;
    }
    return 0;
  }

  /** Yields the text of one row: long values piece by piece, and what is between them at once. */
  *#piecesOfRow(data: readonly Data[], row: number): Generator<Uint8Array> {
    const sink = new ByteSink(1024);
    for (const [index, field] of this.#schema.fields.entries()) {
      sink.writeBytes(this.#frame.cellPrefixes[index] as Uint8Array);
      const writer = this.#format.writerOf(field, data[index] as Data);
      const width = writer.widthMax + (writer.widthOf?.(row) ?? 0);
      if (writer.piecesOf === undefined || width <= longBytes) {
        const position = sink.reserve(width);
        sink.length = writer.write(sink.bytes, position, row);
        continue;
      }
      yield sink.view();
      sink.clear();
      yield* writer.piecesOf(row);
    }
    sink.writeBytes(this.#frame.rowSuffix);
    yield sink.view();
  }
}

/**
 * Returns the number of rows from `start` whose text is certain to fit in the row writer's output;
 * 0 if one might not fit.
 */
function outputRowsThatFit(
  columns: readonly WriterColumn[],
  frameBytes: number,
  start: number,
  end: number,
): number {
  const { outputBytesMax } = RowWriter.shared;
  for (let count = Math.min(blockRowsMax, end - start); count > 0; count >>= 1) {
    let outputBytes = count * frameBytes;
    for (const column of columns) outputBytes += column.outputBytesMax(start, start + count);
    if (outputBytes <= outputBytesMax) return count;
  }
  return 0;
}

/** Rows of a batch in the row writer's memory, until other rows are staged. */
class StagedRows {
  readonly end: number;
  readonly #start: number;
  readonly #first: number;
  readonly #columnCount: number;
  readonly #suffix: StagedText;
  readonly #generation: number;

  constructor(
    columns: readonly WriterColumn[],
    frame: RowFrame,
    frameText: Uint8Array,
    start: number,
    end: number,
  ) {
    const writer = RowWriter.shared;
    this.#generation = writer.clear();
    this.#start = start;
    this.end = end;
    this.#columnCount = columns.length;
    this.#first = writer.reserve(columns.length * columnBytes);
    let text = writer.stage(frameText, 0, frameText.length);
    for (const [index, column] of columns.entries()) {
      const address = this.#first + index * columnBytes;
      const prefixLength = frame.cellPrefixes[index]?.length ?? 0;
      writer.describe(address, prefixAt, text);
      writer.describe(address, prefixLengthAt, prefixLength);
      text += prefixLength;
      column.stage(writer, address, start, end);
    }
    this.#suffix = { address: text, length: frame.rowSuffix.length };
  }

  isInPlace(): boolean {
    return RowWriter.shared.generation === this.#generation;
  }

  write(start: number, end: number): Uint8Array {
    const rows = { start: start - this.#start, end: end - this.#start };
    return RowWriter.shared.write(this.#first, this.#columnCount, rows, this.#suffix);
  }
}

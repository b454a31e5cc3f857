import type { Data, Schema } from 'apache-arrow';
import type { RowRange } from '@quire/core';
import { ByteSink } from './byte-sink.ts';
import { type CellFormat, writerColumnOf } from './cell-format.ts';
import { columnBytes, prefixAt, prefixLengthAt } from './row-writer-layout.ts';
import { RowWriter } from './row-writer.ts';
import type { WriterColumn } from './writer-column.ts';

/** The text around the cells. */
export interface RowFrame {
  /** Before the first row. */
  readonly head: Uint8Array;
  /** Before each cell of a row, one for each column. */
  readonly cellPrefixes: readonly Uint8Array[];
  /** Bytes at the front of the first prefix that stand between two rows: the first row of all goes without. */
  readonly separatorBytes: number;
  readonly rowSuffix: Uint8Array;
  /** After the last row. */
  readonly tail: Uint8Array;
}

/** Rows that are written at once, at most: with their text, they should stay in the processor's second cache. */
const blockRowsMax = 512;
/** Rows of the first block: nested cells are written aside before it shows how many of them fit. */
const blockRowsFirst = 16;

/** Makes the text of rows: of blocks of them by the row writer, of a row too large for its memory by itself. */
export class RowEncoder {
  readonly #schema: Schema;
  readonly #frame: RowFrame;
  readonly #format: CellFormat;
  /** The texts of prefixes and suffix, one behind the other, to be staged in one piece. */
  readonly #frameText: Uint8Array;
  #isFirstRow = true;
  /** Rows to try next: twice as many as fitted last. */
  #blockRows = blockRowsFirst;

  constructor(schema: Schema, frame: RowFrame, format: CellFormat) {
    this.#schema = schema;
    this.#frame = frame;
    this.#format = format;
    this.#frameText = Buffer.concat([...frame.cellPrefixes, frame.rowSuffix]);
  }

  /** Encodes rows of one batch: texts that each last until the next is asked for, or until anybody else encodes anything. */
  *encode(data: readonly Data[], rows: RowRange): Generator<Uint8Array> {
    const columns = this.#schema.fields.map((field, index) => writerColumnOf(field, data[index] as Data, this.#format));
    for (let start = rows.start; start < rows.end;) {
      const count = this.#countThatFits(columns, start, rows.end);
      const text = count === 0 ? this.#writeOneRow(data, start) : this.#writeBlock(columns, start, start + count);
      start += Math.max(1, count);
      yield this.#isFirstRow ? text.subarray(this.#frame.separatorBytes) : text;
      this.#isFirstRow = false;
    }
  }

  /** How many rows from `start` on surely fit the row writer's memory; 0 when one might not. */
  #countThatFits(columns: readonly WriterColumn[], start: number, end: number): number {
    const { inputBytesMax, outputBytesMax } = RowWriter.shared;
    const frameBytes = this.#frameText.length;
    const rowsLeft = end - start;
    for (let count = Math.min(this.#blockRows, rowsLeft); count > 0; count >>= 1) {
      let inputBytes = frameBytes + 8 + columns.length * columnBytes + 8;
      let outputBytes = count * frameBytes;
      for (const column of columns) {
        inputBytes += column.inputBytesMax(start, start + count);
        outputBytes += column.outputBytesMax(start, start + count);
      }
      if (inputBytes <= inputBytesMax && outputBytes <= outputBytesMax) {
        if (count < rowsLeft) this.#blockRows = Math.min(blockRowsMax, count * 2);
        return count;
      }
    }
    this.#blockRows = 1;
    return 0;
  }

  #writeBlock(columns: readonly WriterColumn[], start: number, end: number): Uint8Array {
    const writer = RowWriter.shared;
    writer.clear();
    const first = writer.reserve(columns.length * columnBytes);
    let text = writer.stage(this.#frameText, 0, this.#frameText.length);
    for (const [index, column] of columns.entries()) {
      const address = first + index * columnBytes;
      const prefixLength = this.#frame.cellPrefixes[index]?.length ?? 0;
      writer.describe(address, prefixAt, text);
      writer.describe(address, prefixLengthAt, prefixLength);
      text += prefixLength;
      column.stage(writer, address, start, end);
    }
    return writer.write(first, columns.length, end - start, { address: text, length: this.#frame.rowSuffix.length });
  }

  #writeOneRow(data: readonly Data[], row: number): Uint8Array {
    const sink = new ByteSink(1024);
    for (const [index, field] of this.#schema.fields.entries()) {
      sink.writeBytes(this.#frame.cellPrefixes[index] as Uint8Array);
      sink.writeCell(this.#format.writerOf(field, data[index] as Data), row);
    }
    sink.writeBytes(this.#frame.rowSuffix);
    return sink.view();
  }
}

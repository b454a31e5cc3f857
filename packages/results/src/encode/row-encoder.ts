import type { RowRange } from '@quire/core';
import type { CellWriter } from './cell-writer.ts';
import { writeBytes } from './write-string.ts';

/** The text between the cells. */
export interface RowFrame {
  /** Before the first row. */
  readonly head: Uint8Array;
  /** Between two rows. */
  readonly rowSeparator: Uint8Array;
  /** Before each cell of a row, one for each column. */
  readonly cellPrefixes: readonly Uint8Array[];
  readonly rowSuffix: Uint8Array;
  /** In place of a row whose text would be empty, prefixes included. */
  readonly emptyRow: Uint8Array;
  /** After the last row. */
  readonly tail: Uint8Array;
}

/** A chunk is handed on when the next row might not fit; a row that is larger gets a chunk of its own. */
const chunkBytes = 128 * 1024;

/** Puts rows together to chunks of text, cell by cell, into one buffer at a time. */
export class RowEncoder {
  readonly #frame: RowFrame;
  #bytes: Uint8Array;
  #position: number;
  #rowCount = 0;

  constructor(frame: RowFrame) {
    this.#frame = frame;
    // Every byte is written before it is read, so zeroes would be wasted work.
    this.#bytes = Buffer.allocUnsafeSlow(Math.max(chunkBytes, frame.head.length));
    this.#position = writeBytes(this.#bytes, 0, frame.head, 0, frame.head.length);
  }

  /** Encodes rows of one batch, handing on each chunk as it fills. */
  *encode(writers: readonly CellWriter[], rows: RowRange): Generator<Uint8Array> {
    const { rowSeparator, cellPrefixes, rowSuffix, emptyRow } = this.#frame;
    const frameBytes = cellPrefixes.reduce(
      (sum, prefix) => sum + prefix.length,
      rowSeparator.length + rowSuffix.length + emptyRow.length,
    );
    const widthMax = writers.reduce((sum, writer) => sum + writer.widthMax, frameBytes);
    const widthsOf = writers.flatMap(({ widthOf }) => (widthOf === undefined ? [] : [widthOf]));
    for (let row = rows.start; row < rows.end;) {
      let width = widthMax;
      for (const widthOf of widthsOf) width += widthOf(row);
      if (this.#position + width > this.#bytes.length) {
        yield this.#take(width);
      }
      row = widthsOf.length === 0 ? this.#writeRows(writers, row, rows.end, widthMax) : this.#writeRow(writers, row);
    }
  }

  /** The last chunk. */
  finish(): Uint8Array {
    const { tail } = this.#frame;
    if (this.#position + tail.length > this.#bytes.length) {
      const last = Buffer.concat([this.#bytes.subarray(0, this.#position), tail]);
      this.#position = 0;
      return last;
    }
    return this.#bytes.subarray(0, writeBytes(this.#bytes, this.#position, tail, 0, tail.length));
  }

  /** Rows of fixed width, as many as there is room for; returns the row to go on with. */
  #writeRows(writers: readonly CellWriter[], start: number, end: number, widthMax: number): number {
    let row = start;
    while (row < end && this.#position + widthMax <= this.#bytes.length) row = this.#writeRow(writers, row);
    return row;
  }

  #writeRow(writers: readonly CellWriter[], row: number): number {
    const { rowSeparator, cellPrefixes, rowSuffix, emptyRow } = this.#frame;
    const bytes = this.#bytes;
    let position = this.#position;
    if (this.#rowCount > 0) position = writeBytes(bytes, position, rowSeparator, 0, rowSeparator.length);
    const start = position;
    for (let column = 0; column < writers.length; column += 1) {
      const prefix = cellPrefixes[column] as Uint8Array;
      for (let index = 0; index < prefix.length; index += 1) bytes[position + index] = prefix[index] as number;
      position = (writers[column] as CellWriter).write(bytes, position + prefix.length, row);
    }
    if (position === start) position = writeBytes(bytes, position, emptyRow, 0, emptyRow.length);
    this.#position = writeBytes(bytes, position, rowSuffix, 0, rowSuffix.length);
    this.#rowCount += 1;
    return row + 1;
  }

  #take(width: number): Uint8Array {
    const taken = this.#bytes.subarray(0, this.#position);
    this.#bytes = Buffer.allocUnsafeSlow(Math.max(chunkBytes, width));
    this.#position = 0;
    return taken;
  }
}

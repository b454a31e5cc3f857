import type { RowRange } from '@quire/core';
import { blockRows, type ColumnKernel } from './column-kernel.ts';
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
  /** In place of a row whose cells and prefixes are no text at all. */
  readonly emptyRow: Uint8Array;
  /** After the last row. */
  readonly tail: Uint8Array;
}

/** A chunk is handed on when the next block might not fit; a block that is larger gets a chunk of its own. */
const chunkBytes = 128 * 1024;

/** Puts rows together to chunks of text: a block of rows at a time, and in it column by column. */
export class RowEncoder {
  readonly #frame: RowFrame;
  readonly #prefixBytes: number;
  readonly #widths = new Int32Array(blockRows);
  readonly #positions = new Int32Array(blockRows);
  #bytes: Uint8Array;
  #position: number;
  #isFirstRow = true;

  constructor(frame: RowFrame) {
    this.#frame = frame;
    this.#prefixBytes = frame.cellPrefixes.reduce((sum, prefix) => sum + prefix.length, 0);
    // Every byte is written before it is read, so zeroes would be wasted work.
    this.#bytes = Buffer.allocUnsafeSlow(Math.max(chunkBytes, frame.head.length));
    this.#position = writeBytes(this.#bytes, 0, frame.head, 0, frame.head.length);
  }

  /** Encodes rows of one batch, handing on each chunk as it fills. */
  *encode(kernels: readonly ColumnKernel[], rows: RowRange): Generator<Uint8Array> {
    for (let start = rows.start; start < rows.end; start += blockRows) {
      const count = Math.min(blockRows, rows.end - start);
      this.#widths.fill(0, 0, count);
      for (const kernel of kernels) kernel.measure(start, count, this.#widths);
      const blockBytes = this.#place(count);
      if (this.#position + blockBytes > this.#bytes.length) {
        yield this.#bytes.subarray(0, this.#position);
        this.#bytes = Buffer.allocUnsafeSlow(Math.max(chunkBytes, blockBytes));
        this.#position = 0;
      }
      this.#write(kernels, start, count);
      this.#position += blockBytes;
      this.#isFirstRow = false;
    }
  }

  /** The last chunk. */
  finish(): Uint8Array {
    return Buffer.concat([this.#bytes.subarray(0, this.#position), this.#frame.tail]);
  }

  /** Turns the widths of the rows' cells into where each row starts within the block; returns the block's bytes. */
  #place(count: number): number {
    const { rowSeparator, rowSuffix, emptyRow } = this.#frame;
    let position = 0;
    for (let index = 0; index < count; index += 1) {
      if (index > 0 || !this.#isFirstRow) position += rowSeparator.length;
      this.#positions[index] = position;
      const cellBytes = (this.#widths[index] ?? 0) + this.#prefixBytes;
      position += (cellBytes === 0 ? emptyRow.length : cellBytes) + rowSuffix.length;
    }
    return position;
  }

  #write(kernels: readonly ColumnKernel[], start: number, count: number): void {
    const { rowSeparator, cellPrefixes, rowSuffix, emptyRow } = this.#frame;
    const bytes = this.#bytes;
    const positions = this.#positions;
    for (let index = 0; index < count; index += 1) {
      const position = this.#position + (positions[index] ?? 0);
      positions[index] = position;
      if (index > 0 || !this.#isFirstRow) writeBytes(bytes, position - rowSeparator.length, rowSeparator, 0, rowSeparator.length);
    }
    for (const [column, kernel] of kernels.entries()) {
      const prefix = cellPrefixes[column];
      if (prefix !== undefined && prefix.length > 0) writeAtEach(bytes, positions, count, prefix);
      kernel.write(start, count, bytes, positions);
    }
    if (this.#prefixBytes === 0 && emptyRow.length > 0) this.#fillEmptyRows(count);
    writeAtEach(bytes, positions, count, rowSuffix);
  }

  #fillEmptyRows(count: number): void {
    const { emptyRow } = this.#frame;
    for (let index = 0; index < count; index += 1) {
      if (this.#widths[index] !== 0) continue;
      this.#positions[index] = writeBytes(this.#bytes, this.#positions[index] ?? 0, emptyRow, 0, emptyRow.length);
    }
  }
}

/** Writes the same text at each position, and moves the positions behind it. */
function writeAtEach(bytes: Uint8Array, positions: Int32Array, count: number, text: Uint8Array): void {
  if (text.length === 1) {
    const byte = text[0] ?? 0;
    for (let index = 0; index < count; index += 1) {
      const position = positions[index] ?? 0;
      bytes[position] = byte;
      positions[index] = position + 1;
    }
    return;
  }
  for (let index = 0; index < count; index += 1) {
    positions[index] = writeBytes(bytes, positions[index] ?? 0, text, 0, text.length);
  }
}

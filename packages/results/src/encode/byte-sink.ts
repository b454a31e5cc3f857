import type { CellWriter } from './cell-writer.ts';
import { writeAscii, writeBytes } from './write-string.ts';

/**
 * A growing buffer of text with unknown width: nested values, written before they are copied to
 * their position.
 */
export class ByteSink {
  bytes: Uint8Array;
  length = 0;

  constructor(capacity: number) {
    this.bytes = new Uint8Array(capacity);
  }

  /**
   * Ensures space for `count` more bytes, possibly in a new `bytes`, and returns the write
   * position.
   */
  reserve(count: number): number {
    if (this.length + count > this.bytes.length) {
      const larger = new Uint8Array(Math.max(this.length + count, this.bytes.length * 2));
      larger.set(this.view());
      this.bytes = larger;
    }
    return this.length;
  }

  writeByte(byte: number): void {
    const position = this.reserve(1);
    this.bytes[position] = byte;
    this.length = position + 1;
  }

  /** Writes text of ASCII characters only. */
  writeAscii(text: string): void {
    const position = this.reserve(text.length);
    this.length = writeAscii(this.bytes, position, text);
  }

  writeBytes(source: Uint8Array): void {
    const position = this.reserve(source.length);
    this.length = writeBytes(this.bytes, position, source, 0, source.length);
  }

  /** Ensures space for one cell and writes it. */
  writeCell({ widthMax, widthOf, write }: CellWriter, row: number): void {
    const position = this.reserve(widthMax + (widthOf?.(row) ?? 0));
    this.length = write(this.bytes, position, row);
  }

  /** Returns the written bytes as a view that the next write after `clear` overwrites. */
  view(): Uint8Array {
    return this.bytes.subarray(0, this.length);
  }

  clear(): void {
    this.length = 0;
  }
}

import { QuireError, type RowRange } from '@quire/core';
import {
  columnBytes,
  kindAt,
  offsetsAt,
  powerBytes,
  powerMax,
  powerMin,
  quotedAt,
  scaleAt,
  slackBytes,
  valuesAt,
  widthAt,
} from './row-writer-layout.ts';
import { rowWriterModule } from './row-writer-module.ts';

interface RowWriterExports {
  readonly memory: { readonly buffer: ArrayBuffer };
  addressOfPowersOfTen(): number;
  addressOfFreeMemory(): number;
  writeRows(
    columns: number,
    columnCount: number,
    firstRow: number,
    endRow: number,
    suffix: number,
    suffixLength: number,
    to: number,
  ): number;
}

/** The part of WebAssembly that is used here; Node's types omit it. */
declare const WebAssembly: {
  readonly Module: new (bytes: Uint8Array) => object;
  readonly Instance: new (module: object) => { readonly exports: unknown };
};

/** The bytes for a block's columns; the rest of the memory is for the rows. */
const inputBytes = 512 * 1024;

/** The bytes of text that `writeCell` accepts in one piece. */
export const pieceBytesMax = 64 * 1024;

/** The text format of a value that is written by itself. */
export interface SingleCell {
  /** One of the kinds in row-writer-layout.ts. */
  readonly kind: number;
  /** True if text that is not a number is quoted. */
  readonly isQuoted: boolean;
  /** The scale of a decimal. */
  readonly scale?: number;
}

/** The text after each row: its address and its length. */
export interface StagedText {
  readonly address: number;
  readonly length: number;
}

/**
 * Writes rows of text from columns that were copied into a WebAssembly memory: `clear`, `stage` and
 * `describe`, then `write`.
 *
 * The code is in `assembly/`. It has native 64-bit integers, which JavaScript can emulate only
 * slowly with numbers, and copies sixteen bytes at once: rows are written several times as fast
 * (bench, `encode`). All encoders share one memory of fixed size, because each finishes with it
 * before it yields.
 */
export class RowWriter {
  static #shared: RowWriter | undefined;

  readonly #exports: RowWriterExports;
  readonly #bytes: Uint8Array;
  readonly #words: Int32Array;
  /** The column of `writeCell`. */
  readonly #cellColumn: number;
  readonly #inputStart: number;
  readonly #outputStart: number;
  #inputEnd: number;
  #generation = 0;
  #lastCell: SingleCell | undefined;

  private constructor() {
    const module = new WebAssembly.Module(Buffer.from(rowWriterModule, 'base64'));
    this.#exports = new WebAssembly.Instance(module).exports as RowWriterExports;
    const { buffer } = this.#exports.memory;
    this.#bytes = new Uint8Array(buffer);
    this.#words = new Int32Array(buffer);
    new BigUint64Array(buffer, this.#exports.addressOfPowersOfTen()).set(powersOfTen());
    this.#cellColumn = aligned(this.#exports.addressOfFreeMemory());
    this.#inputStart = aligned(this.#cellColumn + columnBytes + 8);
    this.#inputEnd = this.#inputStart;
    this.#outputStart = this.#inputStart + inputBytes;
    // Its value is stored in the memory of the rows, followed by its offsets.
    this.describe(this.#cellColumn, valuesAt, this.#outputStart);
    this.describe(this.#cellColumn, offsetsAt, this.#cellColumn + columnBytes);
  }

  /** The writer of this thread, created on first use. */
  static get shared(): RowWriter {
    this.#shared ??= new RowWriter();
    return this.#shared;
  }

  /** The bytes that can be staged at once, each piece rounded up to a multiple of 8. */
  get inputBytesMax(): number {
    return inputBytes;
  }

  /** The bytes of rows that can be written at once. */
  get outputBytesMax(): number {
    return this.#bytes.length - this.#outputStart - slackBytes;
  }

  /** A number that changes with each `clear`, which discards the staged data. */
  get generation(): number {
    return this.#generation;
  }

  /** Discards everything that is staged; returns the new generation. */
  clear(): number {
    this.#inputEnd = this.#inputStart;
    this.#generation += 1;
    return this.#generation;
  }

  /**
   * Reserves bytes until `clear` and returns their address; the caller has checked that they fit.
   */
  reserve(sizeBytes: number): number {
    const address = this.#inputEnd;
    this.#inputEnd = aligned(address + sizeBytes);
    return address;
  }

  /** Copies bytes `[start, end)` into the memory and returns their address. */
  stage(bytes: Uint8Array, start: number, end: number): number {
    const address = this.reserve(end - start);
    this.#bytes.set(
      start === 0 && end === bytes.length ? bytes : bytes.subarray(start, end),
      address,
    );
    return address;
  }

  /** Sets the word at a byte offset of a column description (row-writer-layout.ts). */
  describe(column: number, at: number, value: number): void {
    this.#words[(column + at) >> 2] = value;
  }

  /**
   * Writes rows of the columns described at `columns`, counted from the first staged one; returns a
   * view that is valid until the next call.
   */
  write(columns: number, columnCount: number, rows: RowRange, suffix: StagedText): Uint8Array {
    const to = this.#outputStart;
    try {
      const end = this.#exports.writeRows(
        columns,
        columnCount,
        rows.start,
        rows.end,
        suffix.address,
        suffix.length,
        to,
      );
      return this.#bytes.subarray(this.#outputStart, end);
    } catch (error) {
      // Rows are last in memory, so a row without a bound exceeds the memory instead of overwriting
      // staged data.
      throw new QuireError(
        'RESULT_CORRUPT',
        'A stored record batch has offsets that point outside it.',
        { cause: error },
      );
    }
  }

  /**
   * Writes one value as a cell of its kind into `bytes` from `position`; returns the position after
   * it. Staged data is preserved.
   *
   * Bytes `[start, end)` of `source` are the value: for a fixed-width kind as in memory, for text
   * at most `pieceBytesMax`.
   */
  writeCell(
    cell: SingleCell,
    source: Uint8Array,
    start: number,
    end: number,
    bytes: Uint8Array,
    position: number,
  ): number {
    const memory = this.#bytes;
    const column = this.#cellColumn;
    if (cell !== this.#lastCell) {
      this.#lastCell = cell;
      this.describe(column, kindAt, cell.kind);
      this.describe(column, quotedAt, cell.isQuoted ? 1 : 0);
      this.describe(column, scaleAt, cell.scale ?? 0);
    }
    const length = end - start;
    this.describe(column, widthAt, length);
    this.describe(column + columnBytes, 4, length);
    copyBytes(memory, this.#outputStart, source, start, length);
    const from = this.#outputStart + aligned(length) + slackBytes;
    // There is no text before the cell, and none after it.
    const textLength = this.#exports.writeRows(column, 1, 0, 1, 0, 0, from) - from;
    copyBytes(bytes, position, memory, from, textLength);
    return position + textLength;
  }
}

function copyBytes(
  to: Uint8Array,
  position: number,
  source: Uint8Array,
  start: number,
  length: number,
): void {
  // Below some tens of bytes a loop is cheaper than a call of the engine's copy.
  if (length > 48) to.set(source.subarray(start, start + length), position);
  else {
    for (let index = 0; index < length; index += 1) {
      to[position + index] = source[start + index] ?? 0;
    }
  }
}

function aligned(address: number): number {
  return (address + 7) & ~7;
}

const mantissaBits = powerBytes * 8;

/**
 * Returns the powers of ten for every exponent of a double, as Schubfach needs them: the 128 bits
 * of `10^k · 2^n` with the highest bit set, rounded up if they are not exact. Each is two 64-bit
 * integers, the lower half first.
 *
 * Computed at start, which takes a millisecond; a literal table would be ten kilobytes of digits.
 */
function powersOfTen(): BigUint64Array {
  const words = new BigUint64Array((powerMax - powerMin + 1) * 2);
  for (let exponent = powerMin; exponent <= powerMax; exponent += 1) {
    const mantissa =
      exponent < 0
        ? mantissaOfFraction(10n ** BigInt(-exponent))
        : mantissaOfInteger(10n ** BigInt(exponent));
    const index = (exponent - powerMin) * 2;
    words[index] = BigInt.asUintN(64, mantissa);
    words[index + 1] = mantissa >> 64n;
  }
  return words;
}

function mantissaOfInteger(power: bigint): bigint {
  const excessBits = bitsOf(power) - mantissaBits;
  return excessBits <= 0 ? power << BigInt(-excessBits) : (power >> BigInt(excessBits)) + 1n;
}

/** Returns the mantissa of `1 / power`, which is never exact. */
function mantissaOfFraction(power: bigint): bigint {
  return (1n << BigInt(bitsOf(power) + mantissaBits - 1)) / power + 1n;
}

function bitsOf(value: bigint): number {
  return value.toString(2).length;
}

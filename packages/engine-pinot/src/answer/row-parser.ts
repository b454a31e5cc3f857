import {
  columnBytes,
  kindAt,
  kindBoolean,
  kindFloat,
  kindInt,
  kindText,
  oddCellBytes,
  offsetsAt,
  slackBytes,
  textBytesAt,
  validityAt,
  valuesAt,
} from './row-layout.ts';
import { rowModule } from './row-module.ts';

interface RowModuleExports {
  readonly memory: { readonly buffer: ArrayBuffer; grow(pages: number): number };
  addressOfFreeMemory(): number;
  parseRows(
    from: number,
    end: number,
    columns: number,
    columnCount: number,
    rowsMax: number,
    unparsedCells: number,
    oddMax: number,
  ): number;
  countOfRows(): number;
  countOfOddCells(): number;
  countOfValid(validity: number, rows: number): number;
  reasonOfStop(): number;
  failedAt(): number;
  expected(): number;
}

/** The members in use; Node's types leave them out. */
declare const WebAssembly: {
  readonly Module: new (bytes: Uint8Array) => object;
  readonly Instance: new (module: object) => { readonly exports: unknown };
};

let module: object | undefined;

/** The rows and bytes for which the parser has memory. */
export interface ParserCapacity {
  readonly inputBytes: number;
  readonly rowsMax: number;
  /** The bytes for each column of text. */
  readonly textBytes: number;
  readonly oddMax: number;
}

/** The rows that a call has parsed, valid until the next call. */
export interface ParsedRows {
  readonly rowCount: number;
  /** The number of parsed bytes, which are complete rows. */
  readonly taken: number;
  /** A `stopped…` of the layout. */
  readonly stop: number;
}

/** The location of a cell in the parser's memory. */
export interface Cell {
  readonly start: number;
  readonly end: number;
}

/** A cell that is left to the caller. */
export interface UnparsedCell extends Cell {
  readonly column: number;
  readonly row: number;
}

const pageBytes = 64 * 1024;
/** The maximum memory of a parser that is kept for the next query. */
const keptBytesMax = 16 * 1024 * 1024;

/**
 * Parses rows of JSON into columns in WebAssembly (`assembly/`): it has 64-bit integers, copies
 * sixteen bytes of text at once, and creates no garbage. All readers of a thread share one parser,
 * since each copies its result before it passes anything on.
 */
export class RowParser {
  static #shared: RowParser | undefined;

  readonly #exports: RowModuleExports;
  #bytes: Buffer;
  #view: DataView;
  #columns = 0;
  #unparsedCells = 0;
  #input = 0;
  #inputEnd = 0;

  private constructor() {
    module ??= new WebAssembly.Module(Buffer.from(rowModule, 'base64'));
    this.#exports = new WebAssembly.Instance(module).exports as RowModuleExports;
    this.#bytes = Buffer.from(this.#exports.memory.buffer);
    this.#view = new DataView(this.#exports.memory.buffer);
  }

  /** Returns the parser of this thread, created at the first call. */
  static get shared(): RowParser {
    if ((this.#shared?.bytes.length ?? 0) > keptBytesMax) this.#shared = undefined;
    return (this.#shared ??= new RowParser());
  }

  /** The module's memory, for cells. */
  get bytes(): Buffer {
    return this.#bytes;
  }

  get view(): DataView {
    return this.#view;
  }

  /** Parses as many rows of `bytes` from `start` to `end` as fit the memory. */
  parse(
    kinds: readonly number[],
    { inputBytes, rowsMax, textBytes, oddMax }: ParserCapacity,
    bytes: Uint8Array,
    start: number,
    end: number,
  ): ParsedRows {
    this.#lay(kinds, { inputBytes, rowsMax, textBytes, oddMax });
    const size = Math.min(end - start, inputBytes);
    this.#bytes.set(bytes.subarray(start, start + size), this.#input);
    this.#inputEnd = this.#input + size;
    const behind = this.#exports.parseRows(
      this.#input,
      this.#inputEnd,
      this.#columns,
      kinds.length,
      rowsMax,
      this.#unparsedCells,
      oddMax,
    );
    return {
      rowCount: this.#exports.countOfRows(),
      taken: behind - this.#input,
      stop: this.#exports.reasonOfStop(),
    };
  }

  /**
   * Returns the position of the error in a malformed row, the end of the bytes, and the token that
   * was expected, as the layout numbers it.
   */
  failure(): { readonly at: number; readonly end: number; readonly expected: number } {
    return {
      at: this.#exports.failedAt(),
      end: this.#inputEnd,
      expected: this.#exports.expected(),
    };
  }

  *unparsedCells(): Generator<UnparsedCell> {
    const count = this.#exports.countOfOddCells();
    for (let index = 0; index < count; index += 1) {
      const at = this.#unparsedCells + index * oddCellBytes;
      const word = (offset: number): number => this.#view.getUint32(at + offset, true);
      yield { column: word(0), row: word(4), start: word(8), end: word(12) };
    }
  }

  /** The location of a cell of a column of `kindOther`. */
  cellOf(column: number, row: number): Cell {
    const at = this.addressOf(column, valuesAt) + row * 8;
    return { start: this.#view.getUint32(at, true), end: this.#view.getUint32(at + 4, true) };
  }

  /** Returns one of a column's addresses. */
  addressOf(column: number, what: number): number {
    return this.#view.getUint32(this.#columns + column * columnBytes + what, true);
  }

  nullCountOf(column: number, rowCount: number): number {
    return rowCount - this.#exports.countOfValid(this.addressOf(column, validityAt), rowCount);
  }

  /** Divides the memory among columns, cells that are left to the caller, and the input. */
  #lay(kinds: readonly number[], capacity: ParserCapacity): void {
    const { inputBytes, rowsMax, textBytes, oddMax } = capacity;
    let free = aligned(this.#exports.addressOfFreeMemory());
    const take = (size: number): number => {
      const start = free;
      free = aligned(free + size);
      return start;
    };
    this.#columns = take(kinds.length * columnBytes);
    const places = kinds.map((kind) => ({
      kind,
      values: take(kind === kindText ? textBytes + slackBytes : rowsMax * cellBytesOf(kind)),
      validity: take(rowsMax / 8),
      offsets: kind === kindText ? take((rowsMax + 1) * 4) : 0,
    }));
    this.#unparsedCells = take(oddMax * oddCellBytes);
    this.#input = take(inputBytes + slackBytes);
    this.#reserve(free);
    for (const [index, { kind, values, validity, offsets }] of places.entries()) {
      const at = this.#columns + index * columnBytes;
      this.#view.setUint32(at + kindAt, kind, true);
      this.#view.setUint32(at + valuesAt, values, true);
      this.#view.setUint32(at + validityAt, validity, true);
      this.#view.setUint32(at + offsetsAt, offsets, true);
      this.#view.setUint32(at + textBytesAt, textBytes, true);
      if (kind === kindText) this.#view.setUint32(offsets, 0, true);
    }
  }

  #reserve(size: number): void {
    const { memory } = this.#exports;
    const missing = size - memory.buffer.byteLength;
    if (missing <= 0) return;
    memory.grow(Math.ceil(missing / pageBytes));
    this.#bytes = Buffer.from(memory.buffer);
    this.#view = new DataView(memory.buffer);
  }
}

/** The bytes of a cell in the parser's memory; text has offsets instead. */
export function cellBytesOf(kind: number): number {
  if (kind === kindInt || kind === kindFloat) return 4;
  return kind === kindBoolean ? 1 / 8 : 8;
}

/** Rounds up to a multiple of eight. */
export function aligned(address: number): number {
  return Math.ceil(address / 8) * 8;
}

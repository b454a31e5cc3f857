import duckdb from '@duckdb/node-bindings';
import { releaseMemory } from './release-memory.ts';
import { stringModule } from './string-module.ts';

/**
 * The size of a string's record in a vector: its length, then its bytes if there are at most 12,
 * otherwise the first 4 of them and the address of all.
 */
export const recordBytes = 16;
/** The maximum number of rows that are assembled at a time; only vectors below lists have more. */
const rowsMax = 16_384;
/**
 * The maximum size of their strings if these are in a few ordered runs, which are not copied into
 * the module's memory.
 */
export const runBytesMax = 16 * 1024 * 1024;
/** The maximum size of their strings otherwise. Above that, JavaScript is about as fast. */
export const gatheredBytesMax = 1024 * 1024;
/** The maximum size of all windows, which may overlap and have gaps between strings. */
const windowBytesMax = 1280 * 1024;
const windowsMax = 64;
const runsMax = 64;
/** The size of the record of a window or a run in the module. */
const windowEntryBytes = 24;
const runEntryBytes = 16;
/** Strings are copied sixteen bytes at a time. */
const slackBytes = 16;

interface StringModuleExports {
  readonly memory: { readonly buffer: ArrayBuffer };
  addressOfFreeMemory(): number;
  countOfWindows(): number;
  countOfRuns(): number;
  planStrings(
    records: number,
    bits: number,
    count: number,
    offsets: number,
    places: number,
    windows: number,
    windowsMax: number,
    runs: number,
    runsMax: number,
    bytesMax: number,
  ): number;
  gatherStrings(
    records: number,
    count: number,
    offsets: number,
    places: number,
    windows: number,
    to: number,
  ): void;
}

/** The members in use; Node's types leave them out. */
declare const WebAssembly: {
  readonly Module: new (bytes: Uint8Array) => object;
  readonly Instance: new (module: object) => { readonly exports: unknown };
};

/** Strings in Arrow's layout. */
export interface StringBuffers {
  readonly valueOffsets: Int32Array;
  readonly values: Uint8Array;
}

/**
 * Assembles the strings of vectors in WebAssembly (`assembly/strings.ts`): 64-bit addresses and
 * copies of sixteen bytes cost JavaScript several times as much, and burden its garbage collector.
 */
export class StringAssembler {
  static #shared: StringAssembler | undefined;

  readonly #exports: StringModuleExports;
  readonly #bytes: Uint8Array;
  readonly #words: Int32Array;
  readonly #records: number;
  readonly #bits: number;
  readonly #offsets: number;
  readonly #places: number;
  readonly #windows: number;
  readonly #runs: number;
  readonly #sources: number;
  readonly #values: number;

  private constructor() {
    const module = new WebAssembly.Module(Buffer.from(stringModule, 'base64'));
    this.#exports = new WebAssembly.Instance(module).exports as StringModuleExports;
    const { buffer } = this.#exports.memory;
    this.#bytes = new Uint8Array(buffer);
    this.#words = new Int32Array(buffer);
    this.#records = aligned(this.#exports.addressOfFreeMemory());
    this.#bits = this.#records + rowsMax * recordBytes;
    this.#offsets = aligned(this.#bits + rowsMax / 8);
    this.#places = aligned(this.#offsets + (rowsMax + 1) * 4);
    this.#windows = this.#places + rowsMax * 4;
    this.#runs = this.#windows + windowsMax * windowEntryBytes;
    this.#sources = this.#runs + runsMax * runEntryBytes;
    this.#values = this.#sources + windowBytesMax + slackBytes;
    const neededBytes = this.#values + gatheredBytesMax + slackBytes;
    if (neededBytes > buffer.byteLength) {
      throw new RangeError('The memory of the string module is too small.');
    }
  }

  /** The assembler of this thread, created at its first use. */
  static get shared(): StringAssembler {
    this.#shared ??= new StringAssembler();
    return this.#shared;
  }

  /**
   * Assembles the strings of `count` rows. The chunk that owns them must be alive.
   *
   * @param bitmap Arrow's bitmap of the rows that are not null; undefined if no row is null
   * @returns undefined if there are too many strings, or too many memory ranges
   */
  assemble(
    records: Uint8Array,
    bitmap: Uint8Array | undefined,
    count: number,
  ): StringBuffers | undefined {
    if (count > rowsMax) return undefined;
    const size = this.#plan(records, bitmap, count);
    if (size < 0) return undefined;
    const valueOffsets = this.#words.slice(this.#offsets >> 2, (this.#offsets >> 2) + count + 1);
    if (this.#exports.countOfRuns() >= 0) return { valueOffsets, values: this.#joinRuns(size) };
    if (size > gatheredBytesMax || !this.#load()) return undefined;
    this.#exports.gatherStrings(
      this.#records,
      count,
      this.#offsets,
      this.#places,
      this.#windows,
      this.#values,
    );
    return { valueOffsets, values: this.#bytes.slice(this.#values, this.#values + size) };
  }

  #plan(records: Uint8Array, bitmap: Uint8Array | undefined, count: number): number {
    this.#bytes.set(records, this.#records);
    if (bitmap !== undefined) this.#bytes.set(bitmap, this.#bits);
    const bits = bitmap === undefined ? 0 : this.#bits;
    const windows = [this.#windows, windowsMax] as const;
    const runs = [this.#runs, runsMax] as const;
    return this.#exports.planStrings(
      this.#records,
      bits,
      count,
      this.#offsets,
      this.#places,
      ...windows,
      ...runs,
      runBytesMax,
    );
  }

  /** Joins the strings from the runs of DuckDB's memory in which they are already in order. */
  #joinRuns(size: number): Uint8Array {
    const count = this.#exports.countOfRuns();
    if (count === 1) return this.#read(this.#runs);
    const values = new Uint8Array(size);
    let at = 0;
    for (let run = this.#runs; run < this.#runs + count * runEntryBytes; run += runEntryBytes) {
      const bytes = this.#read(run);
      values.set(bytes, at);
      at += bytes.byteLength;
      releaseMemory(bytes);
    }
    return values;
  }

  /** Copies the windows into the module's memory; returns false if they are too large. */
  #load(): boolean {
    let at = this.#sources;
    const end = this.#windows + this.#exports.countOfWindows() * windowEntryBytes;
    for (let window = this.#windows; window < end; window += windowEntryBytes) {
      if (at + this.#lengthOf(window) > this.#sources + windowBytesMax) return false;
      const bytes = this.#read(window);
      this.#bytes.set(bytes, at);
      releaseMemory(bytes);
      this.#words[(window >> 2) + 4] = at;
      at += this.#lengthOf(window);
    }
    return true;
  }

  #lengthOf(stretch: number): number {
    return ((this.#words[(stretch >> 2) + 2] ?? 0) - (this.#words[stretch >> 2] ?? 0)) >>> 0;
  }

  /**
   * Copies a window or run: the bindings' call reads its address from a buffer, as from a string's
   * record.
   */
  #read(stretch: number): Uint8Array {
    return duckdb.get_data_from_pointer(
      this.#exports.memory.buffer,
      stretch,
      this.#lengthOf(stretch),
    );
  }
}

function aligned(address: number): number {
  return Math.ceil(address / 8) * 8;
}

import duckdb from '@duckdb/node-bindings';

/** A range of DuckDB's memory, `[start, end)`, that contains strings and can be read at once. */
interface Window {
  start: number;
  end: number;
  bytes: Uint8Array;
}

/** The smallest memory page of any system that DuckDB runs on. */
const pageBytes = 4096;
const noBytes = new Uint8Array(0);

const pageOf = (address: number): number => Math.floor(address / pageBytes);

/**
 * Finds ranges of memory that cover all strings of a vector, so that a few large reads replace one
 * for each string.
 *
 * A window is extended only to a string in the same page or a neighbouring one. So each of its
 * pages contains a byte of some string and is mapped: reading the window cannot fault, whatever is
 * between the strings. Addresses fit a double exactly.
 */
export class StringWindows {
  /** In ascending order, except for windows that grew past a neighbour. */
  #windows: Window[] = [];
  #latest: Window | undefined;

  /** Adds a string of `length` ≥ 1 bytes at `address`. */
  add(address: number, length: number): void {
    const end = address + length;
    const latest = this.#latest;
    if (latest !== undefined && touches(latest, address, end)) {
      if (address < latest.start) latest.start = address;
      if (end > latest.end) latest.end = end;
      return;
    }
    const index = this.#indexAfter(address);
    const before = this.#windows[index - 1];
    const after = this.#windows[index];
    const grown = [before, after].find(
      (window) => window !== undefined && touches(window, address, end),
    );
    if (grown === undefined) {
      this.#latest = { start: address, end, bytes: noBytes };
      this.#windows.splice(index, 0, this.#latest);
    } else {
      grown.start = Math.min(grown.start, address);
      grown.end = Math.max(grown.end, end);
      this.#latest = grown;
    }
  }

  /**
   * Reads all windows, after which `read` may be called. The chunk that owns the strings must be
   * alive.
   */
  load(): void {
    // Windows that grew towards each other may touch or overlap.
    const merged: Window[] = [];
    for (const window of this.#windows.toSorted((left, right) => left.start - right.start)) {
      const last = merged.at(-1);
      if (last !== undefined && touches(last, window.start, window.end)) {
        last.end = Math.max(last.end, window.end);
      } else merged.push(window);
    }
    for (const window of merged) window.bytes = readMemory(window.start, window.end - window.start);
    this.#windows = merged;
    this.#latest = merged[0];
  }

  /**
   * Copies `length` bytes at `address` to `target`, starting at `offset`; all of them must belong
   * to added strings.
   */
  copy(address: number, length: number, target: Uint8Array, offset: number): void {
    let window = this.#latest;
    if (window === undefined || address < window.start || address >= window.end) {
      window = this.#windows[this.#indexAfter(address) - 1];
      if (window === undefined) throw new RangeError(`No window holds address ${address}.`);
      this.#latest = window;
    }
    const { bytes } = window;
    const start = address - window.start;
    if (length > 64) {
      target.set(bytes.subarray(start, start + length), offset);
    } else {
      // For so few bytes, creating a view and calling `set` cost more than copying.
      for (let index = 0; index < length; index += 1) {
        target[offset + index] = bytes[start + index] ?? 0;
      }
    }
  }

  /** Returns the index of the first window that starts after `address`. */
  #indexAfter(address: number): number {
    let low = 0;
    let high = this.#windows.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#windows[middle]?.start ?? 0) <= address) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

function touches(window: Window, start: number, end: number): boolean {
  return pageOf(start) <= pageOf(window.end - 1) + 1 && pageOf(end - 1) >= pageOf(window.start) - 1;
}

const pointer = new ArrayBuffer(8);
const pointerWords = new Uint32Array(pointer);

/**
 * Copies bytes from an address: the bindings' call reads the address itself from a buffer, as from
 * a string's record.
 */
function readMemory(address: number, length: number): Uint8Array {
  pointerWords[0] = address % 2 ** 32;
  pointerWords[1] = Math.floor(address / 2 ** 32);
  return duckdb.get_data_from_pointer(pointer, 0, length);
}

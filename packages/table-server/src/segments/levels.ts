/** Records which rows of a column have a value. Costs nothing while all have one. */
export class Levels {
  #rowCount = 0;
  #levels: Uint8Array | undefined;

  /** Adds a row with a value, 1, or without one, 0. */
  push(level: 0 | 1): void {
    if (level === 0 || this.#levels !== undefined) this.#set(level);
    this.#rowCount += 1;
  }

  /** Returns the levels since the last call; undefined levels are all 1. */
  take(): { readonly rowCount: number; readonly levels: Uint8Array | undefined } {
    const taken = { rowCount: this.#rowCount, levels: this.#levels?.subarray(0, this.#rowCount) };
    this.#rowCount = 0;
    this.#levels = undefined;
    return taken;
  }

  #set(level: 0 | 1): void {
    this.#levels ??= new Uint8Array(Math.max(1_024, this.#rowCount)).fill(1);
    if (this.#rowCount >= this.#levels.length) {
      this.#levels = grown(this.#levels, this.#rowCount + 1, (length) => new Uint8Array(length));
    }
    this.#levels[this.#rowCount] = level;
  }
}

/** Returns a copy of an array that is at least twice as long, and as long as needed. */
export function grown<T extends Uint8Array | Int32Array | Float64Array>(
  array: T,
  lengthMin: number,
  create: (length: number) => T,
): T {
  const longer = create(Math.max(2 * array.length, lengthMin));
  longer.set(array);
  return longer;
}

import { encodeIndexes, type EncodedValues, type PageValues } from './parquet-pages.ts';
import { grown, Levels } from './levels.ts';

/** The size of a text's length, which precedes it. */
const prefixBytes = 4;
/** The maximum size of a page, unless a single text is larger. */
const pageBytesMax = 1024 * 1024;
/**
 * The number of texts after which it is decided whether equal ones are searched for at all, and the
 * minimum share of repetitions.
 */
const sample = { count: 2_048, repeatedMin: 0.1 } as const;

/** The number of places that are tried for a text: only texts made to collide need more. */
const probesMax = 256;

/**
 * Collects the texts or bytes of one column of a row group. Equal ones are stored once, in the
 * plain encoding of the format, unless nearly all differ.
 */
export class TextValues {
  readonly #levels = new Levels();
  /** The distinct texts, each after its length. */
  #bytes = Buffer.allocUnsafe(4_096);
  #size = 0;
  /** The position of each distinct text. */
  #starts = new Int32Array(64);
  #distinctCount = 0;
  /** The index of the distinct text of each value. */
  #indexes = new Int32Array(256);
  #count = 0;
  /** The size of all values in plain encoding. */
  #plainBytes = 0;
  /** Indexes of distinct texts plus one by hash; at most half of the places are used. */
  #table = new Int32Array(256);
  #isSearched = true;

  /** The approximate size of the values. */
  get sizeBytes(): number {
    return this.#plainBytes;
  }

  pushNull(): void {
    this.#levels.push(0);
  }

  /** Adds a text. */
  push(text: string): void {
    // At most three bytes for each unit of UTF-16.
    this.#reserve(prefixBytes + 3 * text.length);
    this.#addLast(this.#bytes.write(text, this.#size + prefixBytes));
  }

  /** Adds bytes, of a text or others. */
  pushBytes(bytes: Uint8Array, start: number, end: number): void {
    this.#reserve(prefixBytes + end - start);
    const into = this.#bytes;
    let at = this.#size + prefixBytes;
    // A call to copy takes longer than a loop over a short text.
    if (end - start > 64) into.set(bytes.subarray(start, end), at);
    else for (let index = start; index < end; index += 1, at += 1) into[at] = bytes[index] ?? 0;
    this.#addLast(end - start);
  }

  /** Returns the values since the last call. */
  take(): EncodedValues {
    const { rowCount, levels } = this.#levels.take();
    const indexes = this.#indexes.subarray(0, this.#count);
    const bitWidth = 32 - Math.clz32(Math.max(0, this.#distinctCount - 1));
    const dictionaryBytes = this.#size + (this.#count * bitWidth) / 8;
    const isSmaller = this.#isSearched && 2 * dictionaryBytes <= this.#plainBytes;
    const taken = {
      rowCount,
      levels,
      ...(isSmaller
        ? {
            dictionary: { bytes: this.#bytes.subarray(0, this.#size), count: this.#distinctCount },
            pages: [{ rowCount, bytes: encodeIndexes(indexes, this.#distinctCount) }],
          }
        : { dictionary: undefined, pages: this.#plainPages(rowCount, levels) }),
      ...this.#bounds(),
    };
    this.#size = 0;
    this.#distinctCount = 0;
    this.#count = 0;
    this.#plainBytes = 0;
    this.#table.fill(0);
    this.#isSearched = true;
    return taken;
  }

  #reserve(size: number): void {
    if (this.#size + size <= this.#bytes.byteLength) return;
    const longer = Buffer.allocUnsafe(Math.max(2 * this.#bytes.byteLength, this.#size + size));
    this.#bytes.copy(longer, 0, 0, this.#size);
    this.#bytes = longer;
  }

  /** Adds the value whose bytes are behind the last distinct one. */
  #addLast(length: number): void {
    this.#levels.push(1);
    this.#plainBytes += prefixBytes + length;
    let index = -1;
    if (this.#isSearched) {
      const place = this.#find(length);
      if (place === undefined) {
        this.#isSearched = false;
      } else {
        index = (this.#table[place] ?? 0) - 1;
        if (index < 0) this.#table[place] = this.#distinctCount + 1;
      }
    }
    if (index < 0) {
      index = this.#distinctCount;
      if (index === this.#starts.length) {
        this.#starts = grown(this.#starts, index + 1, (size) => new Int32Array(size));
      }
      this.#starts[index] = this.#size;
      this.#bytes.writeUInt32LE(length, this.#size);
      this.#size += prefixBytes + length;
      this.#distinctCount += 1;
      if (2 * this.#distinctCount > this.#table.length && this.#isSearched) this.#rehash();
    }
    if (this.#count === this.#indexes.length) {
      this.#indexes = grown(this.#indexes, this.#count + 1, (size) => new Int32Array(size));
    }
    this.#indexes[this.#count] = index;
    this.#count += 1;
    if (this.#count === sample.count) {
      this.#isSearched &&= this.#distinctCount <= (1 - sample.repeatedMin) * this.#count;
    }
  }

  /**
   * Returns the place in the table of the text that equals the last bytes, or the free place for
   * it; undefined if too many texts have nearly the same hash.
   */
  #find(length: number): number | undefined {
    const bytes = this.#bytes;
    const from = this.#size + prefixBytes;
    const mask = this.#table.length - 1;
    let place = hashOf(bytes, from, length) & mask;
    for (let probe = 0; probe < probesMax; probe += 1, place = (place + 1) & mask) {
      const index = (this.#table[place] ?? 0) - 1;
      if (index < 0) return place;
      const start = (this.#starts[index] ?? 0) + prefixBytes;
      if (this.#endOf(index) - start !== length) continue;
      let at = 0;
      while (at < length && bytes[start + at] === bytes[from + at]) at += 1;
      if (at === length) return place;
    }
    return undefined;
  }

  #rehash(): void {
    this.#table = new Int32Array(4 * this.#table.length);
    const mask = this.#table.length - 1;
    for (let index = 0; index < this.#distinctCount; index += 1) {
      const start = (this.#starts[index] ?? 0) + prefixBytes;
      let place = hashOf(this.#bytes, start, this.#endOf(index) - start) & mask;
      while (this.#table[place] !== 0) place = (place + 1) & mask;
      this.#table[place] = index + 1;
    }
  }

  #endOf(index: number): number {
    return index + 1 < this.#distinctCount ? (this.#starts[index + 1] ?? 0) : this.#size;
  }

  /** Divides the values into pages of plain encoding. */
  #plainPages(rowCount: number, levels: Uint8Array | undefined): readonly PageValues[] {
    const pages: PageValues[] = [];
    let [bytes, size, firstRow, count] = [Buffer.allocUnsafe(0), 0, 0, 0];
    const end = (row: number): void => {
      pages.push({ rowCount: row - firstRow, bytes: bytes.subarray(0, size) });
      firstRow = row;
    };
    let left = this.#plainBytes;
    for (let row = 0; row < rowCount; row += 1) {
      if (levels?.[row] === 0) continue;
      const index = this.#indexes[count] ?? 0;
      const [from, to] = [this.#starts[index] ?? 0, this.#endOf(index)];
      if (size > 0 && size + to - from > bytes.byteLength) {
        end(row);
        size = 0;
      }
      if (size === 0) bytes = Buffer.allocUnsafe(Math.max(to - from, Math.min(left, pageBytesMax)));
      this.#bytes.copy(bytes, size, from, to);
      size += to - from;
      left -= to - from;
      count += 1;
    }
    end(rowCount);
    return pages;
  }

  /** Returns copies of the least and the greatest text in the order of their bytes. */
  #bounds(): Pick<EncodedValues, 'min' | 'max'> {
    if (this.#distinctCount === 0) return { min: undefined, max: undefined };
    let [min, max] = [0, 0];
    for (let index = 1; index < this.#distinctCount; index += 1) {
      if (this.#compare(index, min) < 0) min = index;
      else if (this.#compare(index, max) > 0) max = index;
    }
    return { min: this.#copyOf(min), max: this.#copyOf(max) };
  }

  #compare(left: number, right: number): number {
    const bytes = this.#bytes;
    const [leftStart, rightStart] = [
      (this.#starts[left] ?? 0) + prefixBytes,
      (this.#starts[right] ?? 0) + prefixBytes,
    ];
    const difference = this.#endOf(left) - leftStart - (this.#endOf(right) - rightStart);
    const length = Math.min(this.#endOf(left) - leftStart, this.#endOf(right) - rightStart);
    for (let at = 0; at < length; at += 1) {
      const each = (bytes[leftStart + at] ?? 0) - (bytes[rightStart + at] ?? 0);
      if (each !== 0) return each;
    }
    return difference;
  }

  #copyOf(index: number): Uint8Array {
    const start = (this.#starts[index] ?? 0) + prefixBytes;
    return Uint8Array.from(this.#bytes.subarray(start, this.#endOf(index)));
  }
}

/** FNV-1a, and a last step that also mixes the low bits, which select the place. */
function hashOf(bytes: Buffer, start: number, length: number): number {
  let hash = 0x811c9dc5;
  for (let at = start; at < start + length; at += 1) {
    hash = Math.imul(hash ^ (bytes[at] ?? 0), 0x01000193);
  }
  return hash ^ (hash >>> 15);
}

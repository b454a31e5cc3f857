import { Bool, type Decimal, FixedSizeBinary } from 'apache-arrow';
import { arrowData } from './arrow-data.ts';
import { readElements, type VectorReader } from './fixed-width.ts';
import { readValidity } from './vector-rows.ts';

/** Reads BOOLEAN: DuckDB uses a byte for each value, Arrow a bit. */
export const boolReader: VectorReader = (vector, rows) => {
  const validity = readValidity(vector, rows);
  const flags = readElements(vector, rows, Uint8Array);
  const bits = new Uint8Array((rows.count + 7) >> 3);
  for (let row = 0; row < rows.count; row += 1) {
    // The byte of a null may have any value.
    if ((flags[row] ?? 0) === 1) bits[row >> 3] = (bits[row >> 3] ?? 0) | (1 << (row & 7));
  }
  return arrowData(new Bool(), rows.count, validity, { values: bits });
};

type SmallDecimalArray = Int16ArrayConstructor | Int32ArrayConstructor;

/** Reads DECIMAL of at most 9 digits: DuckDB uses 16 or 32 bits for each value, Arrow 128. */
export function smallDecimalReader(type: Decimal, Elements: SmallDecimalArray): VectorReader {
  return (vector, rows) => {
    const validity = readValidity(vector, rows);
    const narrow =
      Elements === Int16Array
        ? readElements(vector, rows, Int16Array)
        : readElements(vector, rows, Int32Array);
    const words = new Int32Array(rows.count * 4);
    for (let row = 0; row < rows.count; row += 1) {
      const value = narrow[row] ?? 0;
      const sign = value >> 31;
      words[row * 4] = value;
      words[row * 4 + 1] = sign;
      words[row * 4 + 2] = sign;
      words[row * 4 + 3] = sign;
    }
    return arrowData(type, rows.count, validity, { values: new Uint32Array(words.buffer) });
  };
}

/** Reads DECIMAL of 10 to 18 digits: DuckDB uses 64 bits for each value, Arrow 128. */
export function mediumDecimalReader(type: Decimal): VectorReader {
  return (vector, rows) => {
    const validity = readValidity(vector, rows);
    const halves = readElements(vector, rows, Int32Array, 2);
    const words = new Int32Array(rows.count * 4);
    for (let row = 0; row < rows.count; row += 1) {
      const high = halves[row * 2 + 1] ?? 0;
      const sign = high >> 31;
      words[row * 4] = halves[row * 2] ?? 0;
      words[row * 4 + 1] = high;
      words[row * 4 + 2] = sign;
      words[row * 4 + 3] = sign;
    }
    return arrowData(type, rows.count, validity, { values: new Uint32Array(words.buffer) });
  };
}

/**
 * Reads UUID: DuckDB uses a 128-bit integer with the top bit flipped, so that it sorts, Arrow the
 * 16 bytes in their written order.
 */
export const uuidReader: VectorReader = (vector, rows) => {
  const validity = readValidity(vector, rows);
  const integers = readElements(vector, rows, Uint8Array, 16);
  const bytes = new Uint8Array(integers.length);
  for (let start = 0; start < bytes.length; start += 16) {
    for (let index = 0; index < 16; index += 1) {
      bytes[start + index] = integers[start + 15 - index] ?? 0;
    }
    bytes[start] = (bytes[start] ?? 0) ^ 0x80;
  }
  return arrowData(new FixedSizeBinary(16), rows.count, validity, { values: bytes });
};

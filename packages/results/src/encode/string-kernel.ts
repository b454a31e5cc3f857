import { blockRows, type ColumnKernel, type Validity } from './column-kernel.ts';
import { writeAscii } from './write-number.ts';
import { writeJsonString } from './write-string.ts';

const quote = 34;

/** Bytes that JSON adds to a byte: 1 for a short escape, 5 for a \u00XX one. */
const escapeWidths = new Uint8Array(256).fill(5, 0, 32);
for (const byte of [8, 9, 10, 12, 13, quote, 92]) escapeWidths[byte] = 1;

/** The kernel for text as JSON strings: what needs no escape is copied as it is. */
export function jsonStringKernel(source: Uint8Array, offsets: ArrayLike<number>, isValid: Validity): ColumnKernel {
  const widthsOfBlock = new Int32Array(blockRows);
  return {
    measure(start, count, widths) {
      let from = offsets[start] ?? 0;
      const isPlain = !needsEscape(source, from, offsets[start + count] ?? 0);
      for (let index = 0; index < count; index += 1) {
        const end = offsets[start + index + 1] ?? 0;
        let width = end - from + 2;
        if (isPlain) from = end;
        else for (; from < end; from += 1) width += escapeWidths[source[from] ?? 0] ?? 0;
        if (isValid !== undefined && !isValid(start + index)) width = 4;
        widthsOfBlock[index] = width;
        widths[index] = (widths[index] ?? 0) + width;
      }
    },
    write(start, count, bytes, positions) {
      let from = offsets[start] ?? 0;
      for (let index = 0; index < count; index += 1) {
        const end = offsets[start + index + 1] ?? 0;
        const length = end - from;
        let to = positions[index] ?? 0;
        if (isValid !== undefined && !isValid(start + index)) {
          to = writeAscii(bytes, to, 'null');
        } else if (widthsOfBlock[index] !== length + 2) {
          to = writeJsonString(bytes, to, source, from, end);
        } else {
          bytes[to] = quote;
          to += 1;
          if (length > 64) {
            bytes.set(source.subarray(from, end), to);
            to += length;
          } else {
            for (; from < end; from += 1) {
              bytes[to] = source[from] ?? 0;
              to += 1;
            }
          }
          bytes[to] = quote;
          to += 1;
        }
        from = end;
        positions[index] = to;
      }
    },
  };
}

/**
 * Tells whether a byte below 32, a quote or a backslash may be among bytes `[start, end)`, four bytes at a time: a lane of a word whose
 * lowest byte is zero borrows into its top bit. May say yes for bytes just beyond the range.
 * Source: https://graphics.stanford.edu/~seander/bithacks.html#ZeroInWord
 */
function needsEscape(source: Uint8Array, start: number, end: number): boolean {
  const firstByte = (source.byteOffset + start) & ~3;
  const wordCount = Math.min((source.byteOffset + end + 3) >> 2, source.buffer.byteLength >> 2) - (firstByte >> 2);
  const words = new Int32Array(source.buffer, firstByte, Math.max(0, wordCount));
  let found = 0;
  for (let index = 0; index < words.length; index += 1) {
    const word = words[index] ?? 0;
    const quotes = word ^ 0x22222222;
    const backslashes = word ^ 0x5c5c5c5c;
    found |= ((word - 0x20202020) & ~word) | ((quotes - 0x01010101) & ~quotes) | ((backslashes - 0x01010101) & ~backslashes);
  }
  if ((found & 0x80808080) !== 0) return true;
  // The bytes behind the last whole word of the buffer.
  for (let index = Math.max(start, firstByte + words.length * 4 - source.byteOffset); index < end; index += 1) {
    if ((escapeWidths[source[index] ?? 0] ?? 0) > 0) return true;
  }
  return false;
}

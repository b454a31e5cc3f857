import type { ColumnKernel, Validity } from './column-kernel.ts';
import { integerWidth, writeAscii, writeInteger } from './write-number.ts';

type SmallIntegers = Int8Array | Int16Array | Int32Array | Uint8Array | Uint16Array | Uint32Array;

/** The kernel for integers of up to 32 bits. */
export function smallIntegerKernel(values: SmallIntegers, isValid: Validity, nullText: string): ColumnKernel {
  return integerKernel((row) => values[row] ?? 0, isValid, nullText);
}

/**
 * The kernel for 64-bit integers, given as their 32-bit halves, the lower first. Those beyond 2^53 are left to BigInt.
 */
export function largeIntegerKernel(halves: Int32Array, isSigned: boolean, isValid: Validity, nullText: string): ColumnKernel {
  const bigTexts = new Map<number, string>();
  const valueOf = (row: number): number => {
    const low = (halves[row * 2] ?? 0) >>> 0;
    const high = halves[row * 2 + 1] ?? 0;
    return (isSigned ? high : high >>> 0) * 4_294_967_296 + low;
  };
  const bigTextOf = (row: number): string => {
    const low = BigInt((halves[row * 2] ?? 0) >>> 0);
    const high = BigInt(halves[row * 2 + 1] ?? 0);
    return String(isSigned ? BigInt.asIntN(64, (high << 32n) | low) : BigInt.asUintN(64, (high << 32n) | low));
  };
  return {
    measure(start, count, widths) {
      bigTexts.clear();
      for (let index = 0; index < count; index += 1) {
        const row = start + index;
        let width = nullText.length;
        if (isValid === undefined || isValid(row)) {
          const value = valueOf(row);
          if (value <= Number.MAX_SAFE_INTEGER && value >= -Number.MAX_SAFE_INTEGER) width = integerWidth(value);
          else {
            const text = bigTextOf(row);
            bigTexts.set(row, text);
            width = text.length;
          }
        }
        widths[index] = (widths[index] ?? 0) + width;
      }
    },
    write(start, count, bytes, positions) {
      for (let index = 0; index < count; index += 1) {
        const row = start + index;
        const position = positions[index] ?? 0;
        const isNull = isValid !== undefined && !isValid(row);
        const text = isNull ? nullText : bigTexts.size > 0 ? bigTexts.get(row) : undefined;
        positions[index] = text === undefined ? writeInteger(bytes, position, valueOf(row)) : writeAscii(bytes, position, text);
      }
    },
  };
}

function integerKernel(valueOf: (row: number) => number, isValid: Validity, nullText: string): ColumnKernel {
  return {
    measure(start, count, widths) {
      for (let index = 0; index < count; index += 1) {
        const row = start + index;
        const width = isValid === undefined || isValid(row) ? integerWidth(valueOf(row)) : nullText.length;
        widths[index] = (widths[index] ?? 0) + width;
      }
    },
    write(start, count, bytes, positions) {
      for (let index = 0; index < count; index += 1) {
        const row = start + index;
        const position = positions[index] ?? 0;
        const isNull = isValid !== undefined && !isValid(row);
        positions[index] = isNull ? writeAscii(bytes, position, nullText) : writeInteger(bytes, position, valueOf(row));
      }
    },
  };
}

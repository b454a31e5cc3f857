/**
 * Copies `length` bits from bit `sourceBit` of `source` to bit `targetBit` of `target`, whose bits
 * must be 0. Bits are least significant first
 * (https://arrow.apache.org/docs/format/Columnar.html#validity-bitmaps).
 */
export function copyBits(
  source: Uint8Array,
  sourceBit: number,
  target: Uint8Array,
  targetBit: number,
  length: number,
): void {
  if (sourceBit % 8 === 0 && targetBit % 8 === 0) {
    const wholeBytes = length >> 3;
    const from = sourceBit >> 3;
    target.set(source.subarray(from, from + wholeBytes), targetBit >> 3);
    copyBitByBit(
      source,
      sourceBit + wholeBytes * 8,
      target,
      targetBit + wholeBytes * 8,
      length - wholeBytes * 8,
    );
  } else {
    copyBitByBit(source, sourceBit, target, targetBit, length);
  }
}

function copyBitByBit(
  source: Uint8Array,
  sourceBit: number,
  target: Uint8Array,
  targetBit: number,
  length: number,
): void {
  for (let index = 0; index < length; index += 1) {
    const from = sourceBit + index;
    if (((source[from >> 3] ?? 0) >> (from & 7)) & 1) {
      const to = targetBit + index;
      target[to >> 3] = (target[to >> 3] ?? 0) | (1 << (to & 7));
    }
  }
}

/** Sets `length` bits from bit `start`. */
export function setBits(target: Uint8Array, start: number, length: number): void {
  let bit = start;
  const end = start + length;
  for (; bit < end && bit % 8 !== 0; bit += 1) {
    target[bit >> 3] = (target[bit >> 3] ?? 0) | (1 << (bit & 7));
  }
  const wholeBytes = (end - bit) >> 3;
  if (wholeBytes > 0) target.fill(255, bit >> 3, (bit >> 3) + wholeBytes);
  for (bit += Math.max(0, wholeBytes) * 8; bit < end; bit += 1) {
    target[bit >> 3] = (target[bit >> 3] ?? 0) | (1 << (bit & 7));
  }
}

/** Counts the set bits among the first `length` bits. */
export function countBits(bitmap: Uint8Array, length: number): number {
  let count = 0;
  for (let index = 0; index < length >> 3; index += 1) count += bitCounts[bitmap[index] ?? 0] ?? 0;
  if (length % 8 !== 0) {
    count += bitCounts[(bitmap[length >> 3] ?? 0) & ((1 << (length % 8)) - 1)] ?? 0;
  }
  return count;
}

const bitCounts = Uint8Array.from(
  { length: 256 },
  (_, byte) => byte.toString(2).replaceAll('0', '').length,
);

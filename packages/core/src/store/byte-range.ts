import { QuireError } from '../errors.ts';
import type { ByteRange } from '../object-store.ts';

/**
 * Checks that `range` names at least one byte, in safe integers from 0 up.
 *
 * @throws INVALID_PARAMETER when it does not
 */
export function assertByteRange(range: ByteRange, key: string): void {
  const { start, end } = range;
  if (!Number.isSafeInteger(start) || !Number.isSafeInteger(end) || start < 0 || end <= start) {
    throw new QuireError(
      'INVALID_PARAMETER',
      `[${start}, ${end}) is not a range of bytes to read from ${key}: expected 0 <= start < end, in safe integers.`,
    );
  }
}

/**
 * The bytes to read of an object of `sizeBytes`: the range asked for, or the whole object.
 *
 * @throws OBJECT_SHORT_READ when the object does not hold all of the range
 */
export function resolveByteRange(
  range: ByteRange | undefined,
  sizeBytes: number,
  key: string,
  location: string,
): ByteRange {
  if (range === undefined) return { start: 0, end: sizeBytes };
  if (range.end > sizeBytes) {
    throw new QuireError(
      'OBJECT_SHORT_READ',
      `${key} in ${location} has ${sizeBytes} bytes, which do not hold the range [${range.start}, ${range.end}).`,
    );
  }
  return range;
}

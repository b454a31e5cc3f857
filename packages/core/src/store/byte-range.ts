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
 * Returns the bytes to read from an object of `sizeBytes`: the requested range, or the whole
 * object.
 *
 * @throws OBJECT_SHORT_READ when the object does not hold the whole range
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
      `${key} in ${location} has ${sizeBytes} bytes, which do not include the range [${range.start}, ${range.end}).`,
    );
  }
  return range;
}

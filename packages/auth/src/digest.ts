import { hash, timingSafeEqual } from 'node:crypto';

/** Returns the SHA-256 of a text's UTF-8 bytes. */
export function sha256(text: string): Uint8Array {
  return hash('sha256', text, 'buffer');
}

/**
 * Reports whether two digests are equal, in a time that depends on neither; an absent one costs as
 * much and equals nothing.
 */
export function digestsEqual(presented: Uint8Array, stored: Uint8Array | undefined): boolean {
  const isEqual = timingSafeEqual(presented, stored ?? noDigest);
  return stored !== undefined && isEqual;
}

const noDigest = new Uint8Array(32);

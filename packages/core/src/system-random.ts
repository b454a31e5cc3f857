import type { Random } from './random.ts';

const words = new Uint32Array(1);

/**
 * A pool of random bytes. The system returns 2,048 bytes in about the time of 16, and each call
 * costs more than the rest of creating a request id.
 */
const pool = new Uint8Array(2048);
let taken = pool.length;

/**
 * Cryptographically strong randomness of the machine; Web Crypto, so that it runs in browsers as
 * well.
 */
export const systemRandom: Random = {
  bytes: (count) => {
    if (count > pool.length / 8) return crypto.getRandomValues(new Uint8Array(count));
    if (taken + count > pool.length) {
      crypto.getRandomValues(pool);
      taken = 0;
    }
    const bytes = pool.slice(taken, taken + count);
    // The bytes may become a secret: do not leave them in this buffer.
    pool.fill(0, taken, taken + count);
    taken += count;
    return bytes;
  },
  fraction: () => (crypto.getRandomValues(words)[0] ?? 0) / 2 ** 32,
};

import type { Random } from './random.ts';

const words = new Uint32Array(1);

/** Cryptographically strong randomness of the machine; Web Crypto, so that it runs in browsers as well. */
export const systemRandom: Random = {
  bytes: (count) => crypto.getRandomValues(new Uint8Array(count)),
  fraction: () => (crypto.getRandomValues(words)[0] ?? 0) / 2 ** 32,
};

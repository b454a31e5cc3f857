import type { Random } from '../random.ts';

/**
 * A repeatable random source: the same seed gives the same values on every machine. Source:
 * splitmix32, Steele, Lea and Flood, "Fast Splittable Pseudorandom Number Generators", OOPSLA 2014,
 * cut to 32 bits.
 */
export class SeededRandom implements Random {
  #state: number;

  constructor(seed: number) {
    this.#state = seed | 0;
  }

  bytes(count: number): Uint8Array {
    return Uint8Array.from({ length: count }, () => this.#next() >>> 24);
  }

  fraction(): number {
    return this.#next() / 2 ** 32;
  }

  /** Returns a uniformly random integer from 0 up to, not including, `endExclusive`. */
  integer(endExclusive: number): number {
    return Math.floor(this.fraction() * endExclusive);
  }

  #next(): number {
    this.#state = (this.#state + 0x9e3779b9) | 0;
    let mixed = this.#state ^ (this.#state >>> 16);
    mixed = Math.imul(mixed, 0x21f0aaad);
    mixed ^= mixed >>> 15;
    mixed = Math.imul(mixed, 0x735a2d97);
    return (mixed ^ (mixed >>> 15)) >>> 0;
  }
}

import { QuireError } from '../errors.ts';
import { formatBytes } from '../units.ts';

/** A bound on bytes, shared by what is stored and what is being written. */
export class ByteBudget {
  readonly #sizeMaxBytes: number;
  #usedBytes = 0;

  constructor(sizeMaxBytes: number) {
    this.#sizeMaxBytes = sizeMaxBytes;
  }

  get usedBytes(): number {
    return this.#usedBytes;
  }

  /** Starts an empty reservation for the object `key`. */
  reserve(key: string): Reservation {
    return new Reservation(this, key);
  }

  /** @throws STORE_FULL when `bytes` more do not fit */
  take(bytes: number, key: string): void {
    if (bytes > this.#sizeMaxBytes - this.#usedBytes) {
      throw new QuireError(
        'STORE_FULL',
        `There is no room for ${key} in memory: of ${formatBytes(this.#sizeMaxBytes)}, ${formatBytes(this.#usedBytes)} are used.`,
      );
    }
    this.#usedBytes += bytes;
  }

  /** Gives `bytes` back. */
  free(bytes: number): void {
    this.#usedBytes -= bytes;
  }
}

/** The bytes that one write has reserved so far; disposing gives them back, unless committed. */
export class Reservation {
  readonly #budget: ByteBudget;
  readonly #key: string;
  #bytes = 0;

  constructor(budget: ByteBudget, key: string) {
    this.#budget = budget;
    this.#key = key;
  }

  /** @throws STORE_FULL when `bytes` more do not fit */
  grow(bytes: number): void {
    this.#budget.take(bytes, this.#key);
    this.#bytes += bytes;
  }

  /** Leaves the bytes to the object, which is stored now. */
  commit(): void {
    this.#bytes = 0;
  }

  [Symbol.dispose](): void {
    this.#budget.free(this.#bytes);
    this.#bytes = 0;
  }
}

import { QuireError } from '../errors.ts';
import { formatBytes } from '../units.ts';

/** A limit on bytes, shared by stored objects and those being written. */
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

  /**
   * Reserves `bytes`.
   *
   * @throws STORE_FULL when they do not fit
   */
  take(bytes: number, key: string): void {
    if (bytes > this.#sizeMaxBytes - this.#usedBytes) {
      throw new QuireError(
        'STORE_FULL',
        `${key} does not fit in memory: ${formatBytes(this.#usedBytes)} of ${formatBytes(this.#sizeMaxBytes)} are used.`,
      );
    }
    this.#usedBytes += bytes;
  }

  /** Releases `bytes`. */
  free(bytes: number): void {
    this.#usedBytes -= bytes;
  }
}

/**
 * The bytes that one write has reserved so far; disposing releases them, unless they are committed.
 */
export class Reservation {
  readonly #budget: ByteBudget;
  readonly #key: string;
  #bytes = 0;

  constructor(budget: ByteBudget, key: string) {
    this.#budget = budget;
    this.#key = key;
  }

  /**
   * Reserves `bytes` more.
   *
   * @throws STORE_FULL when they do not fit
   */
  grow(bytes: number): void {
    this.#budget.take(bytes, this.#key);
    this.#bytes += bytes;
  }

  /** Transfers the bytes to the stored object. */
  commit(): void {
    this.#bytes = 0;
  }

  [Symbol.dispose](): void {
    this.#budget.free(this.#bytes);
    this.#bytes = 0;
  }
}

import { formatBytes, QuireError } from '@quire/core';

/** A bound on bytes: what is stored and what is being written share it. */
export class Room {
  readonly #sizeMaxBytes: number;
  #usedBytes = 0;

  constructor(sizeMaxBytes: number) {
    this.#sizeMaxBytes = sizeMaxBytes;
  }

  get usedBytes(): number {
    return this.#usedBytes;
  }

  /** Begins to take room for the object `key`. */
  claim(key: string): Claim {
    return new Claim(this, key);
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

/** The room that one write has taken so far; disposing gives it back, unless it was kept. */
class Claim {
  readonly #room: Room;
  readonly #key: string;
  #bytes = 0;

  constructor(room: Room, key: string) {
    this.#room = room;
    this.#key = key;
  }

  /** @throws STORE_FULL when `bytes` more do not fit */
  grow(bytes: number): void {
    this.#room.take(bytes, this.#key);
    this.#bytes += bytes;
  }

  /** The object stands now, and its room with it. */
  keep(): void {
    this.#bytes = 0;
  }

  [Symbol.dispose](): void {
    this.#room.free(this.#bytes);
    this.#bytes = 0;
  }
}

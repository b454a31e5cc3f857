/** What one owner stores. */
export interface OwnerAmount {
  readonly bytes: number;
  readonly count: number;
}

/**
 * Bytes and results by owner tag; those of no known owner are counted under `undefined`. Holds only
 * owners that store something.
 */
export class OwnerUsage {
  readonly #amounts: Map<number | undefined, { bytes: number; count: number }>;

  constructor(amounts: Iterable<readonly [number | undefined, OwnerAmount]> = []) {
    this.#amounts = new Map(
      Array.from(amounts, ([tag, { bytes, count }]) => [tag, { bytes, count }]),
    );
  }

  /** Counts a result more, or with negative numbers one less. */
  add(ownerTag: number | undefined, bytes: number, count = 1): void {
    const amount = this.#amounts.get(ownerTag);
    if (amount === undefined) {
      if (count > 0) this.#amounts.set(ownerTag, { bytes, count });
      return;
    }
    amount.bytes = Math.max(0, amount.bytes + bytes);
    amount.count += count;
    if (amount.count <= 0) this.#amounts.delete(ownerTag);
  }

  bytesOf(ownerTag: number | undefined): number {
    return this.#amounts.get(ownerTag)?.bytes ?? 0;
  }

  /** Of all owners. */
  get totalBytes(): number {
    let sum = 0;
    for (const { bytes } of this.#amounts.values()) sum += bytes;
    return sum;
  }

  /**
   * The owners that store the most, the first one most; those of no known owner count as one. Costs
   * one look at each owner.
   */
  largest(
    countMax: number,
  ): readonly (readonly [ownerTag: number | undefined, amount: OwnerAmount])[] {
    const largest: (readonly [number | undefined, OwnerAmount])[] = [];
    for (const entry of this.#amounts) {
      const last = largest[countMax - 1];
      if (last !== undefined && last[1].bytes >= entry[1].bytes) continue;
      const place = largest.findIndex(([, { bytes }]) => bytes < entry[1].bytes);
      largest.splice(place === -1 ? largest.length : place, 0, entry);
      if (largest.length > countMax) largest.pop();
    }
    return largest;
  }

  [Symbol.iterator](): IterableIterator<readonly [number | undefined, OwnerAmount]> {
    return this.#amounts.entries();
  }
}

/** The stored results of one owner, counted. */
export interface OwnerAmount {
  readonly bytes: number;
  readonly count: number;
}

/**
 * Bytes and results by owner tag; those of unknown owners are counted under `undefined`. It
 * contains only owners that store results.
 */
export class OwnerUsage {
  readonly #amounts: Map<number | undefined, { bytes: number; count: number }>;

  constructor(amounts: Iterable<readonly [number | undefined, OwnerAmount]> = []) {
    this.#amounts = new Map(
      Array.from(amounts, ([tag, { bytes, count }]) => [tag, { bytes, count }]),
    );
  }

  /** Adds a result, or removes one if the numbers are negative. */
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

  countOf(ownerTag: number | undefined): number {
    return this.#amounts.get(ownerTag)?.count ?? 0;
  }

  /** The bytes of all owners. */
  get totalBytes(): number {
    let sum = 0;
    for (const { bytes } of this.#amounts.values()) sum += bytes;
    return sum;
  }

  /**
   * Returns the owners that store the most, in descending order; unknown owners count as one. Takes
   * time linear in the number of owners.
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

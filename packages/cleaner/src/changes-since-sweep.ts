/**
 * The changes since the last sweep started, in the quota and in the share of each owner: results
 * stored, bytes unconfirmed, results that a sweep has spared. Without changes, another sweep would
 * free nothing more.
 */
export class ChangesSinceSweep {
  readonly #onChanged: () => void;
  #count = 0;
  #isOfQuota = true;
  #isOfAllOwners = true;
  readonly #owners = new Set<number>();

  /**
   * Creates an empty record.
   *
   * @param onChanged called at each change
   */
  constructor(onChanged: () => void) {
    this.#onChanged = onChanged;
  }

  /** The number of changes over all sweeps. */
  get count(): number {
    return this.#count;
  }

  /** Records that thresholds have changed. */
  noteAll(): void {
    this.#isOfQuota = true;
    this.#isOfAllOwners = true;
    this.#changed();
  }

  /**
   * Records that bytes of an owner were stored or are unconfirmed, in its share and so in the
   * quota.
   */
  noteOwner(ownerTag: number | undefined): void {
    this.#isOfQuota = true;
    if (ownerTag !== undefined) this.#owners.add(ownerTag);
    this.#changed();
  }

  /**
   * Records that a sweep has left results above the target that it could have evicted, because the
   * whole quota (`undefined`) or the share of an owner did not need it.
   */
  noteSpared(ownerTag: number | undefined): void {
    if (ownerTag === undefined) this.#isOfQuota = true;
    else this.#owners.add(ownerTag);
    this.#changed();
  }

  /**
   * Reports whether anything has changed in the quota (`undefined`), or in the share of an owner.
   */
  has(ownerTag: number | undefined): boolean {
    return ownerTag === undefined
      ? this.#isOfQuota
      : this.#isOfAllOwners || this.#owners.has(ownerTag);
  }

  /** Clears the record when a sweep starts, because it will see every change so far. */
  clear(): void {
    this.#isOfQuota = false;
    this.#isOfAllOwners = false;
    this.#owners.clear();
  }

  #changed(): void {
    this.#count += 1;
    this.#onChanged();
  }
}

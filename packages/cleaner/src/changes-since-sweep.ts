/**
 * What has changed since the last sweep started, in the quota and in the share of each owner:
 * results stored, bytes unconfirmed, results that a sweep has spared. Where nothing has changed,
 * another sweep would free nothing more.
 */
export class ChangesSinceSweep {
  readonly #onChanged: () => void;
  #count = 0;
  #isOfQuota = true;
  #isOfAllOwners = true;
  readonly #owners = new Set<number>();

  /** @param onChanged called at each change */
  constructor(onChanged: () => void) {
    this.#onChanged = onChanged;
  }

  /** Counts changes, over all sweeps. */
  get count(): number {
    return this.#count;
  }

  /** Thresholds have changed. */
  noteAll(): void {
    this.#isOfQuota = true;
    this.#isOfAllOwners = true;
    this.#changed();
  }

  /** Bytes of an owner were stored or are unconfirmed: in its share, and so in the quota. */
  noteOwner(ownerTag: number | undefined): void {
    this.#isOfQuota = true;
    if (ownerTag !== undefined) this.#owners.add(ownerTag);
    this.#changed();
  }

  /**
   * A sweep has left results above the target that it could have evicted: there was no need, in the
   * quota (`undefined`), or only in the share of an owner.
   */
  noteSpared(ownerTag: number | undefined): void {
    if (ownerTag === undefined) this.#isOfQuota = true;
    else this.#owners.add(ownerTag);
    this.#changed();
  }

  /** Whether anything has changed in the quota (`undefined`), or in the share of an owner. */
  has(ownerTag: number | undefined): boolean {
    return ownerTag === undefined
      ? this.#isOfQuota
      : this.#isOfAllOwners || this.#owners.has(ownerTag);
  }

  /** A sweep starts, which will see every change so far. */
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

/**
 * Tells what has changed since the last sweep began, of the quota and of the share of each owner:
 * results that were stored, bytes that are in doubt, results that a sweep has spared. Where nothing
 * has, another sweep would free nothing more.
 */
export class SweepNews {
  readonly #onChanged: () => void;
  #count = 0;
  #isOfQuota = true;
  #isOfAllOwners = true;
  readonly #owners = new Set<number>();

  /** @param onChanged called at each change */
  constructor(onChanged: () => void) {
    this.#onChanged = onChanged;
  }

  /** Changes since the beginning of all. */
  get count(): number {
    return this.#count;
  }

  /** Thresholds have changed. */
  noteAll(): void {
    this.#isOfQuota = true;
    this.#isOfAllOwners = true;
    this.#changed();
  }

  /** Something of an owner is stored, or in doubt: of its share, and so of the quota. */
  noteOwner(ownerTag: number | undefined): void {
    this.#isOfQuota = true;
    if (ownerTag !== undefined) this.#owners.add(ownerTag);
    this.#changed();
  }

  /**
   * A sweep has left what it could have evicted, because there was no need: of the quota
   * (`undefined`), or only of the share of an owner.
   */
  noteSpared(ownerTag: number | undefined): void {
    if (ownerTag === undefined) this.#isOfQuota = true;
    else this.#owners.add(ownerTag);
    this.#changed();
  }

  /** Whether anything has changed: of the quota (`undefined`), or of the share of an owner. */
  has(ownerTag: number | undefined): boolean {
    return ownerTag === undefined
      ? this.#isOfQuota
      : this.#isOfAllOwners || this.#owners.has(ownerTag);
  }

  /** A sweep begins, which will see all of it. */
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

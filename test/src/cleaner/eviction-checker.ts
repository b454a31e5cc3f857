import assert from 'node:assert/strict';
import { QuotaPolicy, type QuotaOptions } from '@quire/cleaner';
import type { RequestId } from '@quire/core';

/** The known facts about a result whose write was started. */
export interface KnownResult {
  readonly requestId: RequestId;
  readonly rowCount: number;
  /** Undefined: its id has no owner tag. */
  readonly ownerTag: number | undefined;
  submissionTimeMs: number;
  /** It certainly lives until then; a lower bound. */
  expirationTimeMs: number;
  /**
   * `live`: it must exist. `gone`: it must not. `unknown`: a failure left that open; if it exists,
   * it must be intact.
   */
  state: 'live' | 'gone' | 'unknown';
  /** True if its removal was attempted, perhaps before its writer knew that it was committed. */
  isDisturbed: boolean;
  /**
   * True if its renewal was interrupted: a result that was removed at the same time may then have a
   * new commit record without data.
   */
  isHalfRenewed?: boolean;
}

/** The state of a result at the start of a scene. */
export interface PresentResult {
  readonly ownerTag: number | undefined;
  readonly sizeBytes: number;
  readonly submissionTimeMs: number;
}

/**
 * A result that was evicted, or could not be; `storedBytes` as the broker counts them afterwards,
 * of all or, where a share was exceeded, of its owner.
 */
export interface Eviction {
  readonly ownerTag: number | undefined;
  readonly isForShare: boolean;
  readonly bytes: number;
  readonly ageMs: number;
  readonly storedBytes: number | undefined;
}

/** Checks the evictions of one scene against the quota, and against the quota of each owner. */
export class EvictionChecker {
  readonly #policy: QuotaPolicy | undefined;
  readonly #ownersMax: number;
  /**
   * The maximum of the bytes that were stored, being written and waited for during the scene: by
   * owner, and in total under `all`.
   */
  readonly #pressureBytesMax = new Map<number | undefined | 'all', number>();
  /** The maximum of each owner's bytes in protected results during the scene. */
  readonly #youngBytesMax = new Map<number | undefined, number>();
  #debrisBytes = 0;
  readonly #evictions: Eviction[] = [];

  /** @param ownersMax the number of owners; all unknown ones count as one */
  constructor(quota: QuotaOptions | undefined, ownersMax: number) {
    this.#policy = quota && new QuotaPolicy(quota);
    this.#ownersMax = ownersMax;
  }

  /** Takes the content of the disk at the start. */
  begin(present: readonly PresentResult[], presentBytes: number, nowMs: number): void {
    this.#debrisBytes = presentBytes;
    for (const { ownerTag, sizeBytes, submissionTimeMs } of present) {
      this.#debrisBytes -= sizeBytes;
      add(this.#pressureBytesMax, ownerTag, sizeBytes);
      if (nowMs - submissionTimeMs < (this.#policy?.protectionMs ?? 0)) {
        add(this.#youngBytesMax, ownerTag, sizeBytes);
      }
    }
    add(this.#pressureBytesMax, 'all', presentBytes);
  }

  noteDemand(bytes: number, ownerTag: number | undefined): void {
    add(this.#pressureBytesMax, 'all', bytes);
    add(this.#pressureBytesMax, ownerTag, bytes);
    add(this.#youngBytesMax, ownerTag, bytes);
  }

  note(eviction: Eviction): void {
    this.#evictions.push(eviction);
  }

  /** The results that are live and not protected. */
  oldOf(known: readonly KnownResult[], nowMs: number): readonly KnownResult[] {
    const protectionMs = this.#policy?.protectionMs ?? 0;
    return known.filter(
      ({ state, submissionTimeMs }) => state === 'live' && nowMs - submissionTimeMs >= protectionMs,
    );
  }

  /**
   * @param oldBefore those that were old when the scene started; undefined if it contained more
   *   than sweeps for writes
   */
  check(oldBefore: readonly KnownResult[] | undefined): void {
    const policy = this.#policy;
    if (policy === undefined) return;
    const forQuota = this.#evictions.filter(({ isForShare }) => !isForShare);
    this.#checkOne(forQuota, {
      policy,
      pressureBytesMax: this.#pressureBytesMax.get('all') ?? 0,
      oldBefore,
    });
    if (oldBefore !== undefined) this.#checkFairness(forQuota, policy);
    const forShares = this.#evictions.filter(({ isForShare }) => isForShare);
    for (const [ownerTag, evictions] of Map.groupBy(forShares, (each) => each.ownerTag)) {
      const share = policy.shareOf(ownerTag);
      assert.ok(share !== undefined, 'evicted for a share that there is not');
      const pressureBytesMax = this.#pressureBytesMax.get(ownerTag) ?? 0;
      const own = oldBefore?.filter((result) => result.ownerTag === ownerTag);
      this.#checkOne(evictions, { policy: share, pressureBytesMax, oldBefore: own });
    }
  }

  #checkOne(
    evictions: readonly Eviction[],
    {
      policy: { criticalBytes, targetBytes, protectionMs },
      pressureBytesMax,
      oldBefore,
    }: {
      readonly policy: QuotaPolicy;
      readonly pressureBytesMax: number;
      readonly oldBefore: readonly KnownResult[] | undefined;
    },
  ): void {
    if (evictions.length === 0) return;
    assert.ok(pressureBytesMax > criticalBytes, 'evicted, though usage was not critical');
    if (oldBefore === undefined) return;
    // Until the last eviction, more than the target was stored; logs do not show which eviction was
    // the last.
    const storedBytesMin = Math.min(
      ...evictions.map(({ storedBytes }) => storedBytes ?? Number.POSITIVE_INFINITY),
    );
    const largestBytes = Math.max(...evictions.map(({ bytes }) => bytes));
    assert.ok(storedBytesMin + largestBytes > targetBytes, 'evicted below the target');
    const left = oldBefore.filter(({ state }) => state === 'live');
    const hasYoung = evictions.some(({ ageMs }) => ageMs < protectionMs);
    if (hasYoung) assert.deepEqual(left, [], 'a young result was evicted, and old ones are left');
  }

  /**
   * No owner has lost a protected result for the quota while it had at most an equal part of the
   * target.
   */
  #checkFairness(forQuota: readonly Eviction[], { targetBytes, protectionMs }: QuotaPolicy): void {
    for (const { ownerTag, ageMs } of forQuota) {
      if (ageMs >= protectionMs) continue;
      const youngBytesMax = this.#youngBytesMax.get(ownerTag) ?? 0;
      const equalPartBytes = (targetBytes - this.#debrisBytes) / this.#ownersMax;
      assert.ok(
        youngBytesMax > equalPartBytes,
        `an owner with at most ${youngBytesMax} young bytes has lost some of them to others`,
      );
    }
  }
}

function add<Key>(sums: Map<Key, number>, key: Key, bytes: number): void {
  sums.set(key, (sums.get(key) ?? 0) + bytes);
}

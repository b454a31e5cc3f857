import { QuireError } from '@quire/core';

/**
 * A quota in bytes, its thresholds in percent, and the time for which new results are protected.
 */
export interface QuotaOptions {
  readonly quotaBytes: number;
  /** Eviction starts when usage exceeds this percentage of the quota. */
  readonly criticalPercent: number;
  /** Eviction reduces the stored bytes to this percentage of the quota, and no further. */
  readonly targetPercent: number;
  /**
   * The time for which a new result is spared while older ones can be evicted instead; default one
   * minute.
   */
  readonly protectionMs?: number;
  /** The part of the quota that one owner may use; default: all of it. */
  readonly shares?: ShareOptions | undefined;
}

/**
 * The parts of a quota that owners may use. Owners are identified by their tags (`ownerTag` of
 * `@quire/results`).
 */
export interface ShareOptions {
  /**
   * The share of each owner that is not among `owners`, in percent of the quota; 100: all of it.
   */
  readonly maxPercent: number;
  /** The name of its setting, for messages. */
  readonly maxPercentKey: string;
  readonly owners: readonly OwnerShareOptions[];
}

/** The share of one owner. */
export interface OwnerShareOptions {
  readonly ownerTag: number;
  readonly maxBytes: number;
  /** The name of its setting, for messages. */
  readonly maxBytesKey: string;
}

const protectionMsByDefault = 60_000;

/**
 * The storage limits of one broker, or of one of its owners. Always 0 < target ≤ critical ≤ 100 and
 * quota > 0.
 */
export class QuotaPolicy {
  readonly quotaBytes: number;
  /** The usage above which eviction starts; a larger result could never stay. */
  readonly criticalBytes: number;
  /** Eviction stops as soon as at most this many bytes are stored. */
  readonly targetBytes: number;
  readonly protectionMs: number;
  /** The setting that limits an owner to this share; undefined for the quota of a broker. */
  readonly shareKey: string | undefined;
  readonly #options: QuotaOptions;
  readonly #shareOfEach: QuotaPolicy | undefined;
  readonly #shares = new Map<number, QuotaPolicy>();

  /**
   * Creates a policy.
   *
   * @throws INVALID_SETTING when the numbers are inconsistent
   */
  constructor(options: QuotaOptions, shareKey?: string) {
    const {
      quotaBytes,
      criticalPercent,
      targetPercent,
      protectionMs = protectionMsByDefault,
      shares,
    } = options;
    if (!(Number.isFinite(quotaBytes) && quotaBytes > 0)) {
      throw invalid(`a quota of ${quotaBytes} bytes; expected more than 0`);
    }
    if (!(criticalPercent > 0 && criticalPercent <= 100)) {
      throw invalid(
        `a critical threshold of ${criticalPercent} %; expected more than 0 and at most 100`,
      );
    }
    if (!(targetPercent > 0 && targetPercent <= criticalPercent)) {
      throw invalid(
        `a target of ${targetPercent} %; expected more than 0 and at most the critical ${criticalPercent} %`,
      );
    }
    if (!(Number.isFinite(protectionMs) && protectionMs >= 0)) {
      throw invalid(`a protection time of ${protectionMs} ms; expected 0 or more`);
    }
    this.#options = options;
    this.quotaBytes = quotaBytes;
    // Rounded to whole bytes, like all sizes.
    this.criticalBytes = Math.floor((quotaBytes * criticalPercent) / 100);
    this.targetBytes = Math.floor((quotaBytes * targetPercent) / 100);
    this.protectionMs = protectionMs;
    this.shareKey = shareKey;
    if (shares === undefined) return;
    const { maxPercent, maxPercentKey, owners } = shares;
    if (!(maxPercent > 0 && maxPercent <= 100)) {
      throw invalid(
        `a share of ${maxPercent} % for one principal; expected more than 0 and at most 100`,
      );
    }
    const shareOf = (bytes: number, key: string): QuotaPolicy =>
      new QuotaPolicy({ quotaBytes: bytes, criticalPercent, targetPercent, protectionMs }, key);
    if (maxPercent < 100) {
      this.#shareOfEach = shareOf((quotaBytes * maxPercent) / 100, maxPercentKey);
    }
    for (const { ownerTag, maxBytes, maxBytesKey } of owners) {
      this.#shares.set(ownerTag, shareOf(Math.min(maxBytes, quotaBytes), maxBytesKey));
    }
  }

  /** The size up to which a result always finds space, as long as a sweep can reach the target. */
  get guaranteedBytes(): number {
    return this.criticalBytes - this.targetBytes;
  }

  /** True if any owner has less than the whole quota. */
  get hasShares(): boolean {
    return this.#shareOfEach !== undefined || this.#shares.size > 0;
  }

  /** Reports whether another policy has the same limits. */
  isSameAs(other: QuotaPolicy): boolean {
    return JSON.stringify(this.#options) === JSON.stringify(other.#options);
  }

  /**
   * Returns the policy for one owner; undefined if it may use the whole quota, as unknown owners
   * may.
   */
  shareOf(ownerTag: number | undefined): QuotaPolicy | undefined {
    return ownerTag === undefined ? undefined : (this.#shares.get(ownerTag) ?? this.#shareOfEach);
  }
}

function invalid(what: string): QuireError {
  return new QuireError(
    'INVALID_SETTING',
    `The settings of the storage cleaner are not valid: ${what}.`,
  );
}

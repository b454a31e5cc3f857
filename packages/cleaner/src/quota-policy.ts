import { QuireError } from '@quire/core';

/** A quota in bytes, its thresholds in percent, and the time for which new results are protected. */
export interface QuotaOptions {
  readonly quotaBytes: number;
  /** Eviction starts when usage exceeds this percentage of the quota. */
  readonly criticalPercent: number;
  /** Eviction brings what is stored down to this percentage of the quota, and no further. */
  readonly targetPercent: number;
  /** How long a new result is spared while older ones can go in its place; default one minute. */
  readonly protectionMs?: number;
}

const protectionMsByDefault = 60_000;

/** How much one broker may store: 0 < target ≤ critical ≤ 100 and quota > 0, always. */
export class QuotaPolicy {
  readonly quotaBytes: number;
  /** Usage above this many bytes starts eviction; a result larger than that could never stay. */
  readonly criticalBytes: number;
  /** Eviction stops at the first state with at most this many bytes stored. */
  readonly targetBytes: number;
  readonly protectionMs: number;

  /** @throws INVALID_SETTING when the numbers do not go together */
  constructor({ quotaBytes, criticalPercent, targetPercent, protectionMs = protectionMsByDefault }: QuotaOptions) {
    if (!(Number.isFinite(quotaBytes) && quotaBytes > 0)) throw invalid(`a quota of ${quotaBytes} bytes; expected more than 0`);
    if (!(criticalPercent > 0 && criticalPercent <= 100)) {
      throw invalid(`a critical threshold of ${criticalPercent} %; expected more than 0 and at most 100`);
    }
    if (!(targetPercent > 0 && targetPercent <= criticalPercent)) {
      throw invalid(`a target of ${targetPercent} %; expected more than 0 and at most the critical ${criticalPercent} %`);
    }
    if (!(Number.isFinite(protectionMs) && protectionMs >= 0)) {
      throw invalid(`a protection time of ${protectionMs} ms; expected 0 or more`);
    }
    this.quotaBytes = quotaBytes;
    // Whole bytes, as everything that is stored has.
    this.criticalBytes = Math.floor((quotaBytes * criticalPercent) / 100);
    this.targetBytes = Math.floor((quotaBytes * targetPercent) / 100);
    this.protectionMs = protectionMs;
  }

  /** A result of at most this size always finds room, as long as a sweep can reach the target. */
  get guaranteedBytes(): number {
    return this.criticalBytes - this.targetBytes;
  }
}

function invalid(what: string): QuireError {
  return new QuireError('INVALID_SETTING', `The settings of the storage cleaner are not valid: ${what}.`);
}

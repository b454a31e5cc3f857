import { QuireError } from '@quire/core';

export interface QuotaOptions {
  readonly quotaBytes: number;
  /** Eviction starts when usage exceeds this percentage of the quota. */
  readonly criticalPercent: number;
  /** Eviction brings usage down to this percentage of the quota. */
  readonly targetPercent: number;
}

/** How much one broker may store: 0 < target ≤ critical ≤ 100 and quota > 0, always. */
export class QuotaPolicy {
  readonly quotaBytes: number;
  /** Usage above this many bytes starts eviction. */
  readonly criticalBytes: number;
  /** Eviction stops at the first state with at most this many bytes. */
  readonly targetBytes: number;

  /** @throws INVALID_SETTING when the numbers do not go together */
  constructor({ quotaBytes, criticalPercent, targetPercent }: QuotaOptions) {
    if (!(Number.isFinite(quotaBytes) && quotaBytes > 0)) throw invalid(`a quota of ${quotaBytes} bytes; expected more than 0`);
    if (!(criticalPercent > 0 && criticalPercent <= 100)) {
      throw invalid(`a critical threshold of ${criticalPercent} %; expected more than 0 and at most 100`);
    }
    if (!(targetPercent > 0 && targetPercent <= criticalPercent)) {
      throw invalid(`a target of ${targetPercent} %; expected more than 0 and at most the critical ${criticalPercent} %`);
    }
    this.quotaBytes = quotaBytes;
    this.criticalBytes = (quotaBytes * criticalPercent) / 100;
    this.targetBytes = (quotaBytes * targetPercent) / 100;
  }
}

function invalid(what: string): QuireError {
  return new QuireError('INVALID_SETTING', `The storage cleaner cannot work with ${what}.`);
}

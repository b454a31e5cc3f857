import assert from 'node:assert/strict';
import { QuotaPolicy, type QuotaOptions } from '@quire/cleaner';
import type { RequestId } from '@quire/core';

/** What is known of a result that somebody began to write. */
export interface KnownResult {
  readonly requestId: RequestId;
  readonly rowCount: number;
  submissionTimeMs: number;
  /** Until then it lives for sure; not later than the truth. */
  expirationTimeMs: number;
  /** `live`: it must be there. `gone`: it must not. `unknown`: a failure left that open; if it is there, it is right. */
  state: 'live' | 'gone' | 'unknown';
  /** Whether somebody has tried to remove it, perhaps before its writer heard that it stands. */
  isDisturbed: boolean;
  /** Whether its renewal was cut off: of a result that somebody else removed meanwhile, a new commit record may stand without data. */
  isHalfRenewed?: boolean;
}

/** What the evictions of one scene are held to. */
export class EvictionChecker {
  readonly #policy: QuotaPolicy | undefined;
  /** At no moment of the scene was more stored, being written and waited for than this. */
  #pressureBytesMax = 0;
  #largestBytes = 0;
  #storedBytesMin = Number.POSITIVE_INFINITY;
  #youngestMs = Number.POSITIVE_INFINITY;

  constructor(quota: QuotaOptions | undefined) {
    this.#policy = quota && new QuotaPolicy(quota);
  }

  noteDemand(bytes: number): void {
    this.#pressureBytesMax += bytes;
  }

  /** A result of that age was evicted, or could not be; `storedBytes` as the broker counts them afterwards. */
  note({ bytes, ageMs, storedBytes }: { bytes: number; ageMs: number; storedBytes: number | undefined }): void {
    this.#largestBytes = Math.max(this.#largestBytes, bytes);
    this.#storedBytesMin = Math.min(this.#storedBytesMin, storedBytes ?? Number.POSITIVE_INFINITY);
    this.#youngestMs = Math.min(this.#youngestMs, ageMs);
  }

  /** Those that live, and are not protected. */
  oldOf(known: readonly KnownResult[], nowMs: number): readonly KnownResult[] {
    const protectionMs = this.#policy?.protectionMs ?? 0;
    return known.filter(({ state, submissionTimeMs }) => state === 'live' && nowMs - submissionTimeMs >= protectionMs);
  }

  /** @param oldBefore those that were old when the scene began; undefined when more than sweeps for writes went on in it */
  check(oldBefore: readonly KnownResult[] | undefined): void {
    if (this.#policy === undefined || this.#largestBytes === 0) return;
    const { criticalBytes, targetBytes, protectionMs } = this.#policy;
    assert.ok(this.#pressureBytesMax > criticalBytes, 'evicted, though usage was not critical');
    if (oldBefore === undefined) return;
    // Up to the last one that went, more than the target was stored; which one that was, logs do not tell.
    assert.ok(this.#storedBytesMin + this.#largestBytes > targetBytes, 'evicted below the target');
    const left = oldBefore.filter(({ state }) => state === 'live');
    if (this.#youngestMs < protectionMs) assert.deepEqual(left, [], 'a young result was evicted, and old ones are left');
  }
}

import type { QuotaPolicy } from './quota-policy.ts';

/**
 * Decides when crossing a critical threshold asks for a sweep: of a broker (`undefined`), or of an
 * owner by its tag.
 */
export class CriticalWatch {
  /**
   * Stored bytes when a sweep was last asked for, while usage is above critical; less when some has
   * gone since.
   */
  readonly #askedAtBytes = new Map<number | undefined, number>();

  /** Forgets what was asked for, because thresholds have changed. */
  clear(): void {
    this.#askedAtBytes.clear();
  }

  /**
   * Whether to ask now. A sweep that could not free enough is asked for again only when a further
   * hundredth of the quota is stored: no spinning.
   */
  asks(
    scope: number | undefined,
    { criticalBytes, quotaBytes }: QuotaPolicy,
    { usageBytes, storedBytes }: { readonly usageBytes: number; readonly storedBytes: number },
  ): boolean {
    if (usageBytes <= criticalBytes) {
      this.#askedAtBytes.delete(scope);
      return false;
    }
    const askedAtBytes = this.#askedAtBytes.get(scope);
    const isAskedFor = askedAtBytes !== undefined && storedBytes <= askedAtBytes + quotaBytes / 100;
    this.#askedAtBytes.set(scope, isAskedFor ? Math.min(askedAtBytes, storedBytes) : storedBytes);
    return !isAskedFor;
  }
}

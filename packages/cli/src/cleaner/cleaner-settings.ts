import { type CleanerSettings, QuotaPolicy } from '@quire/cleaner';
import type { Settings } from '@quire/settings';

/** The part of the settings that a cleaner uses, as one object. Memory has no more room than it has, whatever quota is set. */
export function cleanerSettingsOf({ cleaner, controller, query, store }: Settings): CleanerSettings {
  const { enabled, criticalPercent, targetPercent, protectionMs, graceMs, concurrencyMax, schedule } = cleaner;
  const quotas = [...(enabled ? [cleaner.quotaBytes] : []), ...(store.protocol === 'memory' ? [store.memoryBytesMax] : [])];
  const quotaBytes = Math.min(...quotas);
  return {
    quota: quotas.length === 0 ? undefined : { quotaBytes, criticalPercent, targetPercent, protectionMs },
    graceMs,
    queryTimeoutMs: query.timeoutMs,
    concurrencyMax,
    periodMs: controller.cleanerPeriodMs,
    cron: schedule,
    initialDelayMs: controller.cleanerInitialDelayMs,
  };
}

/** The quota as thresholds in bytes; undefined when none is enforced. */
export function quotaPolicyOf({ quota }: CleanerSettings): QuotaPolicy | undefined {
  return quota === undefined ? undefined : new QuotaPolicy(quota);
}

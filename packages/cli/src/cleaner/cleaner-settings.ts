import { type CleanerSettings, QuotaPolicy } from '@quire/cleaner';
import type { Settings } from '@quire/settings';

/** The part of the settings that a cleaner goes by, as one object. */
export function cleanerSettingsOf({ cleaner, controller }: Settings): CleanerSettings {
  const { enabled, quotaBytes, criticalPercent, targetPercent, graceMs, concurrencyMax, schedule } = cleaner;
  return {
    quota: enabled ? { quotaBytes, criticalPercent, targetPercent } : undefined,
    graceMs,
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

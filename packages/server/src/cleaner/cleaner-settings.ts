import { type CleanerSettings, QuotaPolicy, type ShareOptions } from '@quire/cleaner';
import { ownerTag } from '@quire/results';
import type { Settings } from '@quire/settings';
import { storeInUse } from '../stores/open-store.ts';

/**
 * Returns the settings of a cleaner as one object. The capacity of the store always limits the
 * quota, even if no other quota is enforced.
 */
export function cleanerSettingsOf(settings: Settings): CleanerSettings {
  const { cleaner, controller, query } = settings;
  const { backend } = storeInUse(settings);
  const capacityBytes = backend?.capacityBytes?.(settings.backends[backend.name] ?? {});
  const {
    enabled,
    criticalPercent,
    targetPercent,
    protectionMs,
    graceMs,
    concurrencyMax,
    schedule,
  } = cleaner;
  const quotas = [
    ...(enabled ? [cleaner.quotaBytes] : []),
    ...(capacityBytes === undefined ? [] : [capacityBytes]),
  ];
  const percents = { criticalPercent, targetPercent };
  const quota = {
    quotaBytes: Math.min(...quotas),
    ...percents,
    protectionMs,
    shares: sharesOf(settings),
  };
  return {
    quota: quotas.length === 0 ? undefined : quota,
    graceMs,
    queryTimeoutMs: query.timeoutMs,
    concurrencyMax,
    periodMs: controller.cleanerPeriodMs,
    cron: schedule,
    initialDelayMs: controller.cleanerInitialDelayMs,
  };
}

/** Returns the shares of the quota that principals may use; undefined if each may use all of it. */
function sharesOf({ cleaner, principals, results }: Settings): ShareOptions | undefined {
  const owners = principals.flatMap(({ name, shareBytesMax: maxBytes }) =>
    maxBytes === undefined
      ? []
      : [
          {
            ownerTag: ownerTag(name, results.ownerTagKey),
            maxBytes,
            maxBytesKey: `engine.auth.principal.${name}.quota.maxMB`,
          },
        ],
  );
  const { principalMaxPercent: maxPercent } = cleaner;
  if (maxPercent === 100 && owners.length === 0) return undefined;
  return {
    maxPercent,
    maxPercentKey: 'engine.broker.pagination.quota.principal.maxPercent',
    owners,
  };
}

/**
 * Returns a function that names the principals in the settings by their tags; undefined for all
 * others.
 */
export function ownerNamesOf({
  principals,
  results,
}: Settings): (ownerTag: number | undefined) => string | undefined {
  const names = new Map<number | undefined, string>(
    principals.map(({ name }) => [ownerTag(name, results.ownerTagKey), name]),
  );
  return (tag) => names.get(tag);
}

/** Returns the quota with thresholds in bytes; undefined if none is enforced. */
export function quotaPolicyOf({ quota }: CleanerSettings): QuotaPolicy | undefined {
  return quota === undefined ? undefined : new QuotaPolicy(quota);
}

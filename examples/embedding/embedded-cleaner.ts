import { Cleaner, type CleanerLog, StorageAdmission } from '@quire/cleaner';
import { systemClock, systemRandom } from '@quire/core';
import { ResultStore } from '@quire/results';
import { FileObjectStore } from '@quire/store-file';

const [minute, hour] = [60_000, 3_600_000];

/**
 * Results in a directory that never take more than `quotaBytes`, and expire an hour after they were
 * stored. Dispose both, the cleaner first.
 */
export async function openCleanedResults(
  directory: string,
  {
    quotaBytes,
    log,
    expirationMs = hour,
  }: { readonly quotaBytes: number; readonly log: CleanerLog; readonly expirationMs?: number },
): Promise<{ readonly results: ResultStore; readonly cleaner: Cleaner }> {
  const store = await FileObjectStore.open({ root: directory });
  const brokerId = 'my-broker';
  const admission = new StorageAdmission();
  const results = new ResultStore({
    store,
    brokerId,
    expirationMs,
    expirationMaxMs: 24 * hour,
    admission,
  });
  const cleaner = new Cleaner({
    target: { store, brokerId, remover: results, admission, leftovers: store.leftovers },
    settings: () => ({
      quota: { quotaBytes, criticalPercent: 90, targetPercent: 60, protectionMs: minute },
      periodMs: 10 * minute,
      initialDelayMs: 'random',
      graceMs: hour, // longer than a query may run, or the cleaner does not start
      queryTimeoutMs: minute,
      concurrencyMax: 8,
    }),
    clock: systemClock,
    random: systemRandom,
    log,
  });
  cleaner.start();
  return { results, cleaner };
}

import { Cleaner, type CleanerOptions } from '@quire/cleaner';
import type { Settings } from '@quire/settings';
import { cleanerSettingsOf } from './cleaner-settings.ts';

/** Settings, and calls back after they have changed; without `onApplied` they do not. */
export interface ChangingSettings {
  readonly current: Settings;
  onApplied?(listener: (before: Settings, after: Settings) => void): void;
}

/**
 * A cleaner whose settings may change: at the next sweep, which a change to its own settings brings
 * on at once.
 */
export function openCleaner(
  live: ChangingSettings,
  options: Omit<CleanerOptions, 'settings'>,
): Cleaner {
  const cleaner = new Cleaner({ ...options, settings: () => cleanerSettingsOf(live.current) });
  live.onApplied?.((before, after) => {
    const isOurs =
      JSON.stringify(cleanerSettingsOf(before)) !== JSON.stringify(cleanerSettingsOf(after));
    if (isOurs) cleaner.requestSweep('settings');
  });
  return cleaner;
}

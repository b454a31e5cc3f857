import { Cleaner, type CleanerOptions } from '@quire/cleaner';
import type { Settings } from '@quire/settings';
import { cleanerSettingsOf } from './cleaner-settings.ts';

/** Settings, and a callback for changes; without `onApplied` they never change. */
export interface ChangingSettings {
  readonly current: Settings;
  onApplied?(listener: (before: Settings, after: Settings) => void): void;
}

/**
 * Returns a cleaner whose settings may change. A change of its own settings takes effect with a
 * sweep that starts immediately.
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

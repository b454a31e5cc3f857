import { Cleaner, type CleanerOptions } from '@quire/cleaner';
import type { LiveSettings } from '../live-settings.ts';
import { cleanerSettingsOf } from './cleaner-settings.ts';

/** Settings, and who is called when they change; without that they do not. */
export interface ChangingSettings
  extends Pick<LiveSettings, 'current'>, Partial<Pick<LiveSettings, 'onApplied'>> {}

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

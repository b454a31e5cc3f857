import type { SettingsResponse } from '@quire/api';
import { formatSettingSource } from '@quire/settings';
import type { LiveSettings } from '../live-settings.ts';

/** Returns the settings of this process in the format of the API. */
export function settingsInForce({ view, problems }: LiveSettings): SettingsResponse {
  return {
    settings: view.map(({ key, value, source, isLive }) => ({
      key,
      value,
      source: formatSettingSource(source),
      isDefault: source.kind === 'default',
      isLive,
    })),
    problems: [...problems],
  };
}

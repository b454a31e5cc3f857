import {
  parseSettings,
  type Settings,
  type SettingsInput,
  type SettingView,
} from '@quire/settings';

/**
 * The directory in which the tests pretend to run; the file of `parse` is in its directory conf.
 */
const workingDir = '/srv/quire';

type Given = Partial<Omit<SettingsInput, 'file'>> & { readonly file?: string };

/**
 * Parses settings that consist of the given parts only; `file` is the text of
 * conf/quire.properties.
 */
export function parse({ file, ...given }: Given): ReturnType<typeof parseSettings> {
  const parts = file === undefined ? {} : { file: { path: 'conf/quire.properties', text: file } };
  return parseSettings({ environment: {}, overrides: [], workingDir, ...parts, ...given });
}

/** The settings, which must be valid. */
export function settingsOf(given: Given): Settings {
  return rightOutcomeOf(given).settings;
}

/**
 * Values and sources as they are shown, which must be valid; only of those settings that were
 * given.
 */
export function viewOf(given: Given): readonly SettingView[] {
  return rightOutcomeOf(given).view.filter(({ source }) => source.kind !== 'default');
}

/** The message of every problem. */
export function messagesOf(given: Given): readonly string[] {
  const outcome = parse(given);
  return outcome.ok ? [] : outcome.problems.map(({ message }) => message);
}

function rightOutcomeOf(given: Given): Extract<ReturnType<typeof parse>, { ok: true }> {
  const outcome = parse(given);
  if (!outcome.ok) {
    throw new Error(
      `Unexpected problems: ${outcome.problems.map(({ message }) => message).join(' ')}`,
    );
  }
  return outcome;
}

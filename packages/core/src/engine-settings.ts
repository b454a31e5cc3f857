import type { SettingRows } from './settings/setting-row.ts';

/**
 * A kind of engine as the settings table knows it: its name and its own settings.
 *
 * Each engine package exports one as its entry `settings`, which loads no engine.
 * `@quire/settings/engines` lists all of them; `EngineKind` of `@quire/server` opens their engines.
 */
export interface EngineSettings<Rows extends SettingRows = SettingRows> {
  /** The value of `engine.kind`. */
  readonly name: string;
  /** The heading of its settings. */
  readonly title: string;
  /** Completes "`<name>`: …" in the meaning of `engine.kind`. */
  readonly meaning: string;
  readonly settings: Rows;
  /** The keys of the settings that are required when `engine.kind` names this engine. */
  readonly required: readonly string[];
}

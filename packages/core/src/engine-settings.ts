import type { SettingRows } from './settings/setting-row.ts';

/**
 * A kind of engine as the table of settings knows it: its name, and the settings that are its alone.
 *
 * Each engine package exports one as its entry `settings`, which loads no engine. The list of all is
 * `@quire/settings/engines`; what opens their engines is `EngineKind` of `@quire/server`.
 */
export interface EngineSettings<Rows extends SettingRows = SettingRows> {
  /** The value of `engine.kind`. */
  readonly name: string;
  /** The heading of its settings. */
  readonly title: string;
  /** Completes "`<name>`: …" in the meaning of `engine.kind`. */
  readonly meaning: string;
  readonly settings: Rows;
  /** The keys of the settings that must be set where `engine.kind` names it. */
  readonly required: readonly string[];
}

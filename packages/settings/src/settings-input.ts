/** All sources of settings, unchecked. */
export interface SettingsInput {
  /** A properties file; its relative paths are resolved against its own directory. */
  readonly file?: { readonly path: string; readonly text: string } | undefined;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** `key=value` each, in order; the last one for a key takes effect. */
  readonly overrides: readonly string[];
  /**
   * The absolute path that relative paths in the environment, in overrides and of the file are
   * resolved against.
   */
  readonly workingDir: string;
}

/** Everything that settings come from, as it is before anything is checked. */
export interface SettingsInput {
  /** A properties file that was read; relative paths in it start from its own directory. */
  readonly file?: { readonly path: string; readonly text: string } | undefined;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** `key=value` each, in the order given; the last one for a key counts. */
  readonly overrides: readonly string[];
  /**
   * An absolute path: what relative paths in the environment and in overrides, and a relative file
   * path, start from.
   */
  readonly workingDir: string;
}

/** One file of the console. */
export interface ConsoleFile {
  readonly contentType: string;
  readonly bytes: Uint8Array;
  /** The same bytes, compressed with Brotli; absent if compression is not worthwhile. */
  readonly brotli?: Uint8Array | undefined;
  /** True if its name changes with its content, so that it may be cached forever. */
  readonly isImmutable: boolean;
}

/**
 * The files of a console as `@quire/console` provides them, by their path below `/console/`; the
 * page itself is `index.html`.
 */
export type ConsoleFiles = ReadonlyMap<string, ConsoleFile>;

/** A console to serve. */
export interface ControllerConsole {
  readonly files: ConsoleFiles;
  /** True if tokens are publicly known; the sign-in page then shows them. */
  readonly hasQuickstartTokens: boolean;
  /** False if queries cannot reference stored results; the console then offers none that do. */
  readonly readsResults?: boolean | undefined;
  /** The languages that queries may select; none if the engine has its own. */
  readonly dialects?: readonly string[] | undefined;
}

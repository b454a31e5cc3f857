/** One file of the console. */
export interface ConsoleFile {
  readonly contentType: string;
  readonly bytes: Uint8Array;
  /** The same bytes, compressed by Brotli; absent where that is not worth it. */
  readonly brotli?: Uint8Array | undefined;
  /** Whether its name changes with its bytes, so that it may be kept for ever. */
  readonly isImmutable: boolean;
}

/**
 * The files of a console as `@quire/console` has them, by their path below `/console/`; the page
 * itself is `index.html`.
 */
export type ConsoleFiles = ReadonlyMap<string, ConsoleFile>;

/** A console to serve. */
export interface ControllerConsole {
  readonly files: ConsoleFiles;
  /**
   * Whether everybody knows tokens that let one in; the page where one signs in then says which.
   */
  readonly hasQuickstartTokens: boolean;
  /** False if queries cannot reference stored results; the console then offers none that do. */
  readonly readsResults?: boolean | undefined;
}

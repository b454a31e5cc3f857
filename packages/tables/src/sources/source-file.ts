/** A half-open range of bytes of a file. */
export interface FileRange {
  readonly start: number;
  readonly end: number;
}

/** A file that rows can be read from: found, allowed, and not opened yet. */
export interface SourceFile {
  /** How findings and answers name it: a path or a URI. */
  readonly uri: string;
  readonly sizeBytes: number;
  /**
   * Its bytes, or those of a range, in chunks; a reader that stops early closes the file.
   *
   * @throws QuireError when it cannot be read
   */
  read(options: { readonly range?: FileRange | undefined; readonly signal?: AbortSignal | undefined }): AsyncIterable<Uint8Array>;
}

/** The files that match a pattern, or why none may be looked at. */
export interface FoundFiles {
  /** In the order of their names. */
  readonly files: readonly SourceFile[];
  readonly problem?: { readonly code: string; readonly message: string } | undefined;
}

/** Finds files by paths, patterns and URIs, among those that may be read at all. */
export interface FileFinder {
  /** Never throws for what somebody may write as a pattern: that is a problem. @throws QuireError when a store fails */
  find(pattern: string, signal: AbortSignal): Promise<FoundFiles>;
}

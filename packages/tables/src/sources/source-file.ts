import { formatBytes } from '@quire/core';

/** A half-open range of bytes of a file. */
export interface FileRange {
  readonly start: number;
  readonly end: number;
}

/** A file that rows can be read from: found, allowed, and not opened yet. */
export interface SourceFile {
  /** The name in findings and responses: a path or a URI. */
  readonly uri: string;
  readonly sizeBytes: number;
  /**
   * Streams its bytes, or those of a range; a reader that stops early closes the file.
   *
   * @throws QuireError when it cannot be read
   */
  read(options: {
    readonly range?: FileRange | undefined;
    readonly signal?: AbortSignal | undefined;
  }): AsyncIterable<Uint8Array>;
}

/** The files that match a pattern, or the reason why none may be read. */
export interface FoundFiles {
  /** In the order of their names. */
  readonly files: readonly SourceFile[];
  readonly problem?: { readonly code: string; readonly message: string } | undefined;
}

/** Finds files by paths, patterns and URIs, among those that may be read. */
export interface FileFinder {
  /**
   * Finds files. An invalid pattern is a problem, never an exception. @throws QuireError when a
   * store fails
   */
  find(pattern: string, signal: AbortSignal): Promise<FoundFiles>;
}

/**
 * The bytes that may still be read, counted after decompression, so that a small file cannot expand
 * to a large one.
 */
export class ByteBudget {
  readonly #bytesMax: number;
  #left: number;

  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax;
    this.#left = bytesMax;
  }

  get left(): number {
    return this.#left;
  }

  /** @throws SourceProblem BYTE_LIMIT when the budget is exceeded */
  take(count: number): void {
    this.#left -= count;
    if (this.#left >= 0) return;
    this.#left = 0;
    throw new SourceProblem(
      'BYTE_LIMIT',
      `At most ${formatBytes(this.#bytesMax)} are read; the rest is ignored.`,
    );
  }
}

/**
 * The reason why a file cannot be read, or not to its end. Callers outside this directory receive
 * it only as a finding.
 */
export class SourceProblem extends Error {
  override readonly name = 'SourceProblem';
  readonly code: string;

  constructor(code: string, message: string, options?: { readonly cause?: unknown }) {
    super(message, options);
    this.code = code;
  }
}

/**
 * Returns the name of the code of an error of the operating system (`ENOENT`), or undefined for any
 * other value.
 */
export function errnoOf(error: unknown): string | undefined {
  const isSystemError = error instanceof Error && 'errno' in error && 'code' in error;
  return isSystemError && typeof error.code === 'string' ? error.code : undefined;
}

/** Returns whether a call of the operating system failed for one of these reasons. */
export function isErrno(error: unknown, ...codes: readonly string[]): boolean {
  return codes.includes(errnoOf(error) ?? '');
}

/** Returns whether a call of the file system failed because there is no such file or directory. */
export function isMissingFile(error: unknown): boolean {
  return isErrno(error, 'ENOENT', 'ENOTDIR');
}

/** Returns the code of an operating system error (`ENOENT`), or undefined for any other value. */
export function errnoOf(error: unknown): string | undefined {
  const isSystemError = error instanceof Error && 'errno' in error && 'code' in error;
  return isSystemError && typeof error.code === 'string' ? error.code : undefined;
}

/** Reports whether an operating system call failed for one of these reasons. */
export function isErrno(error: unknown, ...codes: readonly string[]): boolean {
  return codes.includes(errnoOf(error) ?? '');
}

/** Reports whether a file system call failed because the file or directory does not exist. */
export function isMissingFile(error: unknown): boolean {
  return isErrno(error, 'ENOENT', 'ENOTDIR');
}

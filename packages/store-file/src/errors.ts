import { objectNotFound, QuireError } from '@quire/core';
import { errnoOf, isErrno } from '@quire/core/process';

/** The call in which an operating system error occurred. */
export interface FailedCall {
  readonly op: 'open' | 'head' | 'get' | 'put' | 'list' | 'delete';
  /** The key; of a `list`, the prefix; of `open`, the root. */
  readonly key: string;
  readonly location: string;
}

/**
 * The errors for a missing object, or one that is not an object: a part of the path is a file, or
 * the last one is a symbolic link or a socket.
 */
export const absenceErrnos = ['ENOENT', 'ENOTDIR', 'ELOOP', 'ENXIO'] as const;

const fullErrnos = ['ENOSPC', 'EDQUOT', 'EFBIG'] as const;

/** Returns the QuireError for an operating system error; any other error is returned unchanged. */
export function toStoreError(error: unknown, { op, key, location }: FailedCall): unknown {
  const errno = errnoOf(error);
  if (errno === undefined) return error;
  const isReading = op === 'head' || op === 'get';
  if (isReading && isErrno(error, ...absenceErrnos)) return objectNotFound(key, location, error);
  const isFull = isErrno(error, ...fullErrnos);
  const what = key === '' ? `${op} of ${location}` : `${op} of ${key} in ${location}`;
  const message = `${what} failed: ${(error as Error).message}.`;
  return new QuireError(isFull ? 'STORE_FULL' : 'STORE_UNAVAILABLE', message, { cause: error });
}

/** Runs one call of the store, and converts operating system errors to QuireErrors. */
export async function translated<T>(call: FailedCall, run: () => Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (error) {
    throw toStoreError(error, call);
  }
}

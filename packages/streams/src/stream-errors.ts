import { isQuireError, QuireError } from '@quire/core';

/** Returns the error for a stream whose config, topic or partition is not valid. */
export function streamInvalid(message: string, cause?: unknown): QuireError {
  return new QuireError('STREAM_INVALID', message, { cause });
}

/** Returns the error for a stream that cannot be reached, or does not answer. */
export function streamUnavailable(message: string, cause?: unknown): QuireError {
  return new QuireError('STREAM_UNAVAILABLE', message, { cause });
}

/** Returns the error for an offset that a partition does not have; the message names both ends. */
export function offsetNotFound(
  source: { readonly description: string; readonly partition: number },
  offset: number,
  range: { readonly earliestOffset: number; readonly latestOffset: number },
): QuireError {
  const { earliestOffset, latestOffset } = range;
  const held =
    earliestOffset === latestOffset
      ? `is empty, at offset ${latestOffset}`
      : `has offsets ${earliestOffset} to ${latestOffset - 1}, and will continue at ${latestOffset}`;
  return new QuireError(
    'OFFSET_NOT_FOUND',
    `Partition ${source.partition} of ${source.description} does not have offset ${offset}: it ${held}.`,
  );
}

/**
 * Runs file system calls; converts their errors to STREAM_UNAVAILABLE, and leaves QuireErrors
 * unchanged.
 */
export async function translatingFileErrors<T>(
  description: string,
  run: () => Promise<T>,
): Promise<T> {
  try {
    return await run();
  } catch (error) {
    if (isQuireError(error) || !(error instanceof Error && 'errno' in error)) throw error;
    throw streamUnavailable(`${description} cannot be used: ${error.message}.`, error);
  }
}

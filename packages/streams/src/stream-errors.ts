import { isQuireError, QuireError } from '@quire/core';

/**
 * A stream cannot be used as it is asked to: its config, its topic or one of its partitions is not
 * right.
 */
export function streamInvalid(message: string, cause?: unknown): QuireError {
  return new QuireError('STREAM_INVALID', message, { cause });
}

/** A stream cannot be reached, or does not answer, at the moment. */
export function streamUnavailable(message: string, cause?: unknown): QuireError {
  return new QuireError('STREAM_UNAVAILABLE', message, { cause });
}

/** A partition does not hold an offset; the message names both ends. */
export function offsetNotFound(
  source: { readonly description: string; readonly partition: number },
  offset: number,
  range: { readonly earliestOffset: number; readonly latestOffset: number },
): QuireError {
  const { earliestOffset, latestOffset } = range;
  const held =
    earliestOffset === latestOffset
      ? `is empty at ${latestOffset}`
      : `holds ${earliestOffset} to ${latestOffset}`;
  return new QuireError(
    'OFFSET_NOT_FOUND',
    `Partition ${source.partition} of ${source.description} ${held}, and not offset ${offset}.`,
  );
}

/**
 * Runs calls of the file system; what fails comes out as STREAM_UNAVAILABLE, and QuireErrors as
 * they are.
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

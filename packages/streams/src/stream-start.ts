import { type CallOptions, type Clock, isQuireError, parseDurationMs } from '@quire/core';
import type { MessageStream } from './message-stream.ts';
import { streamInvalid } from './stream-errors.ts';

/**
 * The start position in a partition of which nothing has been read yet: at one end, at a time, or
 * some time ago.
 */
export type StreamStart =
  | { readonly at: 'smallest' }
  | { readonly at: 'largest' }
  | { readonly at: 'time'; readonly timeMs: number }
  | { readonly at: 'age'; readonly ageMs: number };

const timestampPattern =
  /^\d{4}-\d\d-\d\d(?:T\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(?:Z|[+-]\d\d:?\d\d))?$/;

/**
 * Parses a start position; undefined if it is not valid: `smallest`, `largest`,
 * `2026-01-31T12:00:00Z`, `2d`.
 */
export function parseStreamStart(text: string): StreamStart | undefined {
  if (text === 'smallest' || text === 'earliest') return { at: 'smallest' };
  if (text === 'largest' || text === 'latest') return { at: 'largest' };
  if (timestampPattern.test(text)) {
    const timeMs = Date.parse(text);
    return Number.isNaN(timeMs) ? undefined : { at: 'time', timeMs };
  }
  try {
    return { at: 'age', ageMs: parseDurationMs(text) };
  } catch (error) {
    if (isQuireError(error, 'INVALID_PARAMETER')) return undefined;
    throw error;
  }
}

/**
 * Returns the current offset of a start position in a partition. @throws STREAM_INVALID when the
 * topic or partition does not exist
 */
export async function findStartOffset(
  stream: MessageStream,
  partition: number,
  start: StreamStart,
  options: CallOptions & { readonly clock: Clock },
): Promise<number> {
  if (start.at === 'time') return await stream.findOffset(partition, start.timeMs, options);
  if (start.at === 'age') {
    return await stream.findOffset(partition, options.clock.nowMs() - start.ageMs, options);
  }
  const found = (await stream.readPartitions(options)).find((each) => each.partition === partition);
  if (found === undefined) {
    throw streamInvalid(`${stream.description} has no partition ${partition}.`);
  }
  return start.at === 'smallest' ? found.earliestOffset : found.latestOffset;
}

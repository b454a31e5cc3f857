import { throwIfAborted } from '@quire/core';
import { parseTableConfig } from '@quire/tables';
import type { TableDocuments } from './chunk-job.ts';
import type { ConsumingSegment } from './consuming-segment.ts';
import type { MessageValue } from './packed-messages.ts';
import type { BadMessage } from './transform-messages.ts';

/** Into how many parts messages are taken apart of which one ends its process. */
const partsMax = 16;
/**
 * How often a process is ended over one message until that is bad: something else may have ended
 * it.
 */
const attemptsMax = 3;

export interface TakeOptions {
  readonly segment: Pick<ConsumingSegment, 'add' | 'record'>;
  readonly readDocuments: () => Promise<TableDocuments>;
  readonly signal?: AbortSignal | undefined;
  /** Called with the first of the messages that were left out, and their number. */
  readonly onBad: (messages: readonly BadMessage[], count: number) => void;
  /** Called with the reason why a process was ended. */
  readonly onLost: (reason: string) => void;
}

/**
 * Takes messages into a segment, which end before an offset. Where the process that works on them
 * has to be ended, for its time or its memory, they are taken a part at a time, until the one
 * message is found that it is ended for: that one is bad, and is skipped or stops consumption as
 * `continueOnError` says. The others are in the segment, each once.
 *
 * @returns the message at which to stop; those before it are in the segment
 */
export async function takeMessages(
  messages: readonly MessageValue[],
  endOffset: number,
  options: TakeOptions,
): Promise<BadMessage | undefined> {
  const { segment, signal } = options;
  // An attempt that was broken off may have come so far.
  const left = messages.filter(({ offset }) => offset >= segment.record.endOffset);
  const documents = await options.readDocuments();
  for (let attempt = 1; ; attempt += 1) {
    const outcome = await segment.add(left, endOffset, { documents, signal });
    if (!('lost' in outcome)) {
      if (outcome.skippedCount > 0) options.onBad(outcome.skipped, outcome.skippedCount);
      return outcome.stoppedAt;
    }
    throwIfAborted(signal);
    options.onLost(outcome.lost);
    if (left.length > 1) return takeInParts(left, endOffset, options);
    if (attempt < attemptsMax) continue;
    const bad = {
      offset: left[0]?.offset ?? endOffset,
      problem: `cannot be taken in: ${outcome.lost}`,
    };
    const isContinued =
      parseTableConfig(documents.config).config.ingestionConfig?.continueOnError === true;
    if (!isContinued) return bad;
    await segment.add([], endOffset, { documents, signal });
    options.onBad([bad], 1);
    return undefined;
  }
}

async function takeInParts(
  messages: readonly MessageValue[],
  endOffset: number,
  options: TakeOptions,
): Promise<BadMessage | undefined> {
  const size = Math.ceil(messages.length / partsMax);
  for (let start = 0; start < messages.length; start += size) {
    const partEnd = messages[start + size]?.offset ?? endOffset;
    const stoppedAt = await takeMessages(messages.slice(start, start + size), partEnd, options);
    if (stoppedAt !== undefined) return stoppedAt;
  }
  return undefined;
}

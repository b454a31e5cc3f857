import { throwIfAborted } from '@quire/core';
import { parseTableConfig } from '@quire/tables';
import type { TableDocuments } from './chunk-job.ts';
import type { ConsumingSegment } from './consuming-segment.ts';
import type { MessageValue } from './packed-messages.ts';
import type { BadMessage } from './transform-messages.ts';

/** The number of parts that messages are split into after one of them killed its process. */
const partsMax = 16;
/**
 * The number of times that a process must be killed before a single message counts as bad: the
 * first ones may have had another cause.
 */
const attemptsMax = 3;

export interface TakeOptions {
  readonly segment: Pick<ConsumingSegment, 'add' | 'record'>;
  readonly readDocuments: () => Promise<TableDocuments>;
  readonly signal?: AbortSignal | undefined;
  /** Called with the first of the skipped messages, and the number of all of them. */
  readonly onBad: (messages: readonly BadMessage[], count: number) => void;
  /** Called with the reason why a process was killed. */
  readonly onLost: (reason: string) => void;
}

/**
 * Adds messages that end before an offset to a segment. If the worker process is killed for its
 * time or memory, the messages are split until the one that causes it is found. That message is
 * bad, and is skipped or stops consumption, depending on `continueOnError`. The others are in the
 * segment, each once.
 *
 * @returns the message to stop at; those before it are in the segment
 */
export async function takeMessages(
  messages: readonly MessageValue[],
  endOffset: number,
  options: TakeOptions,
): Promise<BadMessage | undefined> {
  const { segment, signal } = options;
  // An earlier attempt that failed may have added the first messages.
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
      problem: `cannot be ingested: ${outcome.lost}`,
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

import { type CallOptions, type Clock, systemClock, throwIfAborted } from '@quire/core';
import { isMissingFile } from '@quire/core/process';
import type {
  FetchedMessages,
  FetchLimits,
  MessageStream,
  PartitionOffsets,
} from '../message-stream.ts';
import { offsetNotFound, translatingFileErrors } from '../stream-errors.ts';
import { LineCounts } from './line-counts.ts';
import { readLines } from './read-lines.ts';
import { findLineStart, withFile } from './segment-file.ts';
import { type Segment, type Segments, TopicDirectory } from './topic-directory.ts';
import { findTime } from './write-times.ts';

/** The interval at which a waiting fetch checks for new lines. */
const pollIntervalMs = 20;

/** The topic that a `FileStream` reads. */
export interface FileStreamOptions {
  /** The directory that has a directory for each topic. */
  readonly directory: string;
  readonly topic: string;
  /** The clock; default: the system's. */
  readonly clock?: Clock | undefined;
}

/**
 * A topic as a directory of files `<partition>.jsonl`, to which lines are appended. A line is a
 * message, and its offset is the byte at which it starts. A line without its newline is not yet a
 * message, and blank lines do not count. A long partition continues in `<partition>.<offset of its
 * first byte>.jsonl`, so that its oldest files can be deleted. Messages have no keys.
 *
 * Any program may append lines; the time at which a line was written is known only if
 * `FileProducer` wrote it.
 */
export class FileStream implements MessageStream {
  readonly description: string;
  readonly #directory: TopicDirectory;
  readonly #clock: Clock;
  readonly #counts = new Map<string, { readonly inode: number; readonly counts: LineCounts }>();

  /** Creates a stream. @throws STREAM_INVALID when the topic's name cannot be a directory name */
  constructor({ directory, topic, clock = systemClock }: FileStreamOptions) {
    this.#directory = new TopicDirectory(directory, topic);
    this.description = this.#directory.description;
    this.#clock = clock;
  }

  readPartitions(options?: CallOptions): Promise<readonly PartitionOffsets[]> {
    return this.#run(options, async () => (await this.#directory.readAll()).map(offsetsOf));
  }

  fetch(
    partition: number,
    fromOffset: number,
    limits: FetchLimits,
    options?: CallOptions,
  ): Promise<FetchedMessages> {
    return this.#run(options, async () => {
      const untilMs = this.#clock.monotonicMs() + limits.waitMs;
      for (;;) {
        const segments = await this.#directory.read(partition);
        const found = await this.#fetchNow(segments, fromOffset, limits);
        const leftMs = untilMs - this.#clock.monotonicMs();
        if (found !== undefined && (found.nextOffset > fromOffset || leftMs <= 0)) return found;
        await this.#clock.sleep(Math.min(pollIntervalMs, leftMs), options?.signal);
      }
    });
  }

  findOffset(partition: number, timeMs: number, options?: CallOptions): Promise<number> {
    return this.#run(options, async () => {
      const segments = await this.#directory.read(partition);
      const { latestOffset } = offsetsOf(segments);
      for (const segment of segments) {
        const offset = await findTime(segment, timeMs);
        if (offset !== undefined) return Math.min(offset, latestOffset);
      }
      return latestOffset;
    });
  }

  countMessages(
    partition: number,
    fromOffset: number,
    toOffset: number,
    options?: CallOptions,
  ): Promise<number> {
    return this.#run(options, async () => {
      let count = 0;
      for (const segment of await this.#directory.read(partition)) {
        const [from, to] = [
          Math.max(fromOffset, segment.baseOffset),
          Math.min(toOffset, segment.endOffset),
        ];
        if (from < to) count += await this.#countIn(segment, from, to, options?.signal);
      }
      return count;
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    // No resources are held between calls.
  }

  /**
   * Fetches once; undefined if the segment was deleted before it could be read, and the partition
   * must be listed again.
   */
  async #fetchNow(
    segments: Segments,
    fromOffset: number,
    limits: FetchLimits,
  ): Promise<FetchedMessages | undefined> {
    const { partition, earliestOffset, latestOffset } = offsetsOf(segments);
    if (!(fromOffset >= earliestOffset && fromOffset <= latestOffset)) {
      throw offsetNotFound({ description: this.description, partition }, fromOffset, {
        earliestOffset,
        latestOffset,
      });
    }
    const index = segments.findLastIndex(({ baseOffset }) => baseOffset <= fromOffset);
    const segment = segments[index];
    if (segment === undefined || fromOffset === latestOffset) {
      return { messages: [], nextOffset: fromOffset, latestOffset };
    }
    try {
      const { messages, nextOffset } = await readLines(segment, fromOffset, limits);
      const following = segments[index + 1];
      const isAtEnd = nextOffset >= segment.endOffset;
      return {
        messages,
        nextOffset: isAtEnd && following !== undefined ? following.baseOffset : nextOffset,
        latestOffset,
      };
    } catch (error) {
      if (isMissingFile(error)) return undefined;
      throw error;
    }
  }

  #countIn(
    segment: Segment,
    fromOffset: number,
    toOffset: number,
    signal: AbortSignal | undefined,
  ): Promise<number> {
    const { path, baseOffset, endOffset, inode } = segment;
    const known = this.#counts.get(path);
    const counts = known?.inode === inode ? known.counts : new LineCounts();
    this.#counts.set(path, { inode, counts });
    return withFile(path, 'r', async (file) => {
      const end = endOffset - baseOffset;
      const from = await findLineStart(file, fromOffset - baseOffset, end);
      return counts.count(
        file,
        from,
        await findLineStart(file, toOffset - baseOffset, end),
        signal,
      );
    });
  }

  async #run<T>(options: CallOptions | undefined, call: () => Promise<T>): Promise<T> {
    throwIfAborted(options?.signal);
    return await translatingFileErrors(this.description, call);
  }
}

function offsetsOf(segments: Segments): PartitionOffsets {
  const [{ partition, baseOffset }] = segments;
  return {
    partition,
    earliestOffset: baseOffset,
    latestOffset: segments.at(-1)?.endOffset ?? baseOffset,
  };
}

import { mkdir, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { type CallOptions, type Clock, systemClock, throwIfAborted } from '@quire/core';
import { isMissingFile } from '@quire/core/process';
import type { MessageProducer, NewMessage } from '../message-producer.ts';
import { streamInvalid, translatingFileErrors } from '../stream-errors.ts';
import { tryLockFile } from './lock-file.ts';
import {
  findLineEnd,
  newline,
  readRange,
  type SegmentFile,
  segmentFileAt,
  timesPathOf,
  withFile,
} from './segment-file.ts';
import { TopicDirectory } from './topic-directory.ts';
import { lineBytesMax } from './read-lines.ts';
import { appendTime } from './write-times.ts';

/** The approximate number of files in a partition with limited size; one is deleted at a time. */
const filesPerPartition = 8;

/** The topic that a `FileProducer` writes to. */
export interface FileProducerOptions {
  /** The directory that has a directory for each topic. */
  readonly directory: string;
  readonly topic: string;
  /** The minimum number of partitions of the topic. The default is 1. */
  readonly partitionCount?: number | undefined;
  /**
   * The minimum number of bytes to keep in each partition; older files are deleted. Default: no
   * limit.
   */
  readonly retentionBytes?: number | undefined;
  /** The clock; default: the system's. */
  readonly clock?: Clock | undefined;
}

/**
 * Appends to a file topic, concurrently with other producers in any process.
 *
 * A batch is one write to each file. If a producer was killed within a line, the next one repairs
 * it first: it adds the missing newline to a complete JSON object, and truncates any other text,
 * which no reader can have read yet.
 */
export class FileProducer implements MessageProducer {
  readonly description: string;
  readonly #directory: TopicDirectory;
  readonly #clock: Clock;
  readonly #retentionBytes: number;
  /** The partition of the next message without one. */
  #turn = 0;

  private constructor(
    directory: TopicDirectory,
    { clock = systemClock, retentionBytes = Infinity }: FileProducerOptions,
  ) {
    this.#directory = directory;
    this.description = directory.description;
    this.#clock = clock;
    this.#retentionBytes = retentionBytes;
  }

  /**
   * Opens a topic, and creates missing parts of it.
   *
   * @throws STREAM_INVALID when the topic's name cannot be a directory name
   * @throws STREAM_UNAVAILABLE when its directory is not writable
   */
  static async open(options: FileProducerOptions): Promise<FileProducer> {
    const directory = new TopicDirectory(options.directory, options.topic);
    const producer = new FileProducer(directory, options);
    await producer.#run({}, async () => {
      await mkdir(directory.path, { recursive: true });
      await producer.#locked({}, async () => {
        const present = new Set((await directory.list()).map(({ partition }) => partition));
        for (let partition = 0; partition < (options.partitionCount ?? 1); partition += 1) {
          if (!present.has(partition)) {
            await withFile(segmentFileAt(directory.path, partition, 0).path, 'a', () =>
              Promise.resolve(),
            );
          }
        }
      });
    });
    return producer;
  }

  append(messages: readonly NewMessage[], options: CallOptions = {}): Promise<void> {
    return this.#run(options, async () => {
      for (const { value } of messages) assertLine(value, this.description);
      await this.#locked(options, async () => {
        const lastSegments = new Map(
          (await this.#directory.list()).map((segment) => [segment.partition, segment]),
        );
        const partitions = [...lastSegments.keys()];
        const byPartition = Map.groupBy(messages, (message) =>
          this.#partitionOf(message, partitions),
        );
        for (const partition of byPartition.keys()) {
          if (!lastSegments.has(partition)) {
            throw streamInvalid(`${this.description} has no partition ${partition}.`);
          }
        }
        for (const [partition, chosen] of byPartition) {
          const segment = lastSegments.get(partition);
          if (segment !== undefined) await this.#appendTo(segment, chosen);
        }
      });
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    // No resources are held between calls.
  }

  async #appendTo(segment: SegmentFile, messages: readonly NewMessage[]): Promise<void> {
    const endBytes = await repairTail(segment.path);
    const isFull = endBytes >= this.#retentionBytes / filesPerPartition;
    const endOffset = segment.baseOffset + endBytes;
    const target = isFull
      ? segmentFileAt(this.#directory.path, segment.partition, endOffset)
      : segment;
    await appendLines(target, endOffset, messages, this.#clock.nowMs());
    if (isFull) await this.#deleteOld(segment.partition, endOffset);
  }

  /** Deletes the files of a partition whose lines are all beyond the retention. */
  async #deleteOld(partition: number, endOffset: number): Promise<void> {
    const segments = await this.#directory.list(partition);
    for (const [index, segment] of segments.entries()) {
      const next = segments[index + 1];
      if (next === undefined || next.baseOffset > endOffset - this.#retentionBytes) return;
      await unlink(segment.path);
      await unlinkIfExists(timesPathOf(segment));
    }
  }

  #partitionOf({ key, partition }: NewMessage, partitions: readonly number[]): number {
    if (partition !== undefined) return partition;
    const index = key === null ? this.#turn++ : crc32(key);
    return partitions[index % partitions.length] ?? 0;
  }

  #locked<T>({ signal }: CallOptions, run: () => Promise<T>): Promise<T> {
    return withTopicLock(this.#directory.path, { clock: this.#clock, signal }, run);
  }

  async #run<T>({ signal }: CallOptions, call: () => Promise<T>): Promise<T> {
    throwIfAborted(signal);
    return await translatingFileErrors(this.description, call);
  }
}

function assertLine(value: Uint8Array, description: string): void {
  if (value.byteLength === 0) {
    throw streamInvalid(
      `A message of ${description} cannot be empty, since it is one line of the file.`,
    );
  }
  if (value.includes(newline)) {
    throw streamInvalid(
      `A message of ${description} cannot contain a newline, since it is one line of the file.`,
    );
  }
}

async function unlinkIfExists(path: string): Promise<void> {
  try {
    await unlink(path);
  } catch (error) {
    if (!isMissingFile(error)) throw error;
  }
}

const retryDelayMs = 5;

/** Runs exclusively among the producers of a topic, in this process or others. */
async function withTopicLock<T>(
  directory: string,
  { clock, signal }: { readonly clock: Clock; readonly signal: AbortSignal | undefined },
  run: () => Promise<T>,
): Promise<T> {
  for (;;) {
    await using lock = await tryLockFile(join(directory, '.lock'));
    if (lock !== undefined) return await run();
    await clock.sleep(retryDelayMs, signal);
  }
}

const newlineBytes = Buffer.from('\n');

/**
 * Appends messages as lines, in one write, to a file whose last line is complete. If that fails,
 * complete lines that were written remain.
 */
async function appendLines(
  segment: SegmentFile,
  endOffset: number,
  messages: readonly NewMessage[],
  nowMs: number,
): Promise<void> {
  await appendTime(segment, { offset: endOffset, timeMs: nowMs });
  await withFile(segment.path, 'a', async (file) => {
    try {
      await file.appendFile(Buffer.concat(messages.flatMap(({ value }) => [value, newlineBytes])));
    } catch (error) {
      // A full disk accepts a part; readers may have seen its complete lines.
      await repairTail(segment.path);
      throw error;
    }
  });
}

/**
 * Repairs the end of a file and returns its size. `FileProducer` describes the treatment of a line
 * without a newline.
 */
async function repairTail(path: string): Promise<number> {
  return await withFile(path, 'a+', async (file) => {
    const { size } = await file.stat();
    const end = await findLineEnd(file, size);
    if (end === size) return size;
    if (size - end <= lineBytesMax && isObject((await readRange(file, end, size)).toString())) {
      await file.appendFile(newlineBytes);
      return size + 1;
    }
    await file.truncate(end);
    return end;
  });
}

function isObject(text: string): boolean {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null;
  } catch (error) {
    if (error instanceof SyntaxError) return false;
    throw error;
  }
}

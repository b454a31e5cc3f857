import { type Clock, QuireError, writeLosslessJson } from '@quire/core';
import { sleepUnlessAborted } from '@quire/core/wait';
import { FileProducer, type MessageProducer, type NewMessage } from '@quire/streams';
import { createFileFinder, openFileRows, type SourceFile, type SourceRow } from '@quire/tables';
import type { FeedDocument } from './sample-documents.ts';

export interface FeedOptions {
  /** The directory of file streams. */
  readonly streams: string;
  readonly clock: Clock;
  /** Told when rows could not be written; the feed goes on a second later. */
  readonly onFailed: (error: unknown) => void;
}

/** How often rows are written: a table is seen to grow, and nothing is busy. */
const batchesPerSecond = 4;
const retryAfterMs = 1_000;
const rowBytesMax = 1024 * 1024;

/**
 * Writes the rows of a file to a topic, as if they came in now, again and again from its beginning,
 * until it is disposed of. Time that the machine slept is not made up for.
 */
export class Feed implements AsyncDisposable {
  readonly #document: FeedDocument;
  readonly #options: FeedOptions;
  readonly #file: SourceFile;
  readonly #producer: MessageProducer;
  readonly #ending = new AbortController();
  readonly #running: Promise<void>;
  #dueMs: number;

  private constructor(
    document: FeedDocument,
    file: SourceFile,
    producer: MessageProducer,
    options: FeedOptions,
  ) {
    this.#document = document;
    this.#file = file;
    this.#producer = producer;
    this.#options = options;
    this.#dueMs = options.clock.monotonicMs();
    this.#running = this.#run();
  }

  /**
   * Makes the topic when it is not there, and begins.
   *
   * @throws INVALID_SETTING when the file is not there; STREAM_UNAVAILABLE when the topic cannot be
   * written to
   */
  static async open(document: FeedDocument, options: FeedOptions): Promise<Feed> {
    const { path, topic, partitionCount, retentionBytes } = document;
    const { files } = await createFileFinder({ paths: [path] }).find(
      path,
      new AbortController().signal,
    );
    const [file] = files;
    if (file === undefined) {
      throw new QuireError(
        'INVALID_SETTING',
        `The feed of ${topic} reads ${path}, which does not exist.`,
      );
    }
    const { streams: directory, clock } = options;
    const producer = await FileProducer.open({
      directory,
      topic,
      partitionCount,
      retentionBytes,
      clock,
    });
    return new Feed(document, file, producer, options);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#ending.abort();
    await this.#running;
    await this.#producer[Symbol.asyncDispose]();
  }

  async #run(): Promise<void> {
    const { clock, onFailed } = this.#options;
    const { signal } = this.#ending;
    while (!signal.aborted) {
      try {
        await this.#writeAll();
      } catch (error) {
        if (signal.aborted) return;
        onFailed(error);
        await sleepUnlessAborted(clock, retryAfterMs, signal);
      }
    }
  }

  /** Writes the whole file once. */
  async #writeAll(): Promise<void> {
    const { rowsPerSecond } = this.#document;
    const { signal } = this.#ending;
    const size = Math.max(1, Math.round(rowsPerSecond / batchesPerSecond));
    let batch: SourceRow[] = [];
    const flush = async (): Promise<void> => {
      await this.#producer.append(batch.map((row) => this.#messageOf(row)));
      await this.#pause((batch.length / rowsPerSecond) * 1000);
      batch = [];
    };
    for await (const row of openFileRows(this.#file, { batchConfig: {}, rowBytesMax, signal })) {
      batch.push(row);
      if (batch.length >= size) await flush();
    }
    if (batch.length > 0) await flush();
  }

  /** Until the next batch is due; one that is late already has the next pause begin again. */
  async #pause(periodMs: number): Promise<void> {
    const { clock } = this.#options;
    const nowMs = clock.monotonicMs();
    this.#dueMs = Math.max(this.#dueMs + periodMs, nowMs);
    await clock.sleep(this.#dueMs - nowMs, this.#ending.signal);
  }

  #messageOf(row: SourceRow): NewMessage {
    const { timeField } = this.#document;
    return {
      key: null,
      value: Buffer.from(writeLosslessJson({ ...row, [timeField]: this.#options.clock.nowMs() })),
    };
  }
}

import { type Clock, QuireError, writeLosslessJson } from '@quire/core';
import { sleepUnlessAborted } from '@quire/core/wait';
import { FileProducer, type MessageProducer, type NewMessage } from '@quire/streams';
import { createFileFinder, openFileRows, type SourceFile, type SourceRow } from '@quire/tables';
import type { FeedDocument } from './sample-documents.ts';

export interface FeedOptions {
  /** The directory of file streams. */
  readonly streams: string;
  readonly clock: Clock;
  /** Called when rows could not be written; the feed continues a second later. */
  readonly onFailed: (error: unknown) => void;
}

/** The number of batches in a second: growth is visible, and the load is low. */
const batchesPerSecond = 4;
const retryAfterMs = 1_000;
const rowBytesMax = 1024 * 1024;

/**
 * Writes the rows of a file to a topic at the current time, repeatedly, until it is disposed. Time
 * during which the machine slept is skipped.
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
   * Creates a missing topic, and starts.
   *
   * @throws INVALID_SETTING when the file does not exist; STREAM_UNAVAILABLE when the topic is not
   *   writable
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

  /** Waits until the next batch is due; a late one restarts the interval. */
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

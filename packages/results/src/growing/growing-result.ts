import { type FileHandle, rm } from 'node:fs/promises';
import { crc32 } from '@node-rs/crc32';
import type { Schema } from 'apache-arrow';
import {
  type CallOptions,
  type PageRequest,
  QuireError,
  type RequestId,
  throwIfAborted,
} from '@quire/core';
import type { ReadBatch } from '../batch-reader.ts';
import { type PagePlan, planPage } from '../plan-page.ts';
import { type PageSource, ResultPage } from '../result-page.ts';
import { type ProgressEvent, type ProgressTarget, schemaOfEvent } from '../progress-event.ts';

/** A result that is being written; its completed batches can be read. */
export interface GrowingResult extends ProgressTarget {
  readonly requestId: RequestId;
  /** The columns; undefined until the query has reported them. */
  readonly schema: Schema | undefined;
  /** The number of rows that can be read. */
  readonly rowCount: number;
  /** True if as many rows can be read as a batch usually has, or several batches. */
  readonly hasWholeBatch: boolean;
  /** Their size in the data file. */
  readonly sizeBytes: number;
  /** Calls `onGrown` whenever there are more rows, until it is disposed. */
  watch(onGrown: () => void): Disposable;
  /** Keeps the rows readable until it is disposed, even if the query ends first. */
  hold(): AsyncDisposable;
  /**
   * Plans a page with the rows that exist; undefined while there are no columns. The caller must
   * hold the result.
   */
  page(request: PageRequest): ResultPage | undefined;
  /** Ends the result with its query; the rows are deleted once it is no longer held. */
  end(): Promise<void>;
}

/** The memory and the threads for the pages of growing results. */
export type GrowingMemory = Pick<PageSource, 'pool' | 'threads'>;

/**
 * A growing result in a separate file, which is unlinked as soon as the writer has opened it, so
 * that nothing stays on disk if a process dies. Without the file, it has columns, but no rows.
 */
export class GrowingFile implements GrowingResult {
  readonly requestId: RequestId;
  readonly path: string;
  readonly #memory: GrowingMemory;
  readonly #file: FileHandle | undefined;
  readonly #ends: number[] = [];
  readonly #rowEnds: number[] = [];
  readonly #checksums: number[] = [];
  readonly #watchers = new Set<() => void>();
  #schema: Schema | undefined;
  #firstOffset = 0;
  #rowsPerBatch = 1;
  #rowCount = 0;
  #holderCount = 1;

  constructor(
    requestId: RequestId,
    parts: {
      readonly path: string;
      /** The open file; undefined if it could not be created. */
      readonly file: FileHandle | undefined;
      readonly memory: GrowingMemory;
    },
  ) {
    this.requestId = requestId;
    this.path = parts.path;
    this.#file = parts.file;
    this.#memory = parts.memory;
  }

  get schema(): Schema | undefined {
    return this.#schema;
  }

  get rowCount(): number {
    return this.#rowCount;
  }

  get hasWholeBatch(): boolean {
    return this.#rowCount >= this.#rowsPerBatch || this.#ends.length > 1;
  }

  get sizeBytes(): number {
    return this.#ends.at(-1) ?? 0;
  }

  /** Receives an event of the writer. */
  readonly notify = (event: ProgressEvent): void => {
    if (event.kind === 'started') {
      this.#schema = schemaOfEvent(event);
      this.#firstOffset = event.firstOffset;
      void this.#unlink();
    } else {
      this.#rowsPerBatch = event.rowsPerBatch;
      this.#rowCount += event.rowCount;
      this.#rowEnds.push(this.#rowCount);
      this.#ends.push(event.end);
      this.#checksums.push(event.checksum);
    }
    for (const watcher of this.#watchers) watcher();
  };

  watch(onGrown: () => void): Disposable {
    this.#watchers.add(onGrown);
    return { [Symbol.dispose]: () => void this.#watchers.delete(onGrown) };
  }

  hold(): AsyncDisposable {
    this.#holderCount += 1;
    let isHeld = true;
    return {
      [Symbol.asyncDispose]: async () => {
        if (isHeld) await this.#letGo();
        isHeld = false;
      },
    };
  }

  page({ offset, rowCount }: PageRequest): ResultPage | undefined {
    const schema = this.#schema;
    if (schema === undefined) return undefined;
    const end = Math.max(
      offset,
      Math.min(this.#rowCount, offset + Math.min(rowCount, Number.MAX_SAFE_INTEGER - offset)),
    );
    // The arrays continue to grow; the plan uses only the batches of its rows.
    const spans = {
      rowsPerBatch: this.#rowsPerBatch,
      rowEnds: this.#rowEnds,
      firstOffset: this.#firstOffset,
      ends: this.#ends,
      checksums: this.#checksums,
    };
    const range = { start: offset, end };
    const source = {
      pool: this.#memory.pool,
      threads: this.#memory.threads,
      read: (plan: PagePlan, options: CallOptions) => this.#read(plan, options),
    };
    return new ResultPage(schema, range, planPage(spans, range), source);
  }

  async end(): Promise<void> {
    await this.#letGo();
  }

  async *#read(plan: PagePlan, { signal }: CallOptions): AsyncGenerator<ReadBatch> {
    const { pool } = this.#memory;
    const file = this.#file;
    if (file === undefined) return;
    for (const planned of plan.batches) {
      throwIfAborted(signal);
      const message = pool.lease(planned.bytes.end - planned.bytes.start);
      let isDone = false;
      try {
        await readAt(file, message, planned.bytes.start);
        if (crc32(message) !== planned.checksum) {
          throw new QuireError(
            'RESULT_CORRUPT',
            `Batch ${planned.index} of the growing result ${this.requestId} was damaged.`,
          );
        }
        yield { planned, message };
        isDone = true;
      } finally {
        if (isDone) pool.release(message);
        else pool.abandon(message);
      }
    }
  }

  async #letGo(): Promise<void> {
    this.#holderCount -= 1;
    if (this.#holderCount > 0) return;
    await this.#unlink();
    await this.#file?.close().catch(() => undefined);
  }

  async #unlink(): Promise<void> {
    await rm(this.path, { force: true }).catch(() => undefined);
  }
}

async function readAt(file: FileHandle, target: Uint8Array, start: number): Promise<void> {
  for (let done = 0; done < target.byteLength;) {
    const { bytesRead } = await file.read(target, done, target.byteLength - done, start + done);
    if (bytesRead === 0) {
      throw new QuireError(
        'OBJECT_SHORT_READ',
        'The file of a growing result ended before its rows did.',
      );
    }
    done += bytesRead;
  }
}

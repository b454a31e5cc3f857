import { type FileHandle, open } from 'node:fs/promises';
import type { Schema } from 'apache-arrow';
import { startedEvent, type ProgressTarget } from '../progress-event.ts';

/** A batch as it was written into the data file. */
export interface WrittenBatch {
  readonly index: number;
  readonly message: Uint8Array;
  /** Rows of this batch, and of all but the last. */
  readonly rowCount: number;
  readonly rowsPerBatch: number;
  /** Byte of the data file at which the message ends. */
  readonly end: number;
  /** CRC-32 of the message. */
  readonly checksum: number;
}

/**
 * Writes a second copy of each batch to where it can be read at once: no store shows a part of an
 * object. The copy has every batch at the place that it has in the data file, so that one page plan
 * serves both.
 *
 * The copy is a convenience: when it cannot be written, readers wait for the result, and the query
 * goes on.
 */
export class ProgressWriter implements AsyncDisposable {
  readonly #target: ProgressTarget;
  #file: FileHandle | undefined;

  constructor(target: ProgressTarget) {
    this.#target = target;
  }

  async begin(schema: Schema, firstOffset: number): Promise<void> {
    try {
      this.#file = await open(this.#target.path, 'r+');
    } catch {
      // The reader has gone.
    }
    this.#target.notify(startedEvent(schema, firstOffset));
  }

  async add({ message, rowCount, rowsPerBatch, end, checksum }: WrittenBatch): Promise<void> {
    if (this.#file === undefined) return;
    try {
      await writeAt(this.#file, message, end - message.byteLength);
    } catch {
      // The disk is full, most likely. What was reported so far stays readable.
      await this[Symbol.asyncDispose]();
      return;
    }
    this.#target.notify({ kind: 'batch', rowsPerBatch, rowCount, end, checksum });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const file = this.#file;
    this.#file = undefined;
    await file?.close().catch(() => undefined);
  }
}

async function writeAt(file: FileHandle, bytes: Uint8Array, start: number): Promise<void> {
  for (let done = 0; done < bytes.byteLength;) {
    done += (await file.write(bytes, done, bytes.byteLength - done, start + done)).bytesWritten;
  }
}

import { type FileHandle, open } from 'node:fs/promises';
import type { Schema } from 'apache-arrow';
import { startedEvent, type ProgressTarget } from '../progress-event.ts';

/** A batch as it was written into the data file. */
export interface WrittenBatch {
  readonly index: number;
  readonly message: Uint8Array;
  readonly rowCount: number;
  /** The usual number of rows in a batch. */
  readonly rowsPerBatch: number;
  /** The end of the message in the data file. */
  readonly end: number;
  /** CRC-32 of the message. */
  readonly checksum: number;
}

/**
 * Writes a second copy of each batch to a file that can be read immediately, because no store shows
 * a part of an object. Every batch has the same offset as in the data file, so that one page plan
 * serves both.
 *
 * The copy is optional: if it cannot be written, readers wait for the result, and the query
 * continues.
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
      // The reader has closed it.
    }
    this.#target.notify(startedEvent(schema, firstOffset));
  }

  async add({ message, rowCount, rowsPerBatch, end, checksum }: WrittenBatch): Promise<void> {
    if (this.#file === undefined) return;
    try {
      await writeAt(this.#file, message, end - message.byteLength);
    } catch {
      // Most likely, the disk is full. Rows reported so far stay readable.
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

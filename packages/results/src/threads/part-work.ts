import { LRUCache } from 'lru-cache';
import type { Schema } from 'apache-arrow';
import type { ErrorMessage } from '@quire/core/process';
import type { PageFormatName } from '@quire/core/wire';
import { endOfStream } from '../arrow/encode-message.ts';
import type { ReadBatch } from '../batch-reader.ts';
import type { Lender } from '../buffer-pool.ts';
import { compressBody, type ContentEncoding } from '../encode/compress-body.ts';
import { type FormatOptions, pageEncoders } from '../encode/page-encoders.ts';
import type { PagePart } from '../encode/page-part.ts';
import type { PlannedBatch } from '../plan-page.ts';
import { decodeSchema } from '../schema-bytes.ts';

/** A part of a page: its batches in shared memory, and how to encode them. */
export interface PartWork {
  readonly format: PageFormatName;
  readonly options: FormatOptions;
  readonly part: PagePart;
  readonly schema: SharedSchema;
  readonly rowsPerBatch: number;
  /** The batch messages, contiguous from its start; after them is memory for the text. */
  readonly memory: SharedMemory;
  readonly batches: readonly PlannedBatch[];
  /** The coding of the output, if the part is a whole page. */
  readonly contentEncoding: ContentEncoding | undefined;
}

/** Shared memory with a unique number. */
export interface SharedMemory {
  readonly number: number;
  /** Absent in messages to a thread that already has the buffer. */
  readonly buffer?: SharedArrayBuffer;
}

/** A schema in shared memory, and a number that no other schema of the process has. */
export interface SharedSchema {
  readonly number: number;
  readonly bytes: SharedArrayBuffer;
}

/** A message to a thread. Work is run in order, one part at a time. */
export interface ToThread {
  readonly number: number;
  readonly work: PartWork;
  /** The numbers of memory that will not be used again. */
  readonly dropped: readonly number[];
}

/** A message from a thread. */
export type FromThread =
  | { readonly kind: 'ready' }
  /** A chunk of the part: bytes of its memory, or of the memory given here. */
  | {
      readonly kind: 'chunk';
      readonly number: number;
      readonly start: number;
      readonly end: number;
      readonly memory?: SharedArrayBuffer;
    }
  /** The end of a part, and its size before compression. */
  | { readonly kind: 'done'; readonly number: number; readonly plainBytes: number }
  | { readonly kind: 'failed'; readonly number: number; readonly error: ErrorMessage };

/** Schemas that were decoded in this thread, by number. */
const schemas = new LRUCache<number, Schema>({ max: 64 });

/** The size of compressed chunks. */
const compressedBytes = 256 * 1024;
/** The size of memory that is added when a part needs more than it has. */
const addedBytes = 1024 * 1024;

/**
 * Yields the chunks of a part, all in shared memory, and reports sizes before compression. None is
 * overwritten: they are valid for as long as the memory is.
 *
 * @throws RESULT_CORRUPT as `ResultPage.encode`
 */
export async function* encodePart(
  work: PartWork,
  memory: SharedArrayBuffer,
  pool: Lender,
  onEncoded: (sizeBytes: number) => void,
): AsyncGenerator<Uint8Array<SharedArrayBuffer>> {
  const { format, options, part, rowsPerBatch, batches, contentEncoding } = work;
  const lent = new PartMemory(memory, sizeBytesOf(batches));
  const input = {
    schema: schemaOf(work.schema),
    rowsPerBatch,
    batches: messagesOf(memory, batches),
    pool,
    // A compressor holds several chunks.
    chunkPool: contentEncoding === undefined ? lent : undefined,
    part,
  };
  const plain = counted(pageEncoders[format](input, options), onEncoded);
  const chunks =
    contentEncoding === undefined ? plain : compressBody(plain, contentEncoding, compressedBytes);
  for await (const chunk of chunks) yield lent.shared(chunk);
}

/** Yields chunks, and reports their sizes. */
export async function* counted(
  chunks: AsyncIterable<Uint8Array>,
  onEncoded: (sizeBytes: number) => void,
): AsyncGenerator<Uint8Array> {
  for await (const chunk of chunks) {
    onEncoded(chunk.byteLength);
    yield chunk;
  }
}

/** Returns the bytes of contiguous batches. */
export function sizeBytesOf(batches: readonly PlannedBatch[]): number {
  return (batches.at(-1)?.bytes.end ?? 0) - (batches[0]?.bytes.start ?? 0);
}

function schemaOf({ number, bytes }: SharedSchema): Schema {
  const known = schemas.get(number);
  if (known !== undefined) return known;
  // apache-arrow decodes text, which no decoder does in shared memory.
  const schema = decodeSchema(new Uint8Array(bytes).slice());
  schemas.set(number, schema);
  return schema;
}

async function* messagesOf(
  memory: SharedArrayBuffer,
  batches: readonly PlannedBatch[],
): AsyncGenerator<ReadBatch> {
  const start = batches[0]?.bytes.start ?? 0;
  const bytes = new Uint8Array(memory, 0, sizeBytesOf(batches));
  for (const [index, planned] of batches.entries()) {
    const from = planned.bytes.start - start;
    const message = bytes.subarray(from, planned.bytes.end - start);
    yield {
      planned,
      message,
      run: { batches: batches.slice(index), bytes: bytes.subarray(from) },
    };
  }
}

/**
 * Lends the memory of a part after its batches, and additional memory when that is used up. Eight
 * bytes after each lease stay unused, because the Arrow encoder writes the end of its stream there.
 */
class PartMemory implements Lender {
  /** Always zero: what is lent here does not limit anything else. */
  readonly leasedBytes = 0;
  /** Each chunk is a message to the main thread. */
  readonly chunkBytes = 1024 * 1024;
  #memory: SharedArrayBuffer;
  #used: number;

  constructor(memory: SharedArrayBuffer, used: number) {
    this.#memory = memory;
    this.#used = used;
  }

  lease(sizeBytes: number): Uint8Array<SharedArrayBuffer> {
    if (this.#used + sizeBytes > this.#memory.byteLength) {
      this.#memory = new SharedArrayBuffer(Math.max(addedBytes, sizeBytes));
      this.#used = 0;
    }
    const lease = new Uint8Array(this.#memory, this.#used, sizeBytes);
    this.#used = Math.ceil((this.#used + sizeBytes) / 8) * 8 + endOfStream.length;
    return lease;
  }

  release(): void {
    // Does nothing: another thread still reads the chunk.
  }

  abandon(): void {
    // Does nothing, as `release`.
  }

  /** Returns a chunk in shared memory: itself, or a copy. */
  shared(chunk: Uint8Array): Uint8Array<SharedArrayBuffer> {
    if (chunk.buffer instanceof SharedArrayBuffer) return chunk as Uint8Array<SharedArrayBuffer>;
    const copy = this.lease(chunk.byteLength);
    copy.set(chunk);
    return copy;
  }
}

import { LRUCache } from 'lru-cache';
import type { Schema } from 'apache-arrow';
import type { ErrorMessage } from '@quire/core/process';
import type { PageFormatName } from '@quire/core/wire';
import type { ReadBatch } from '../batch-reader.ts';
import type { Lender } from '../buffer-pool.ts';
import { compressBody, type ContentEncoding } from '../encode/compress-body.ts';
import { type FormatOptions, pageEncoders } from '../encode/page-encoders.ts';
import type { PagePart } from '../encode/page-part.ts';
import type { PlannedBatch } from '../plan-page.ts';
import { decodeSchema } from '../schema-bytes.ts';

/** A part of a page: its batches, and how to encode them. */
export interface PartWork {
  readonly format: PageFormatName;
  readonly options: FormatOptions;
  readonly part: PagePart;
  readonly schema: NumberedSchema;
  /** The batch messages, contiguous from its start. */
  readonly input: ArrayBuffer;
  readonly batches: readonly PlannedBatch[];
  /** The coding of the output, if the part is a whole page. */
  readonly contentEncoding: ContentEncoding | undefined;
}

/** A schema as bytes, and a number that no other schema of the process has. */
export interface NumberedSchema {
  readonly number: number;
  readonly bytes: Uint8Array;
}

/**
 * A message to a thread, which owns the buffers from then on. Work is run in order, one part at a
 * time.
 */
export interface ToThread {
  readonly number: number;
  readonly work: PartWork;
  /** Memory for the output. */
  readonly outputs: readonly ArrayBuffer[];
}

/** A message from a thread, which no longer has its buffers. */
export type FromThread =
  | { readonly kind: 'ready' }
  /** A chunk of a part: the first `sizeBytes` bytes. */
  | {
      readonly kind: 'chunk';
      readonly number: number;
      readonly buffer: ArrayBuffer;
      readonly sizeBytes: number;
      /** True if the buffer is one of the outputs. */
      readonly isLent: boolean;
    }
  /** The end of a part: its size before compression, or what failed, and its other buffers. */
  | {
      readonly kind: 'done';
      readonly number: number;
      readonly plainBytes: number;
      readonly error?: ErrorMessage;
      readonly buffers: readonly ArrayBuffer[];
    };

/** Schemas that were decoded in this thread, by number. */
const schemas = new LRUCache<number, Schema>({ max: 64 });

/** The size of compressed chunks. */
const compressedBytes = 256 * 1024;

/**
 * Yields the chunks of a part, and reports sizes before compression. With a `chunkPool`, a chunk is
 * valid until the next one is requested.
 *
 * @throws RESULT_CORRUPT as `ResultPage.encode`
 */
export async function* encodePart(
  work: PartWork,
  pool: Lender,
  chunkPool: Lender | undefined,
  onEncoded: (sizeBytes: number) => void,
): AsyncGenerator<Uint8Array> {
  const { format, options, part, schema, contentEncoding } = work;
  const input = {
    schema: schemaOf(schema),
    batches: messagesOf(work),
    pool,
    // A compressor holds several chunks.
    chunkPool: contentEncoding === undefined ? chunkPool : undefined,
    part,
  };
  const plain = counted(pageEncoders[format](input, options), onEncoded);
  yield* contentEncoding === undefined
    ? plain
    : compressBody(plain, contentEncoding, compressedBytes);
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

function schemaOf({ number, bytes }: NumberedSchema): Schema {
  const known = schemas.get(number);
  if (known !== undefined) return known;
  const schema = decodeSchema(bytes);
  schemas.set(number, schema);
  return schema;
}

async function* messagesOf({ input, batches }: PartWork): AsyncGenerator<ReadBatch> {
  const start = batches[0]?.bytes.start ?? 0;
  const bytes = new Uint8Array(input, 0, sizeBytesOf(batches));
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

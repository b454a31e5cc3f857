import type { Schema } from 'apache-arrow';
import type { FormatsWith, PageFormatName } from '@quire/core/wire';
import type { BufferCodec } from '../arrow/buffer-codec.ts';
import type { ReadBatch } from '../batch-reader.ts';
import type { BufferPool } from '../buffer-pool.ts';
import { decodedBatches, plainBatches } from '../plain-batches.ts';
import { encodeArrowStream } from './arrow-stream.ts';
import { encodeText, type TextOptions } from './text-rows.ts';

/** A page to encode, and the memory to do so. */
export interface PageInput {
  readonly schema: Schema;
  /** The rows of every batch of the result but the last. */
  readonly rowsPerBatch: number;
  /** The batches that the page touches, as they are stored. */
  readonly batches: AsyncIterable<ReadBatch>;
  /** Lends memory for batches. */
  readonly pool: BufferPool;
  /**
   * Lends the memory of chunks, which then last until the next one is asked for. Undefined: the
   * reader keeps them.
   */
  readonly chunkPool: BufferPool | undefined;
}

/** The options of all formats; each takes those that it has a use for. */
export interface FormatOptions extends TextOptions {
  /**
   * With Arrow: the codecs that the reader has. Batches that are stored with one of them go out as
   * they are stored. All other buffers are plain, as every reader of Arrow expects them. Default:
   * none.
   */
  readonly codecs?: readonly BufferCodec[] | undefined;
}

/** Encodes a page, chunk by chunk. */
type PageEncoder = (page: PageInput, options: FormatOptions) => AsyncIterable<Uint8Array>;

/** The encoder of each format of rows. */
export const pageEncoders: Readonly<Record<PageFormatName, PageEncoder>> = {
  json: textEncoder('json'),
  arrow: encodeArrow,
  csv: textEncoder('csv'),
  ndjson: textEncoder('ndjson'),
  parquet: encodeParquetPage,
};

async function* encodeParquetPage({
  schema,
  batches,
  chunkPool,
}: PageInput): AsyncGenerator<Uint8Array> {
  // Its writer is loaded by the first page that needs it: a worker that runs queries never does.
  const { encodeParquet } = await import('./parquet-file.ts');
  yield* encodeParquet(schema, batches, { lendsChunks: chunkPool !== undefined });
}

function textEncoder(format: FormatsWith<'isText'>): PageEncoder {
  return ({ schema, batches, chunkPool: pool }, options) =>
    encodeText(format, { schema, batches: decodedBatches(schema, batches), pool }, options);
}

function encodeArrow(
  { schema, rowsPerBatch, batches, pool, chunkPool }: PageInput,
  { codecs = [] }: FormatOptions,
): AsyncIterable<Uint8Array> {
  const readable = plainBatches(batches, codecs, pool);
  return encodeArrowStream(schema, readable, { rowsPerBatch, codecs }, chunkPool);
}

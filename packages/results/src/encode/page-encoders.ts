import type { Schema } from 'apache-arrow';
import type { FormatsWith, PageFormatName } from '@quire/core/wire';
import type { BufferCodec } from '../arrow/buffer-codec.ts';
import type { ReadBatch } from '../batch-reader.ts';
import type { Lender } from '../buffer-pool.ts';
import { decodedBatches, plainBatches } from '../plain-batches.ts';
import { encodeArrowStream } from './arrow-stream.ts';
import type { PagePart } from './page-part.ts';
import { encodeText, type TextOptions } from './text-rows.ts';

/** A page to encode, and the memory for it. */
export interface PageInput {
  readonly schema: Schema;
  /** The batches of the page, as they are stored. */
  readonly batches: AsyncIterable<ReadBatch>;
  /** Lends memory for batches. */
  readonly pool: Lender;
  /**
   * Lends the memory of chunks, which are then valid until the next one is requested. Undefined:
   * the reader may retain them.
   */
  readonly chunkPool: Lender | undefined;
  /** Absent: the batches are those of the whole page. */
  readonly part?: PagePart | undefined;
}

/** The options of all formats; each uses those that apply to it. */
export interface FormatOptions extends TextOptions {
  /**
   * For Arrow: the codecs that the reader supports. Batches stored with one of them are sent as
   * they are stored. All other buffers are plain, which every Arrow reader supports. Default: none.
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
  // Its writer is loaded with the first page that needs it: a worker that runs queries never loads
  // it.
  const { encodeParquet } = await import('./parquet-file.ts');
  yield* encodeParquet(schema, batches, { lendsChunks: chunkPool !== undefined });
}

function textEncoder(format: FormatsWith<'isText'>): PageEncoder {
  return ({ schema, batches, chunkPool: pool, part }, options) =>
    encodeText(format, { schema, batches: decodedBatches(schema, batches), pool, part }, options);
}

function encodeArrow(
  { schema, batches, pool, chunkPool, part }: PageInput,
  { codecs = [] }: FormatOptions,
): AsyncIterable<Uint8Array> {
  const readable = plainBatches(batches, codecs, pool);
  return encodeArrowStream(schema, readable, { codecs, part }, chunkPool);
}

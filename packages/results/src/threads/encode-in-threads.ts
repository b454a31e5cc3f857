import type { Schema } from 'apache-arrow';
import { MiB } from '@quire/core';
import type { PageFormatName } from '@quire/core/wire';
import { encodeSchemaMessage } from '../arrow/encode-message.ts';
import type { ReadBatch } from '../batch-reader.ts';
import type { ContentEncoding } from '../encode/compress-body.ts';
import type { FormatOptions } from '../encode/page-encoders.ts';
import type { PlannedBatch } from '../plan-page.ts';
import type { ThreadPool } from './thread-pool.ts';
import { PartRun } from './part-run.ts';
import { encodePart, type PartWork, type SharedSchema, sizeBytesOf } from './part-work.ts';

/** The target size of a part, as it is stored. */
const partBytesMax = 1.25 * MiB;
/** The additional memory for a chunk that is not full. */
const slackBytes = 512 * 1024;
/** The assumed size of a page's output, as a multiple of its stored size, until one is known. */
const growthDefault = 2.5;

/** The batches of a page, and their encoding. */
export interface ThreadedPage {
  readonly format: PageFormatName;
  readonly schema: Schema;
  readonly rowsPerBatch: number;
  readonly planned: readonly PlannedBatch[];
  /** Reads the planned batches, in order; each is valid until the next one is requested. */
  readonly read: () => AsyncIterable<ReadBatch>;
  readonly options: FormatOptions;
  /** The coding of the output; only for pages of one part. */
  readonly contentEncoding: ContentEncoding | undefined;
  /** Called with sizes before compression. */
  readonly onEncoded: (sizeBytes: number) => void;
  readonly signal: AbortSignal | undefined;
}

/**
 * Encodes a page in threads, part by part: while one is sent, the next one is encoded. Parts for
 * which no thread is free are encoded in this thread. Each chunk is valid until the next one is
 * requested.
 *
 * @throws any error of `page.read`; otherwise as `ResultPage.encode`
 */
export async function* encodeInThreads(
  page: ThreadedPage,
  threads: ThreadPool,
): AsyncGenerator<Uint8Array> {
  let ahead: PartRun | Part | undefined;
  let sizeBytes = 0;
  try {
    for await (const part of readParts(page, threads)) {
      const current = ahead;
      ahead = threads.start(part.work, part.lease) ?? part;
      if (current !== undefined) yield* chunksOf(current);
    }
    const last = ahead;
    ahead = undefined;
    if (last !== undefined) yield* chunksOf(last);
    noteGrowth(page, sizeBytes);
  } finally {
    if (ahead instanceof PartRun) ahead.abandon();
    else if (ahead !== undefined) threads.memory.release(ahead.lease);
  }

  async function* chunksOf(part: PartRun | Part): AsyncGenerator<Uint8Array> {
    const onEncoded = (plainBytes: number): void => {
      sizeBytes += plainBytes;
      page.onEncoded(plainBytes);
    };
    if (part instanceof PartRun) {
      yield* part.chunks(page.signal);
      onEncoded(part.plainBytes);
    } else yield* encodeHere(part, threads, onEncoded);
  }
}

interface Part {
  readonly work: PartWork;
  readonly lease: Uint8Array;
}

/** Reads the batches of a page into shared memory, one part after the other. */
async function* readParts(page: ThreadedPage, threads: ThreadPool): AsyncGenerator<Part> {
  const { memory } = threads;
  const { format, options, schema, rowsPerBatch, contentEncoding } = page;
  const groups = partsOf(page.planned);
  const growth = growths.get(schema)?.get(format) ?? growthDefault;
  const shared = sharedSchemaOf(schema);
  const batches = page.read()[Symbol.asyncIterator]();
  try {
    for (const [index, planned] of groups.entries()) {
      const storedBytes = sizeBytesOf(planned);
      const lease = memory.lease(storedBytes + Math.ceil(storedBytes * growth) + slackBytes);
      let isFull = false;
      try {
        const start = planned[0]?.bytes.start ?? 0;
        for (const { bytes } of planned) {
          const next = await batches.next();
          if (next.done !== true) lease.set(next.value.message, bytes.start - start);
        }
        isFull = true;
      } finally {
        if (!isFull) memory.release(lease);
      }
      const part = { isFirst: index === 0, isLast: index === groups.length - 1 };
      const work = {
        format,
        options,
        part,
        schema: shared,
        rowsPerBatch,
        memory: threads.sharedMemoryOf(lease),
        batches: planned,
        contentEncoding,
      };
      yield { work, lease };
    }
  } finally {
    await batches.return?.();
  }
}

/** Divides batches into parts of about the same size, none without batches. */
export function partsOf(batches: readonly PlannedBatch[]): readonly (readonly PlannedBatch[])[] {
  const partCount = Math.max(1, Math.ceil(sizeBytesOf(batches) / partBytesMax));
  const batchCount = Math.ceil(batches.length / partCount);
  return Array.from({ length: Math.ceil(batches.length / batchCount) }, (_, index) =>
    batches.slice(index * batchCount, (index + 1) * batchCount),
  );
}

async function* encodeHere(
  { work, lease }: Part,
  { memory }: ThreadPool,
  onEncoded: (sizeBytes: number) => void,
): AsyncGenerator<Uint8Array> {
  let isDone = false;
  try {
    yield* encodePart(work, lease.buffer as SharedArrayBuffer, memory, onEncoded);
    isDone = true;
  } finally {
    if (isDone) memory.release(lease);
    else memory.abandon(lease);
  }
}

/** The sizes of outputs as multiples of the stored sizes, by schema and format. */
const growths = new WeakMap<Schema, Map<PageFormatName, number>>();

function noteGrowth({ schema, format, planned }: ThreadedPage, sizeBytes: number): void {
  const known = growths.get(schema) ?? new Map<PageFormatName, number>();
  const growth = sizeBytes / Math.max(1, sizeBytesOf(planned));
  known.set(format, Math.max(growth, known.get(format) ?? 0));
  growths.set(schema, known);
}

let schemaCount = 0;
const sharedSchemas = new WeakMap<Schema, SharedSchema>();

function sharedSchemaOf(schema: Schema): SharedSchema {
  const known = sharedSchemas.get(schema);
  if (known !== undefined) return known;
  const { bytes } = encodeSchemaMessage(schema);
  const shared = new SharedArrayBuffer(bytes.byteLength);
  new Uint8Array(shared).set(bytes);
  const entry = { number: (schemaCount += 1), bytes: shared };
  sharedSchemas.set(schema, entry);
  return entry;
}

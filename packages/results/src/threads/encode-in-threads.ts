import type { Schema } from 'apache-arrow';
import { MiB } from '@quire/core';
import type { PageFormatName } from '@quire/core/wire';
import { encodeSchemaMessage } from '../arrow/encode-message.ts';
import { cachedBytesMax, type ReadBatch } from '../batch-reader.ts';
import type { BufferPool } from '../buffer-pool.ts';
import type { ContentEncoding } from '../encode/compress-body.ts';
import type { FormatOptions } from '../encode/page-encoders.ts';
import type { PlannedBatch } from '../plan-page.ts';
import type { ThreadPool } from './thread-pool.ts';
import { NotStartedError, PartRun } from './part-run.ts';
import { encodePart, type NumberedSchema, type PartWork, sizeBytesOf } from './part-work.ts';

/** The maximum size of a page that is encoded as one part, as it is stored. */
const wholeBytesMax = 1.25 * MiB;
/**
 * The target size of the parts of larger pages. What comes back from a thread counts as new for the
 * garbage collector of the main thread: with larger parts, each page starts a collection.
 */
const partBytesMax = 0.75 * MiB;
/**
 * The maximum number of batches of a part whose output may be much larger than its stored size:
 * compressed batches, booleans and nulls. Before compression, a batch usually has 256 KiB at most.
 */
const partBatchesMax = 16;
/** The additional memory for a chunk that is not full. */
const slackBytes = 512 * 1024;
/** The maximum memory that is lent for a part's output at once; a thread allocates the rest. */
const outputBytesMax = 16 * MiB;
/** The assumed size of a page's output, as a multiple of its stored size, until one is known. */
const growthDefault = 2.5;

/** The batches of a page, and their encoding. */
export interface ThreadedPage {
  readonly format: PageFormatName;
  readonly schema: Schema;
  readonly planned: readonly PlannedBatch[];
  /** The same batches, as `partsOf` divides them. */
  readonly parts: readonly (readonly PlannedBatch[])[];
  /** Reads planned batches, in order; each is valid until the next one is requested. */
  readonly read: (planned: readonly PlannedBatch[]) => AsyncIterable<ReadBatch>;
  /** Reads planned batches into memory if they need not be waited for; returns false if not. */
  readonly readInto: (planned: readonly PlannedBatch[], target: Uint8Array) => boolean;
  readonly options: FormatOptions;
  /** The coding of the output; only for pages of one part. */
  readonly contentEncoding: ContentEncoding | undefined;
  /** Called with sizes before compression. */
  readonly onEncoded: (sizeBytes: number) => void;
  readonly signal: AbortSignal | undefined;
}

/**
 * Encodes a page in threads, part by part: while one is sent, the next one is encoded. Parts for
 * which no thread is free are encoded in this thread, and so are those whose thread ended before it
 * started them. Each chunk is valid until the next one is requested.
 *
 * @throws any error of `page.read`; otherwise as `ResultPage.encode`
 */
export async function* encodeInThreads(
  page: ThreadedPage,
  threads: ThreadPool,
): AsyncGenerator<Uint8Array> {
  const { memory } = threads;
  const growth = growths.get(page.schema)?.get(page.format) ?? growthDefault;
  let ahead: PartRun | PartWork | undefined;
  let sizeBytes = 0;
  const onEncoded = (plainBytes: number): void => {
    sizeBytes += plainBytes;
    page.onEncoded(plainBytes);
  };
  try {
    for await (const work of readParts(page, page.parts, memory)) {
      const current = ahead;
      const outputBytes =
        Math.min(outputBytesMax, Math.ceil(sizeBytesOf(work.batches) * growth)) + slackBytes;
      ahead = threads.start(work, outputBytes) ?? work;
      if (current !== undefined) yield* chunksOf(current);
    }
    const last = ahead;
    ahead = undefined;
    if (last !== undefined) yield* chunksOf(last);
    noteGrowth(page, sizeBytes);
  } finally {
    if (ahead instanceof PartRun) ahead.abandon();
    else if (ahead !== undefined) memory.release(new Uint8Array(ahead.input));
  }

  async function* chunksOf(part: PartRun | PartWork): AsyncGenerator<Uint8Array> {
    if (!(part instanceof PartRun)) {
      yield* encodeHere(part, memory, onEncoded);
      return;
    }
    try {
      yield* part.chunks(page.signal);
      onEncoded(part.plainBytes);
    } catch (error) {
      if (!(error instanceof NotStartedError)) throw error;
      // Its batches are lost with the thread.
      for await (const work of readParts(page, [part.work.batches], memory)) {
        yield* encodeHere(work, memory, onEncoded);
      }
    }
  }
}

/** Reads parts of a page into memory, one after the other. */
async function* readParts(
  page: ThreadedPage,
  parts: readonly (readonly PlannedBatch[])[],
  memory: BufferPool,
): AsyncGenerator<PartWork> {
  const { format, options, contentEncoding } = page;
  const schema = numberedSchemaOf(page.schema);
  const ready = readAtOnce(page, parts, memory);
  const reads = page.read(parts.flat())[Symbol.asyncIterator]();
  try {
    for (const batches of parts) {
      const isLast = batches === parts.at(-1);
      const lease = ready.shift() ?? (await readPart(reads, { batches, isLast }, memory));
      const part = {
        isFirst: batches[0] === page.planned[0],
        isLast: batches.at(-1) === page.planned.at(-1),
      };
      const form = { format, options, part, schema, contentEncoding };
      yield { ...form, input: lease.buffer, batches };
    }
  } finally {
    for (const lease of ready) memory.release(lease);
    await reads.return?.();
  }
}

/**
 * Reads all parts of a page that is not large, each into its memory, without waiting; returns none
 * if one of them needs to be waited for.
 */
function readAtOnce(
  page: ThreadedPage,
  parts: readonly (readonly PlannedBatch[])[],
  memory: BufferPool,
): Uint8Array<ArrayBuffer>[] {
  if (sizeBytesOf(parts.flat()) > cachedBytesMax) return [];
  const leases: Uint8Array<ArrayBuffer>[] = [];
  let areRead = false;
  try {
    areRead = parts.every((batches) => {
      const lease = memory.lease(sizeBytesOf(batches));
      leases.push(lease);
      return page.readInto(batches, lease);
    });
  } finally {
    if (!areRead) for (const lease of leases.splice(0)) memory.release(lease);
  }
  return leases;
}

/** Copies the next batches of a read into memory. */
async function readPart(
  reads: AsyncIterator<ReadBatch>,
  { batches, isLast }: { readonly batches: readonly PlannedBatch[]; readonly isLast: boolean },
  memory: BufferPool,
): Promise<Uint8Array<ArrayBuffer>> {
  const lease = memory.lease(sizeBytesOf(batches));
  let isFull = false;
  try {
    const start = batches[0]?.bytes.start ?? 0;
    for (const { bytes } of batches) {
      const next = await reads.next();
      if (next.done !== true) lease.set(next.value.message, bytes.start - start);
    }
    // A read that is left before its end counts as still looked at: its memory would be lost.
    if (isLast) await reads.next();
    isFull = true;
  } finally {
    if (!isFull) memory.release(lease);
  }
  return lease;
}

/** True for the formats whose pages threads may encode in parts. */
const isDivisible: Readonly<Record<PageFormatName, boolean>> = {
  json: true,
  arrow: true,
  csv: true,
  ndjson: true,
  parquet: false,
};

/**
 * Divides the batches of a page into parts of about the same size, none without batches; returns
 * undefined if the page is too large for one part and its format cannot be divided.
 */
export function partsOf(
  format: PageFormatName,
  batches: readonly PlannedBatch[],
): readonly (readonly PlannedBatch[])[] | undefined {
  const sizeBytes = sizeBytesOf(batches);
  if (!isDivisible[format]) return sizeBytes <= wholeBytesMax ? [batches] : undefined;
  const bySize = sizeBytes <= wholeBytesMax ? 1 : Math.ceil(sizeBytes / partBytesMax);
  const partCount = Math.max(bySize, Math.ceil(batches.length / partBatchesMax));
  const batchCount = Math.ceil(batches.length / partCount);
  return Array.from({ length: Math.ceil(batches.length / batchCount) }, (_, index) =>
    batches.slice(index * batchCount, (index + 1) * batchCount),
  );
}

async function* encodeHere(
  work: PartWork,
  memory: BufferPool,
  onEncoded: (sizeBytes: number) => void,
): AsyncGenerator<Uint8Array> {
  const lease = new Uint8Array(work.input);
  let isDone = false;
  try {
    yield* encodePart(work, memory, memory, onEncoded);
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
const numberedSchemas = new WeakMap<Schema, NumberedSchema>();

function numberedSchemaOf(schema: Schema): NumberedSchema {
  const known = numberedSchemas.get(schema);
  if (known !== undefined) return known;
  const entry = { number: (schemaCount += 1), bytes: encodeSchemaMessage(schema).bytes };
  numberedSchemas.set(schema, entry);
  return entry;
}

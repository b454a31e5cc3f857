import type { Schema } from 'apache-arrow';
import type { BufferCodec } from '../arrow/buffer-codec.ts';
import { decodeBatchMessage } from '../arrow/decode-message.ts';
import { encodeBatchMessage, encodeSchemaMessage, endOfStream } from '../arrow/encode-message.ts';
import type { MessageRun, ReadBatch } from '../batch-reader.ts';
import type { Lender } from '../buffer-pool.ts';
import { isReadableBy } from '../plain-batches.ts';
import type { PlannedBatch } from '../plan-page.ts';
import { type PagePart, wholePage } from './page-part.ts';

/**
 * Encodes a page as an Arrow IPC stream.
 *
 * Whole batches pass through unchanged, contiguous ones together; only the batches at the edges are
 * re-encoded. The reader must support the codec of the first batch of each run; other batches of a
 * run that it does not support are yielded again separately.
 *
 * With a pool, a chunk is valid until the next one is requested; without one, the reader may retain
 * it. Source: https://arrow.apache.org/docs/format/Columnar.html#ipc-streaming-format
 */
export async function* encodeArrowStream(
  schema: Schema,
  batches: AsyncIterable<ReadBatch>,
  { codecs = [], part = wholePage }: ArrowForm,
  pool: Lender | undefined,
): AsyncGenerator<Uint8Array> {
  if (part.isFirst) yield new Uint8Array(openingOf(schema));
  /** The index of the last batch that was yielded. */
  let lastIndex = -1;
  let isFinished = false;
  for await (const read of batches) {
    if (read.planned.index <= lastIndex) continue;
    const piece = pieceOf(schema, read, codecs, pool);
    ({ lastIndex, isFinished } = piece);
    let isDone = false;
    try {
      yield pool === undefined && piece.cut === undefined
        ? new Uint8Array(piece.bytes)
        : piece.bytes;
      isDone = true;
    } finally {
      if (piece.cut !== undefined) giveBack(pool, piece.cut, isDone);
    }
  }
  if (!isFinished && part.isLast) yield endOfStream;
}

/** The options of an Arrow stream. */
export interface ArrowForm {
  /** The codecs that the reader supports. Default: none. */
  readonly codecs?: readonly BufferCodec[];
  /** Absent: the batches are those of the whole page. */
  readonly part?: PagePart | undefined;
}

/** All chunks of a stream. */
export interface ArrowChunks {
  /** The chunks, valid until `release`. */
  readonly chunks: readonly Uint8Array[];
  /** Releases their memory; `isStillRead` if a reader may still use the chunks. */
  readonly release: (isStillRead: boolean) => void;
}

/** Returns the same stream for batches in memory, all of which the reader can read. */
export function encodeArrowSync(
  schema: Schema,
  batches: readonly ReadBatch[],
  { codecs = [] }: Pick<ArrowForm, 'codecs'>,
  pool: Lender,
): ArrowChunks {
  const chunks = [openingOf(schema)];
  const cuts: Uint8Array[] = [];
  const release = (isStillRead: boolean): void => {
    for (const cut of cuts) giveBack(pool, cut, !isStillRead);
  };
  try {
    let lastIndex = -1;
    let isFinished = false;
    for (const read of batches) {
      if (read.planned.index <= lastIndex) continue;
      const piece = pieceOf(schema, read, codecs, pool);
      ({ lastIndex, isFinished } = piece);
      if (piece.cut !== undefined) cuts.push(piece.cut);
      chunks.push(piece.bytes);
    }
    if (!isFinished) chunks.push(endOfStream);
    return { chunks, release };
  } catch (error) {
    release(false);
    throw error;
  }
}

/** Opening messages by schema: pages of a cached result share one. */
const openings = new WeakMap<Schema, Uint8Array>();

function openingOf(schema: Schema): Uint8Array {
  const known = openings.get(schema);
  if (known !== undefined) return known;
  const { bytes } = encodeSchemaMessage(schema);
  openings.set(schema, bytes);
  return bytes;
}

/** The output for a batch and for the following batches that are passed through with it. */
interface Piece {
  readonly bytes: Uint8Array;
  /** The index of its last batch. */
  readonly lastIndex: number;
  /** True if it includes the end of the stream. */
  readonly isFinished: boolean;
  /** Memory lent for it; absent if the bytes are those that were read. */
  readonly cut?: Uint8Array;
}

function pieceOf(
  schema: Schema,
  read: ReadBatch,
  codecs: readonly BufferCodec[],
  pool: Lender | undefined,
): Piece {
  const { planned, message, run } = read;
  const { start, end } = planned.rows;
  if (isWhole(planned)) {
    const last = run === undefined ? planned : lastPassing(run, codecs);
    const bytes = run?.bytes.subarray(0, last.bytes.end - planned.bytes.start) ?? message;
    return { bytes, lastIndex: last.index, isFinished: false };
  }
  const batch = decodeBatchMessage(schema, message, end);
  if (batch.rowCount === end - start) {
    return { bytes: message, lastIndex: planned.index, isFinished: false };
  }
  const cut = encodeBatchMessage(schema, [{ batch, start, end }], 'none', pool).bytes;
  const cutAndEnd = end < planned.rowCountMax ? withEndOfStream(cut) : undefined;
  return {
    bytes: cutAndEnd ?? cut,
    lastIndex: planned.index,
    isFinished: cutAndEnd !== undefined,
    cut,
  };
}

/**
 * Returns the last batch of a run that passes through with the first one: the run ends before a
 * batch that must be re-encoded or cannot be read.
 */
function lastPassing({ batches, bytes }: MessageRun, codecs: readonly BufferCodec[]): PlannedBatch {
  const [first, ...others] = batches as [PlannedBatch, ...PlannedBatch[]];
  let last = first;
  for (const batch of others) {
    const { start, end } = batch.bytes;
    const message = bytes.subarray(start - first.bytes.start, end - first.bytes.start);
    if (!isWhole(batch) || !isReadableBy(codecs, message)) break;
    last = batch;
  }
  return last;
}

function giveBack(pool: Lender | undefined, cut: Uint8Array, isDone: boolean): void {
  if (isDone) pool?.release(cut);
  else pool?.abandon(cut);
}

/**
 * Reports whether the page includes all rows of a batch. The last batch of a result may be shorter,
 * which is known once it is decoded.
 */
function isWhole({ rows, rowCountMax }: PlannedBatch): boolean {
  return rows.start === 0 && rows.end === rowCountMax;
}

/**
 * Returns the message with the end of the stream appended, if its memory has space: sending eight
 * bytes separately costs as much as sending the message.
 */
function withEndOfStream({ buffer, byteOffset, byteLength }: Uint8Array): Uint8Array | undefined {
  if (buffer.byteLength - byteOffset < byteLength + endOfStream.length) return undefined;
  const both = new Uint8Array(buffer, byteOffset, byteLength + endOfStream.length);
  both.set(endOfStream, byteLength);
  return both;
}

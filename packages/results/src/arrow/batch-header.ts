import { MessageHeader } from 'apache-arrow';
import { QuireError } from '@quire/core';

/** Which entries of a table have which number (Message.fbs). */
const messageEntries = { headerType: 1, header: 2 } as const;
const batchEntries = { rowCount: 0, nodes: 1, buffers: 2, compression: 3 } as const;
const codecEntry = 0;

/**
 * Of a node: its length and its number of nulls; of a buffer: its offset and its length. Each is an
 * integer of 64 bits.
 */
const pairBytes = 16;

/**
 * The header of a record batch message, read where it lies: columns take their nodes and buffers
 * from it in order.
 *
 * apache-arrow's reader makes an object and four bigints of each; for a page of 10,000 rows that
 * took as long as a tenth of their text. Source:
 * https://github.com/apache/arrow/blob/main/format/Message.fbs, https://flatbuffers.dev/internals/
 */
export class BatchHeader {
  readonly rowCount: number;
  /** The number of the codec that buffers are compressed with. */
  readonly compression: number | undefined;
  /** Of the node that was taken last. */
  length = 0;
  nullCount = 0;
  readonly #view: DataView;
  #node: number;
  readonly #nodesEnd: number;
  #buffer: number;
  readonly #buffersEnd: number;

  /**
   * @throws RESULT_CORRUPT when it is the header of another message
   * @throws RangeError when it leads out of `bytes`
   */
  constructor(bytes: Uint8Array) {
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.#view = view;
    const message = view.getUint32(0, true);
    const typeAt = entryOf(view, message, messageEntries.headerType);
    if (typeAt === 0 || view.getUint8(typeAt) !== MessageHeader.RecordBatch) {
      throw new QuireError('RESULT_CORRUPT', 'A stored message is not a record batch.');
    }
    const batch = targetOf(view, entryOf(view, message, messageEntries.header));
    const rowCountAt = entryOf(view, batch, batchEntries.rowCount);
    this.rowCount = rowCountAt === 0 ? 0 : int64At(view, rowCountAt);
    const compressionAt = entryOf(view, batch, batchEntries.compression);
    this.compression =
      compressionAt === 0 ? undefined : codecOf(view, targetOf(view, compressionAt));
    this.#node = startOfVector(view, entryOf(view, batch, batchEntries.nodes));
    this.#nodesEnd = endOfVector(view, this.#node);
    this.#buffer = startOfVector(view, entryOf(view, batch, batchEntries.buffers));
    this.#buffersEnd = endOfVector(view, this.#buffer);
  }

  /** Nodes that are not taken yet. */
  get nodeCount(): number {
    return (this.#nodesEnd - this.#node) / pairBytes;
  }

  /** Buffers that are not taken yet. */
  get bufferCount(): number {
    return (this.#buffersEnd - this.#buffer) / pairBytes;
  }

  /**
   * Takes the next node: `length` and `nullCount` are of it then. @throws RESULT_CORRUPT when there
   * is none
   */
  takeNode(): void {
    const at = this.#node;
    if (at >= this.#nodesEnd) throw tooFew();
    this.#node = at + pairBytes;
    this.length = int64At(this.#view, at);
    this.nullCount = int64At(this.#view, at + 8);
  }

  /** Takes the bytes of the next buffer. @throws RESULT_CORRUPT when there is none */
  takeBuffer(body: Uint8Array): Uint8Array {
    const at = this.#buffer;
    if (at >= this.#buffersEnd) throw tooFew();
    this.#buffer = at + pairBytes;
    const offset = int64At(this.#view, at);
    return body.subarray(offset, offset + int64At(this.#view, at + 8));
  }
}

/** Where an entry of the table at `table` is; 0 when the table does without it. */
function entryOf(view: DataView, table: number, entry: number): number {
  const entries = table - view.getInt32(table, true);
  const at = 4 + entry * 2;
  if (at >= view.getUint16(entries, true)) return 0;
  const offset = view.getUint16(entries + at, true);
  return offset === 0 ? 0 : table + offset;
}

/** What the reference at `at` leads to. */
function targetOf(view: DataView, at: number): number {
  return at + view.getUint32(at, true);
}

function startOfVector(view: DataView, at: number): number {
  return at === 0 ? 0 : targetOf(view, at) + 4;
}

function endOfVector(view: DataView, start: number): number {
  return start === 0 ? 0 : start + view.getUint32(start - 4, true) * pairBytes;
}

function codecOf(view: DataView, table: number): number {
  const at = entryOf(view, table, codecEntry);
  return at === 0 ? 0 : view.getInt8(at);
}

/** @throws RangeError when it is too large to be a number of rows or bytes */
function int64At(view: DataView, at: number): number {
  const value = view.getUint32(at, true) + view.getInt32(at + 4, true) * 2 ** 32;
  if (!Number.isSafeInteger(value)) throw new RangeError('A header holds a number beyond 2^53.');
  return value;
}

function tooFew(): QuireError {
  return new QuireError(
    'RESULT_CORRUPT',
    'A stored record batch has fewer columns than its schema.',
  );
}

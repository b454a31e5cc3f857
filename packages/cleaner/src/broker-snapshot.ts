import { QuireError, type ObjectEntry, type RequestId } from '@quire/core';
import { dataKeyOf, recordKeyOf, type ResultEntry, type ResultFolder } from '@quire/results';

/** An object under a broker's prefix that no committed result needs. */
export interface OrphanObject extends ObjectEntry {
  readonly requestId: RequestId;
  /** When the youngest object of its folder was stored: a folder that somebody still writes to is young as a whole. */
  readonly folderModifiedMs: number;
}

/** Of a UUID, in bytes; its text without dashes is their hexadecimal form, so that both have the same order. */
const idBytes = 16;
/** Columns grow by pieces: to move them to larger ones would take twice the memory for a while. */
const pieceLength = 1024;
/** More orphans than that wait for a later sweep. */
const orphanCountMax = 100_000;

/**
 * The results of one broker as one listing showed them, in the order of their ids, packed into columns: 48 bytes each, so that
 * a million fit where as many objects would not.
 */
export class BrokerSnapshot {
  readonly brokerId: string;
  #length = 0;
  #lastId = '';
  readonly #pieces: Piece[] = [];
  #sizeBytes = 0;
  #resultBytes = 0;
  readonly #orphans: OrphanObject[] = [];
  #orphanCount = 0;

  constructor(brokerId: string) {
    this.brokerId = brokerId;
  }

  /** Number of committed results. */
  get length(): number {
    return this.#length;
  }

  /** Every byte under the broker's prefix: results, orphans, and what is not ours. */
  get sizeBytes(): number {
    return this.#sizeBytes;
  }

  /** Bytes of committed results. */
  get resultBytes(): number {
    return this.#resultBytes;
  }

  /** The first orphans in key order; as many as one sweep looks at. */
  get orphans(): readonly OrphanObject[] {
    return this.#orphans;
  }

  get orphanCount(): number {
    return this.#orphanCount;
  }

  /** Adds the next folder of the listing. @throws INTERNAL when it does not sort after all before it */
  add(folder: ResultFolder): void {
    this.#sizeBytes += folder.sizeBytes;
    for (const { key, sizeBytes, lastModifiedMs } of folder.orphans) {
      this.#orphanCount += 1;
      if (this.#orphans.length >= orphanCountMax) continue;
      const { requestId, lastModifiedMs: folderModifiedMs } = folder;
      this.#orphans.push({ key, sizeBytes, lastModifiedMs, requestId, folderModifiedMs });
    }
    if (folder.entry !== undefined) this.#append(folder.entry);
  }

  /** Counts an object whose name is not ours: it takes room, and nobody touches it. */
  addForeign(sizeBytes: number): void {
    this.#sizeBytes += sizeBytes;
  }

  requestIdAt(index: number): RequestId {
    const start = (index % pieceLength) * idBytes;
    const hex = this.#pieceAt(index).ids.toString('hex', start, start + idBytes);
    const parts = [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)];
    return parts.join('-') as RequestId;
  }

  submissionTimeMsAt(index: number): number {
    return this.#numberAt(index, 0);
  }

  expirationTimeMsAt(index: number): number {
    return this.#numberAt(index, 1);
  }

  sizeBytesAt(index: number): number {
    return this.#numberAt(index, 2);
  }

  entryAt(index: number): ResultEntry {
    const { brokerId } = this;
    const requestId = this.requestIdAt(index);
    const submissionTimeMs = this.submissionTimeMsAt(index);
    const expirationTimeMs = this.expirationTimeMsAt(index);
    const rowCount = this.#numberAt(index, 3);
    const name = { submissionTimeMs, expirationTimeMs, rowCount };
    const keys = { dataKey: dataKeyOf(brokerId, requestId), recordKey: recordKeyOf(brokerId, requestId, name) };
    return { requestId, brokerId, ...name, sizeBytes: this.sizeBytesAt(index), ...keys };
  }

  /** Where a result is; -1 when it is not here. */
  find(requestId: RequestId): number {
    let low = 0;
    let high = this.#length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.requestIdAt(middle) < requestId) low = middle + 1;
      else high = middle;
    }
    return low < this.#length && this.requestIdAt(low) === requestId ? low : -1;
  }

  #pieceAt(index: number): Piece {
    const piece = this.#pieces[Math.floor(index / pieceLength)];
    if (piece === undefined) throw new RangeError(`A snapshot of ${this.#length} results has none at ${index}.`);
    return piece;
  }

  #numberAt(index: number, column: number): number {
    return this.#pieceAt(index).numbers[(index % pieceLength) * 4 + column] ?? NaN;
  }

  #append(entry: ResultEntry): void {
    const index = this.#length;
    if (this.#lastId >= entry.requestId) {
      throw new QuireError('INTERNAL', `The listing of ${this.brokerId} is out of order at ${entry.requestId}.`);
    }
    this.#lastId = entry.requestId;
    const slot = index % pieceLength;
    if (slot === 0) this.#pieces.push({ ids: Buffer.alloc(pieceLength * idBytes), numbers: new Float64Array(pieceLength * 4) });
    const { ids, numbers } = this.#pieceAt(index);
    ids.write(entry.requestId.replaceAll('-', ''), slot * idBytes, 'hex');
    numbers[slot * 4] = entry.submissionTimeMs;
    numbers[slot * 4 + 1] = entry.expirationTimeMs;
    numbers[slot * 4 + 2] = entry.sizeBytes;
    numbers[slot * 4 + 3] = entry.rowCount;
    this.#length += 1;
    this.#resultBytes += entry.sizeBytes;
  }
}

interface Piece {
  readonly ids: Buffer;
  /** Of each result: submission time, expiration time, bytes, rows. */
  readonly numbers: Float64Array;
}

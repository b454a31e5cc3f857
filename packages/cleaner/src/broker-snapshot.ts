import { QuireError, type ObjectEntry, ownerTagAt, type RequestId } from '@quire/core';
import { dataKeyOf, recordKeyOf, type ResultEntry, type ResultFolder } from '@quire/results';
import { idByteCount, idText, writeId } from './id-bytes.ts';
import { OwnerUsage } from './owner-usage.ts';

/** An object under a broker's prefix that no committed result needs. */
export interface OrphanObject extends ObjectEntry {
  readonly requestId: RequestId;
  /**
   * The time at which the youngest object of its folder was stored: a folder that is still being
   * written to counts as young.
   */
  readonly folderModifiedMs: number;
}

/**
 * The size of a piece as a power of two. Columns grow by pieces, because moving them to larger
 * arrays would temporarily take twice the memory.
 */
const pieceBits = 10;
const pieceLength = 1 << pieceBits;
/** The maximum number of orphans; others wait for a later sweep. */
const orphanCountMax = 100_000;

/**
 * The results of one broker from one listing, in the order of their ids. They are packed into
 * columns of 49 bytes for each result, plus some 100 bytes for each owner, so that a million
 * results fit.
 *
 * Some may be carried over from the previous snapshot, because the listing showed their folders but
 * did not list them (`RememberedResults`).
 */
export class BrokerSnapshot {
  readonly brokerId: string;
  #length = 0;
  #carriedOverCount = 0;
  readonly #pieces: Piece[] = [];
  #sizeBytes = 0;
  #resultBytes = 0;
  readonly #owners = new OwnerUsage();
  readonly #orphans: OrphanObject[] = [];
  #orphanCount = 0;

  constructor(brokerId: string) {
    this.brokerId = brokerId;
  }

  /** Number of committed results. */
  get length(): number {
    return this.#length;
  }

  /** The number of results that are carried over from an earlier snapshot. */
  get carriedOverCount(): number {
    return this.#carriedOverCount;
  }

  /** The size of everything under the broker's prefix: results, orphans, and foreign objects. */
  get sizeBytes(): number {
    return this.#sizeBytes;
  }

  /** The size of committed results. */
  get resultBytes(): number {
    return this.#resultBytes;
  }

  /** The committed results of each owner, counted. */
  get owners(): OwnerUsage {
    return this.#owners;
  }

  /** The first orphans in key order, as many as one sweep handles. */
  get orphans(): readonly OrphanObject[] {
    return this.#orphans;
  }

  get orphanCount(): number {
    return this.#orphanCount;
  }

  /**
   * Adds the next folder of the listing. @throws INTERNAL when it does not sort after all earlier
   * ones
   */
  add(folder: ResultFolder): void {
    this.#sizeBytes += folder.sizeBytes;
    for (const { key, sizeBytes, lastModifiedMs } of folder.orphans) {
      this.#orphanCount += 1;
      if (this.#orphans.length >= orphanCountMax) continue;
      const { requestId, lastModifiedMs: folderModifiedMs } = folder;
      this.#orphans.push({ key, sizeBytes, lastModifiedMs, requestId, folderModifiedMs });
    }
    if (folder.entry !== undefined) this.#append(folder.entry, folder.orphans.length === 0);
  }

  /**
   * Adds the next result from an earlier snapshot of this broker. @throws INTERNAL when it does not
   * sort after all earlier ones
   */
  carryOver(earlier: BrokerSnapshot, index: number): void {
    const [from, fromSlot] = [earlier.#pieceAt(index), index % pieceLength];
    const { ids, numbers, areSettled, slot } = this.#extend();
    ids.set(
      from.ids.subarray(fromSlot * idByteCount, (fromSlot + 1) * idByteCount),
      slot * idByteCount,
    );
    for (let column = 0; column < 4; column += 1) {
      numbers[slot * 4 + column] = from.numbers[fromSlot * 4 + column] ?? NaN;
    }
    areSettled[slot] = 1;
    this.#end(earlier.sizeBytesAt(index));
    this.#sizeBytes += earlier.sizeBytesAt(index);
    this.#carriedOverCount += 1;
  }

  /**
   * Reports whether the folder of a result contains only its data and its one commit record, and
   * both are unchanged.
   */
  isSettledAt(index: number): boolean {
    return this.#pieceAt(index).areSettled[index % pieceLength] === 1;
  }

  /** Records that the content of a result's folder may have changed. */
  unsettle(index: number): void {
    this.#pieceAt(index).areSettled[index % pieceLength] = 0;
  }

  /** Counts a foreign object: it takes space, and is never deleted. */
  addForeign(sizeBytes: number): void {
    this.#sizeBytes += sizeBytes;
  }

  requestIdAt(index: number): RequestId {
    return idText(this.#pieceAt(index).ids, (index % pieceLength) * idByteCount) as RequestId;
  }

  /** Returns the tag of a result's owner; undefined when its id has none. */
  ownerTagAt(index: number): number | undefined {
    return ownerTagAt(this.#pieceAt(index).ids, (index % pieceLength) * idByteCount);
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
    const keys = {
      dataKey: dataKeyOf(brokerId, requestId),
      recordKey: recordKeyOf(brokerId, requestId, name),
    };
    return { requestId, brokerId, ...name, sizeBytes: this.sizeBytesAt(index), ...keys };
  }

  /** Returns the index of a result; -1 if it is not in the snapshot. */
  find(requestId: string): number {
    return writeId(wanted, 0, requestId, 0) ? this.findId(wanted) : -1;
  }

  /** Finds a result as `find` does, by the bytes of an id. */
  findId(id: Uint8Array): number {
    let low = 0;
    let high = this.#length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      const order = this.compareAt(middle, id);
      if (order === 0) return middle;
      if (order < 0) low = middle + 1;
      else high = middle;
    }
    return -1;
  }

  /**
   * Compares the id at an index with an id given by its bytes: negative if the first one sorts
   * before the second, positive if after it.
   */
  compareAt(index: number, id: Uint8Array): number {
    const { ids } = this.#pieceAt(index);
    const start = (index % pieceLength) * idByteCount;
    for (let byte = 0; byte < idByteCount; byte += 1) {
      const order = (ids[start + byte] ?? 0) - (id[byte] ?? 0);
      if (order !== 0) return order;
    }
    return 0;
  }

  #pieceAt(index: number): Piece {
    const piece = this.#pieces[index >>> pieceBits];
    if (piece === undefined) {
      throw new RangeError(
        `A snapshot of ${this.#length} results has no result at index ${index}.`,
      );
    }
    return piece;
  }

  #numberAt(index: number, column: number): number {
    return this.#pieceAt(index).numbers[(index % pieceLength) * 4 + column] ?? NaN;
  }

  #append(entry: ResultEntry, isSettled: boolean): void {
    const { ids, numbers, areSettled, slot } = this.#extend();
    writeId(ids, slot * idByteCount, entry.requestId, 0);
    numbers[slot * 4] = entry.submissionTimeMs;
    numbers[slot * 4 + 1] = entry.expirationTimeMs;
    numbers[slot * 4 + 2] = entry.sizeBytes;
    numbers[slot * 4 + 3] = entry.rowCount;
    areSettled[slot] = isSettled ? 1 : 0;
    this.#end(entry.sizeBytes);
  }

  /** Adds space for the next result. */
  #extend(): Piece & { readonly slot: number } {
    const slot = this.#length % pieceLength;
    if (slot === 0) {
      this.#pieces.push({
        ids: new Uint8Array(pieceLength * idByteCount),
        numbers: new Float64Array(pieceLength * 4),
        areSettled: new Uint8Array(pieceLength),
      });
    }
    const piece = this.#pieces.at(-1);
    if (piece === undefined) throw new RangeError('A snapshot has lost its pieces.');
    return { ...piece, slot };
  }

  /** Counts a result that was appended. */
  #end(sizeBytes: number): void {
    const index = this.#length;
    this.#length += 1;
    this.#resultBytes += sizeBytes;
    this.#owners.add(this.ownerTagAt(index), sizeBytes);
    const start = (index % pieceLength) * idByteCount;
    const id = this.#pieceAt(index).ids.subarray(start, start + idByteCount);
    if (index > 0 && this.compareAt(index - 1, id) >= 0) {
      throw new QuireError(
        'INTERNAL',
        `The listing of ${this.brokerId} is out of order at ${this.requestIdAt(index)}.`,
      );
    }
  }
}

/** The bytes of the id that the current search looks for. */
const wanted = new Uint8Array(idByteCount);

interface Piece {
  readonly ids: Uint8Array;
  /** For each result: submission time, expiration time, bytes, rows. */
  readonly numbers: Float64Array;
  /** For each result, 1 if it is the only content of its folder. */
  readonly areSettled: Uint8Array;
}

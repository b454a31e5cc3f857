import { QuireError, type ObjectEntry, type RequestId } from '@quire/core';
import { dataKeyOf, recordKeyOf, type ResultEntry, type ResultFolder } from '@quire/results';

/** An object under a broker's prefix that no committed result needs. */
export interface OrphanObject extends ObjectEntry {
  readonly requestId: RequestId;
  /** When the youngest object of its folder was stored: a folder that somebody still writes to is young as a whole. */
  readonly folderModifiedMs: number;
}

const idLength = 36;
/** More orphans than that wait for a later sweep. */
const orphanCountMax = 100_000;

/**
 * The results of one broker as one listing showed them, in the order of their ids, packed into columns: 68 bytes each, so that
 * a million fit where as many objects would not.
 */
export class BrokerSnapshot {
  readonly brokerId: string;
  #length = 0;
  #lastId = '';
  #ids = Buffer.alloc(0);
  #numbers = new Float64Array(0);
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

  /** Every byte under the broker's prefix: results, orphans, and what is none of ours. */
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

  /** Counts an object whose name is none of ours: it takes room, and nobody touches it. */
  addForeign(sizeBytes: number): void {
    this.#sizeBytes += sizeBytes;
  }

  requestIdAt(index: number): RequestId {
    return this.#ids.toString('latin1', index * idLength, (index + 1) * idLength) as RequestId;
  }

  submissionTimeMsAt(index: number): number {
    return this.#numbers[index * 4] ?? NaN;
  }

  expirationTimeMsAt(index: number): number {
    return this.#numbers[index * 4 + 1] ?? NaN;
  }

  sizeBytesAt(index: number): number {
    return this.#numbers[index * 4 + 2] ?? NaN;
  }

  entryAt(index: number): ResultEntry {
    const { brokerId } = this;
    const requestId = this.requestIdAt(index);
    const submissionTimeMs = this.submissionTimeMsAt(index);
    const expirationTimeMs = this.expirationTimeMsAt(index);
    const rowCount = this.#numbers[index * 4 + 3] ?? NaN;
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

  #append(entry: ResultEntry): void {
    const index = this.#length;
    if (this.#lastId >= entry.requestId) {
      throw new QuireError('INTERNAL', `The listing of ${this.brokerId} is out of order at ${entry.requestId}.`);
    }
    this.#lastId = entry.requestId;
    if (index * idLength === this.#ids.byteLength) this.#grow();
    this.#ids.write(entry.requestId, index * idLength, 'latin1');
    this.#numbers.set([entry.submissionTimeMs, entry.expirationTimeMs, entry.sizeBytes, entry.rowCount], index * 4);
    this.#length += 1;
    this.#resultBytes += entry.sizeBytes;
  }

  #grow(): void {
    const capacity = Math.max(64, Math.ceil(this.#length * 1.5));
    const ids = Buffer.alloc(capacity * idLength);
    ids.set(this.#ids);
    this.#ids = ids;
    const numbers = new Float64Array(capacity * 4);
    numbers.set(this.#numbers);
    this.#numbers = numbers;
  }
}

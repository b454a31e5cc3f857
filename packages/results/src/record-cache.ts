import { type CallOptions, type Clock, MiB, type ObjectStore, type RequestId } from '@quire/core';
import { unlessAborted } from '@quire/core/wait';
import type { DataType, Field } from 'apache-arrow';
import { LRUCache } from 'lru-cache';
import type { BatchSpans } from './batch-spans.ts';
import type { OpenRecord } from './commit-record.ts';
import { isStored } from './result-finder.ts';

interface RecordCacheParts {
  readonly store: Pick<ObjectStore, 'head'>;
  readonly clock: Clock;
  /**
   * Returns the time for which a cached record is used without asking the store again, in
   * milliseconds.
   */
  readonly stalenessMaxMs: () => number;
}

const cacheBytesMax = 16 * MiB;
/** The approximate memory of the parts of a parsed record, and of the rest of it. */
const bytesPerNumber = 8;
const bytesPerCharacter = 2;
const bytesPerField = 512;
const bytesPerRecord = 4096;
const ownersMax = 100_000;

/** The most recently used commit records, and the owners of many more results. */
export class RecordCache {
  readonly #parts: RecordCacheParts;
  readonly #checks = new Map<string, Promise<boolean>>();
  /** The owners are cached longer than records, for results that are removed unopened. */
  readonly #owners = new LRUCache<RequestId, string>({
    maxSize: ownersMax,
    sizeCalculation: () => 1,
  });
  readonly #records = new LRUCache<RequestId, OpenRecord>({
    maxSize: cacheBytesMax,
    sizeCalculation: ({ record: { spans, schema, sql = '' } }) =>
      bytesPerRecord +
      numberCountOf(spans) * bytesPerNumber +
      sql.length * bytesPerCharacter +
      sizeOfFields(schema.fields),
  });

  constructor(parts: RecordCacheParts) {
    this.#parts = parts;
  }

  get(requestId: RequestId): OpenRecord | undefined {
    return this.#records.get(requestId);
  }

  set(open: OpenRecord): void {
    this.#records.set(open.entry.requestId, open);
    this.#owners.set(open.entry.requestId, open.record.owner);
  }

  delete(requestId: RequestId): void {
    this.#records.delete(requestId);
  }

  ownerOf(requestId: RequestId): string | undefined {
    return this.#owners.get(requestId);
  }

  /**
   * Reports whether the store was seen to have the record recently enough that no request is
   * needed.
   */
  isFresh({ seenMs }: OpenRecord): boolean {
    const { clock, stalenessMaxMs } = this.#parts;
    return clock.monotonicMs() - seenMs < stalenessMaxMs();
  }

  /**
   * Checks that the store still has a cached record, which another process may have removed or
   * replaced. Makes no request while it is fresh, otherwise one `head`, shared by concurrent
   * callers.
   */
  async confirm(open: OpenRecord, { signal }: CallOptions): Promise<boolean> {
    if (this.isFresh(open)) return true;
    const { recordKey } = open.entry;
    let check = this.#checks.get(recordKey);
    if (check === undefined) {
      check = this.#check(open).finally(() => this.#checks.delete(recordKey));
      this.#checks.set(recordKey, check);
    }
    return unlessAborted(check, signal);
  }

  async #check(open: OpenRecord): Promise<boolean> {
    const { requestId, recordKey } = open.entry;
    const seenMs = this.#parts.clock.monotonicMs();
    const isThere = await isStored(this.#parts.store, recordKey);
    // This process may have replaced or removed the record during the request.
    if (this.#records.get(requestId)?.entry.recordKey === recordKey) {
      if (isThere) this.#records.set(requestId, { ...open, seenMs });
      else this.delete(requestId);
    }
    return isThere;
  }
}

function numberCountOf({ ends, checksums, rowEnds = [] }: BatchSpans): number {
  return ends.length + checksums.length + rowEnds.length;
}

/** Returns the approximate memory of fields and those within them. */
function sizeOfFields(fields: readonly Field<DataType>[]): number {
  let sizeBytes = 0;
  for (const { name, type } of fields) {
    const children = (type.children ?? []) as readonly Field<DataType>[];
    sizeBytes += bytesPerField + name.length * bytesPerCharacter + sizeOfFields(children);
  }
  return sizeBytes;
}

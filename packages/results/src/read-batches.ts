import { crc32 } from 'node:zlib';
import { type CallOptions, type ObjectStore, QuireError, throwIfAborted } from '@quire/core';
import type { BatchCache } from './batch-cache.ts';
import type { PagePlan, PlannedBatch } from './plan-page.ts';

/** A batch message, proven to be the one that was written. */
export interface ReadBatch {
  readonly planned: PlannedBatch;
  readonly message: Uint8Array;
}

/**
 * Reads the batches of a plan in order, with at most one ranged read, which covers the batches that the cache lacks; holds one
 * batch at a time.
 *
 * @throws RESULT_CORRUPT when a batch does not match its checksum
 * @throws OBJECT_NOT_FOUND when the data file is gone
 */
export async function* readBatches(
  store: ObjectStore,
  dataKey: string,
  plan: PagePlan,
  cache: BatchCache,
  options: CallOptions = {},
): AsyncGenerator<ReadBatch> {
  const cached = plan.batches.map((batch) => cache.get(dataKey, batch.index));
  const firstMissing = cached.indexOf(undefined);
  const lastMissing = cached.lastIndexOf(undefined);
  // A page that is a large part of the cache would only push everybody else's batches out.
  const isCacheable = (plan.bytes.end - plan.bytes.start) * 4 <= cache.sizeBytesMax;

  const start = plan.batches[firstMissing]?.bytes.start;
  const end = plan.batches[lastMissing]?.bytes.end;
  const object =
    start === undefined || end === undefined ? undefined : await store.get(dataKey, { ...options, range: { start, end } });
  await using _ = object;
  const messages = object === undefined ? undefined : new MessageCutter(object.body);
  for (const [position, planned] of plan.batches.entries()) {
    throwIfAborted(options.signal);
    const hit = cached[position];
    if (messages === undefined || position < firstMissing || position > lastMissing) {
      if (hit !== undefined) yield { planned, message: hit };
      continue;
    }
    const message = await messages.take(planned.bytes.end - planned.bytes.start);
    if (crc32(message) !== planned.checksum) {
      throw new QuireError('RESULT_CORRUPT', `Batch ${planned.index} of ${dataKey} does not match its checksum.`);
    }
    if (isCacheable) cache.set(dataKey, planned.index, message);
    yield { planned, message };
  }
}

/** Cuts a stream of chunks into pieces of known lengths. */
class MessageCutter {
  readonly #chunks: AsyncIterator<Uint8Array>;
  #rest: Uint8Array = new Uint8Array(0);

  constructor(body: AsyncIterable<Uint8Array>) {
    this.#chunks = body[Symbol.asyncIterator]();
  }

  /** The next `length` bytes, at an address that typed arrays can be laid over. */
  async take(length: number): Promise<Uint8Array> {
    if (this.#rest.byteLength === 0) await this.#pull();
    if (this.#rest.byteLength >= length && this.#rest.byteOffset % 8 === 0) {
      const whole = this.#rest.subarray(0, length);
      this.#rest = this.#rest.subarray(length);
      return whole;
    }
    const message = new Uint8Array(length);
    for (let filled = 0; filled < length;) {
      if (this.#rest.byteLength === 0) await this.#pull();
      const piece = this.#rest.subarray(0, length - filled);
      message.set(piece, filled);
      filled += piece.byteLength;
      this.#rest = this.#rest.subarray(piece.byteLength);
    }
    return message;
  }

  async #pull(): Promise<void> {
    const next = await this.#chunks.next();
    if (next.done === true) throw new QuireError('OBJECT_SHORT_READ', 'A data file ended before its batches did.');
    this.#rest = next.value;
  }
}

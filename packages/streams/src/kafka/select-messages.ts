import type { FetchLimits, StreamMessage } from '../message-stream.ts';
import type { RecordBatch } from './record-batches.ts';

/** An aborted transaction of a producer, and the offset of its first message. */
export interface AbortedTransaction {
  readonly producerId: bigint;
  readonly firstOffset: bigint;
}

/** Bits of a batch's attributes (https://kafka.apache.org/documentation/#recordbatch). */
const logAppendTime = 1 << 3;
const transactional = 1 << 4;
const control = 1 << 5;

/**
 * Returns the messages of fetched batches from an offset, within the limits, and the next offset.
 * Transaction markers and messages of aborted transactions are omitted; the offset skips them, and
 * compacted messages.
 */
export function selectMessages(
  batches: Iterable<RecordBatch>,
  aborted: readonly AbortedTransaction[],
  fromOffset: number,
  limits: FetchLimits,
): { readonly messages: readonly StreamMessage[]; readonly nextOffset: number } {
  const messages: StreamMessage[] = [];
  const transactions = new AbortedTransactions(aborted);
  let takenBytes = 0;
  let nextOffset = fromOffset;
  for (const batch of batches) {
    const isVisible = transactions.isVisible(batch);
    const firstOffset = Number(batch.firstOffset);
    const timestampOf = timestampsOf(batch);
    for (const record of isVisible ? batch.records : []) {
      const offset = firstOffset + record.offsetDelta;
      // A batch is always complete, even if the requested offset is within it.
      if (offset < fromOffset) continue;
      takenBytes += (record.key?.byteLength ?? 0) + (record.value?.byteLength ?? 0);
      const isOver = messages.length > 0 && takenBytes > limits.bytesMax;
      if (isOver || messages.length >= limits.messagesMax) return { messages, nextOffset };
      messages.push({
        offset,
        key: record.key,
        value: record.value,
        timestampMs: timestampOf(record.timestampDelta),
      });
      nextOffset = offset + 1;
    }
    nextOffset = Math.max(nextOffset, Number(batch.firstOffset) + batch.lastOffsetDelta + 1);
  }
  return { messages, nextOffset };
}

/** Tracks transactions through the batches of a partition, in order. */
class AbortedTransactions {
  /** The transactions that have not started yet, in order. */
  readonly #ahead: AbortedTransaction[];
  readonly #open = new Set<bigint>();

  constructor(aborted: readonly AbortedTransaction[]) {
    this.#ahead = aborted.toSorted((one, other) => Number(one.firstOffset - other.firstOffset));
  }

  isVisible({ firstOffset, lastOffsetDelta, attributes, producerId }: RecordBatch): boolean {
    const lastOffset = firstOffset + BigInt(lastOffsetDelta);
    for (
      let next = this.#ahead[0];
      next !== undefined && next.firstOffset <= lastOffset;
      next = this.#ahead[0]
    ) {
      this.#open.add(next.producerId);
      this.#ahead.shift();
    }
    if ((attributes & control) !== 0) {
      // The transaction ends in either case: a producer has one transaction at a time.
      this.#open.delete(producerId);
      return false;
    }
    return (attributes & transactional) === 0 || !this.#open.has(producerId);
  }
}

/** Returns the function from the timestamp delta of a record of a batch to its time. */
function timestampsOf({
  attributes,
  firstTimestamp,
  maxTimestamp,
}: RecordBatch): (delta: number) => number | null {
  const isOfBatch = (attributes & logAppendTime) !== 0;
  const baseMs = Number(isOfBatch ? maxTimestamp : firstTimestamp);
  return (delta) => {
    const timeMs = isOfBatch ? baseMs : baseMs + delta;
    return timeMs < 0 ? null : timeMs;
  };
}

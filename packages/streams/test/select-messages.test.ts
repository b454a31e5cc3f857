import { describe, expect, test } from 'vitest';
import type { RecordBatch } from '../src/kafka/record-batches.ts';
import { type AbortedTransaction, selectMessages } from '../src/kafka/select-messages.ts';

const transactional = 1 << 4;
const control = 1 << 5;
const limits = { messagesMax: 100, bytesMax: 10_000, waitMs: 0 };

/** Creates a batch of records with these offsets, of five bytes each. */
function batch(offsets: readonly number[], options: Partial<RecordBatch> = {}): RecordBatch {
  const [first = 0] = offsets;
  const records = offsets.map((offset) => ({
    offsetDelta: offset - first,
    timestampDelta: offset - first,
    key: null,
    value: Buffer.from(`m${String(offset).padStart(4, '0')}`),
  }));
  return {
    firstOffset: BigInt(first),
    lastOffsetDelta: (offsets.at(-1) ?? first) - first,
    attributes: 0,
    firstTimestamp: 1000n,
    maxTimestamp: 2000n,
    producerId: -1n,
    records,
    ...options,
  };
}

function select(
  batches: readonly RecordBatch[],
  fromOffset: number,
  aborted: readonly AbortedTransaction[] = [],
): unknown {
  const { messages, nextOffset } = selectMessages(batches, aborted, fromOffset, limits);
  return [messages.map(({ offset }) => offset), nextOffset];
}

describe('selectMessages', () => {
  test('selectMessages leaves out what comes before the offset, and goes on past what compaction took at the end of a batch', () => {
    expect(select([batch([3, 4, 7], { lastOffsetDelta: 9 })], 4)).toEqual([[4, 7], 13]);
    expect(select([], 4)).toEqual([[], 4]);
    expect(select([batch([], { firstOffset: 4n, lastOffsetDelta: 3 })], 4)).toEqual([[], 8]);
  });

  test('selectMessages cuts at the limits, within a batch, and goes on with the next message', () => {
    const batches = [batch([0, 1]), batch([5, 6])];
    const cut = (messagesMax: number, bytesMax: number): unknown => {
      const { messages, nextOffset } = selectMessages(batches, [], 0, {
        messagesMax,
        bytesMax,
        waitMs: 0,
      });
      return [messages.map(({ offset }) => offset), nextOffset];
    };
    expect(cut(1, 1000)).toEqual([[0], 1]);
    expect(cut(3, 1000)).toEqual([[0, 1, 5], 6]);
    expect(cut(10, 10)).toEqual([[0, 1], 2]);
    expect(cut(10, 1)).toEqual([[0], 1]);
  });

  test('selectMessages leaves out aborted transactions of a producer, not its next one, and not those of others', () => {
    const of = (producerId: bigint, offsets: readonly number[]): RecordBatch =>
      batch(offsets, { producerId, attributes: transactional });
    const mark = (producerId: bigint, offset: number): RecordBatch =>
      batch([offset], { producerId, attributes: transactional | control });
    const batches = [
      of(1n, [0]),
      of(2n, [1]),
      of(1n, [2]),
      mark(1n, 3),
      mark(2n, 4),
      of(1n, [5]),
      mark(1n, 6),
      batch([7]),
    ];
    expect(select(batches, 0, [{ producerId: 1n, firstOffset: 0n }])).toEqual([[1, 5, 7], 8]);
    expect(select(batches, 0)).toEqual([[0, 1, 2, 5, 7], 8]);
  });

  test('selectMessages tells times as the topic keeps them: of the producer, or of the broker; none where there is none', () => {
    const timesOf = (options: Partial<RecordBatch>): unknown =>
      selectMessages([batch([0, 1], options)], [], 0, limits).messages.map(
        ({ timestampMs }) => timestampMs,
      );
    expect(timesOf({})).toEqual([1000, 1001]);
    expect(timesOf({ attributes: 1 << 3 })).toEqual([2000, 2000]);
    expect(timesOf({ firstTimestamp: -10n })).toEqual([null, null]);
  });
});

import { compressionsAlgorithmsByBitmask, createRecordsBatch } from '@platformatic/kafka';
import { describe, expect, test } from 'vitest';
import { readRecordBatches } from '../src/kafka/record-batches.ts';

type Compression = 'none' | 'gzip' | 'snappy' | 'lz4' | 'zstd';

interface Message {
  readonly key?: string;
  readonly value?: string;
  readonly timestamp?: bigint;
  readonly headers?: ReadonlyMap<string, string>;
}

/** Encodes a batch as the client does for a producer. */
function batchOf(messages: readonly Message[], compression: Compression = 'none'): Buffer {
  const records = messages.map(({ key, value, timestamp = 1_000n, headers }) => ({
    topic: 'a',
    key: key === undefined ? undefined : Buffer.from(key),
    value: value === undefined ? undefined : Buffer.from(value),
    timestamp,
    headers: new Map([...(headers ?? [])].map(([k, v]) => [Buffer.from(k), Buffer.from(v)])),
  }));
  return createRecordsBatch(records as never, { compression }).buffer;
}

/** Returns the records of all batches, with texts. */
function read(bytes: Buffer): unknown {
  return [...readRecordBatches(bytes)].map(({ records }) =>
    [...records].map(({ key, value, ...rest }) => {
      return { ...rest, key: key?.toString() ?? null, value: value?.toString() ?? null };
    }),
  );
}

const record = (offsetDelta: number, value: string | null, more: object = {}): object => {
  return { offsetDelta, timestampDelta: 0, key: null, value, ...more };
};

describe('readRecordBatches', () => {
  test('readRecordBatches reads keys, values, times before and after the first, and skips headers', () => {
    const headers = new Map([['trace', 'x'.repeat(200)]]);
    const bytes = batchOf([
      { key: 'k', value: 'one', headers },
      { value: 'two', timestamp: 1_000_001_000n },
      { key: '', value: '', timestamp: 400n },
      { value: 'y'.repeat(100_000) },
    ]);
    expect(read(bytes)).toEqual([
      [
        record(0, 'one', { key: 'k' }),
        record(1, 'two', { timestampDelta: 1_000_000_000 }),
        record(2, '', { key: '', timestampDelta: -600 }),
        record(3, 'y'.repeat(100_000)),
      ],
    ]);
  });

  test.each([1, 100])(
    'readRecordBatches refuses a message of %i bytes in the format of Kafka before 0.11',
    (size) => {
      const message = Buffer.alloc(34 + size);
      message.writeInt32BE(message.byteLength - 12, 8);
      message.writeInt8(1, 16); // the version
      message.writeInt32BE(-1, 26); // no key
      message.writeInt32BE(size, 30);
      expect(() => read(message)).toThrow(
        expect.objectContaining({
          code: 'PLT_KFK_UNSUPPORTED',
          message: 'It has messages in the format of Kafka before 0.11.',
        }),
      );
    },
  );

  test('readRecordBatches reads times that are decades after the first', () => {
    // The client writes differences of 2^31 ms and more incorrectly, other producers do not:
    // 999,999,999,000 in zigzag encoding is 1,999,999,998,000.
    const delta = Buffer.from('b0b0a8ca9a3a', 'hex');
    const fields = Buffer.concat([Buffer.of(0), delta, Buffer.of(0, 1, 2, 0x61, 0)]);
    const header = batchOf([{ value: 'a' }]).subarray(0, 61);
    const bytes = Buffer.concat([header, Buffer.of(2 * fields.byteLength), fields]);
    bytes.writeInt32BE(bytes.byteLength - 12, 8);
    expect(read(bytes)).toEqual([[record(0, 'a', { timestampDelta: 999_999_999_000 })]]);
  });

  test('readRecordBatches reads messages without a value', () => {
    expect(read(batchOf([{ key: 'k' }]))).toEqual([[record(0, null, { key: 'k' })]]);
  });

  test.each<Compression>(['gzip', 'snappy', 'lz4', 'zstd'])(
    'readRecordBatches reads batches of %s',
    (compression) => {
      const values = Array.from({ length: 300 }, (_, index) => `value ${index}`);
      const bytes = batchOf(
        values.map((value) => ({ value })),
        compression,
      );
      expect(read(bytes)).toEqual([values.map((value, index) => record(index, value))]);
    },
  );

  test('readRecordBatches has the members of each batch', () => {
    const bytes = batchOf([{ value: 'a' }, { value: 'b', timestamp: 5_000n }], 'gzip');
    bytes.writeBigInt64BE(77n, 0);
    const [{ records: _records, ...batch } = { records: [] }] = readRecordBatches(bytes);
    expect(batch).toEqual({
      firstOffset: 77n,
      lastOffsetDelta: 1,
      attributes: 1,
      firstTimestamp: 1_000n,
      maxTimestamp: 5_000n,
      producerId: -1n,
    });
  });

  test('readRecordBatches leaves out an incomplete batch at the end, wherever it is cut', () => {
    const [first, second] = [batchOf([{ value: 'a' }]), batchOf([{ value: 'b' }])];
    const both = Buffer.concat([first, second]);
    for (let end = 0; end <= both.byteLength; end += 1) {
      const count = end === both.byteLength ? 2 : end >= first.byteLength ? 1 : 0;
      expect([...readRecordBatches(both.subarray(0, end))]).toHaveLength(count);
    }
  });

  test('readRecordBatches stops at a length that a batch cannot have', () => {
    const bytes = batchOf([{ value: 'a' }]);
    for (const length of [-1, 0, 48]) {
      bytes.writeInt32BE(length, 8);
      expect(read(bytes)).toEqual([]);
    }
  });

  test('readRecordBatches refuses a compression that it does not know only once records are read', () => {
    const bytes = batchOf([{ value: 'a' }]);
    const unknown = 7;
    expect(compressionsAlgorithmsByBitmask[unknown]).toBeUndefined();
    bytes.writeInt16BE(unknown, 21);
    const [batch] = readRecordBatches(bytes);
    expect(batch?.attributes).toBe(unknown);
    expect(() => [...(batch?.records ?? [])]).toThrow('Compression 7 of a batch is not supported.');
  });
});

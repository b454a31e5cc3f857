import {
  compressionsAlgorithmsByBitmask,
  UnsupportedCompressionError,
  UnsupportedError,
} from '@platformatic/kafka';

/** A batch of records (https://kafka.apache.org/documentation/#recordbatch). */
export interface RecordBatch {
  readonly firstOffset: bigint;
  readonly lastOffsetDelta: number;
  readonly attributes: number;
  readonly firstTimestamp: bigint;
  readonly maxTimestamp: bigint;
  readonly producerId: bigint;
  /** The records in order, which are decompressed and read only when this is iterated over. */
  readonly records: Iterable<KafkaRecord>;
}

/** One record, whose key and value are parts of its batch. */
export interface KafkaRecord {
  readonly offsetDelta: number;
  /** Milliseconds since the first timestamp of the batch. */
  readonly timestampDelta: number;
  readonly key: Buffer | null;
  readonly value: Buffer | null;
}

/** The bits of a batch's attributes that name its compression. */
const compressionMask = 0b111;
/** The bytes of a batch up to its length, which the length does not count. */
const lengthEnd = 12;
/** The position of the version of the format, which is the same in all versions. */
const versionAt = 16;
/** The bytes of a batch before its records. */
const headerBytes = 61;

/**
 * Reads the complete batches of an answer, in order.
 *
 * @throws UnsupportedError when messages are in the format of Kafka before 0.11
 */
export function* readRecordBatches(bytes: Buffer): Generator<RecordBatch> {
  for (let start = 0; start + versionAt < bytes.byteLength;) {
    if (bytes[start + versionAt] !== 2) {
      throw new UnsupportedError('It has messages in the format of Kafka before 0.11.');
    }
    if (start + headerBytes > bytes.byteLength) return;
    const end = start + lengthEnd + bytes.readInt32BE(start + 8);
    if (end > bytes.byteLength || end < start + headerBytes) return;
    const batch = bytes.subarray(start, end);
    yield {
      firstOffset: batch.readBigInt64BE(0),
      attributes: batch.readInt16BE(21),
      lastOffsetDelta: batch.readInt32BE(23),
      firstTimestamp: batch.readBigInt64BE(27),
      maxTimestamp: batch.readBigInt64BE(35),
      producerId: batch.readBigInt64BE(43),
      records: { [Symbol.iterator]: () => readRecords(batch) },
    };
    start = end;
  }
}

function* readRecords(batch: Buffer): Generator<KafkaRecord> {
  const count = batch.readInt32BE(57);
  const reader = new VarIntReader(decompress(batch));
  for (let index = 0; index < count; index += 1) {
    const length = reader.read();
    const end = reader.position + length;
    reader.position += 1; // attributes, of which there are none yet
    const timestampDelta = reader.read();
    const offsetDelta = reader.read();
    const key = reader.readBytes();
    const value = reader.readBytes();
    yield { offsetDelta, timestampDelta, key, value };
    // The headers are skipped.
    reader.position = end;
  }
}

/** Returns the records of a batch. @throws UnsupportedCompressionError */
function decompress(batch: Buffer): Buffer {
  const records = batch.subarray(headerBytes);
  const compression = batch.readInt16BE(21) & compressionMask;
  if (compression === 0) return records;
  const algorithm = compressionsAlgorithmsByBitmask[compression];
  if (algorithm === undefined) {
    throw new UnsupportedCompressionError(
      `Compression ${compression} of a batch is not supported.`,
    );
  }
  return algorithm.decompressSync(records);
}

/** Reads integers of variable length, in the zigzag encoding of Protocol Buffers. */
class VarIntReader {
  position = 0;
  readonly #bytes: Buffer;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  /** Reads an integer of up to 53 bits. */
  read(): number {
    let byte = this.#bytes[this.position] ?? 0;
    this.position += 1;
    let value = byte & 0x7f;
    for (let factor = 0x80; byte >= 0x80; factor *= 0x80) {
      byte = this.#bytes[this.position] ?? 0;
      this.position += 1;
      value += (byte & 0x7f) * factor;
    }
    return value % 2 === 0 ? value / 2 : -(value + 1) / 2;
  }

  /** Reads bytes with their length; null if it is negative. */
  readBytes(): Buffer | null {
    const length = this.read();
    if (length < 0) return null;
    const start = this.position;
    this.position += length;
    return this.#bytes.subarray(start, this.position);
  }
}

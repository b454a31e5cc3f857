import { inflateRawSync, zstdDecompressSync } from 'node:zlib';
import { snappyUncompress } from 'hyparquet';
import type { SourceRow } from '../../row.ts';
import { SourceProblem } from '../source-file.ts';
import { AvroDecoder, corrupt, isDecimal, readAvroSchema } from './avro-decoder.ts';
import { fileBytes, type RowReader } from './row-reading.ts';

/** The size of the largest header and block, before and after decompression. */
const blockBytesMax = 16 * 1024 * 1024;
const syncBytes = 16;

/**
 * Reads the first rows of an Avro object container file, block by block. The schema is interpreted,
 * not compiled to code.
 */
export const readAvro: RowReader = async function* (reading) {
  const source = new ByteQueue(fileBytes(reading, 'none'));
  let count = 0;
  try {
    await source.take(4);
    const entries = new Map<string, Buffer>();
    for (let size = await source.long(); size !== 0; size = await source.long()) {
      if (size < 0) await source.long();
      for (let index = 0; index < Math.abs(size); index += 1) {
        const name = (await source.take(await source.long())).toString('utf8');
        entries.set(name, await source.take(await source.long()));
      }
    }
    const type = readAvroSchema(JSON.parse(entries.get('avro.schema')?.toString('utf8') ?? 'null'));
    if (type.kind !== 'record') throw corrupt('its values are not records');
    reading.onDecimals?.(
      type.fields.filter((field) => isDecimal(field.type)).map(({ name }) => name),
    );
    const codec = entries.get('avro.codec')?.toString('utf8') ?? 'null';
    const sync = await source.take(syncBytes);
    while (!(await source.isAtEnd())) {
      const rowCount = await source.long();
      const block = new AvroDecoder(decompress(await source.take(await source.long()), codec));
      for (let index = 0; index < rowCount; index += 1) {
        yield block.row(type) as SourceRow;
        count += 1;
        if (count >= reading.rowsMax) return;
      }
      if (!(await source.take(syncBytes)).equals(sync)) {
        throw corrupt('a block does not end at its declared size');
      }
    }
  } catch (error) {
    if (error instanceof SourceProblem || reading.signal.aborted || !(error instanceof Error)) {
      throw error;
    }
    throw corrupt(error.message);
  } finally {
    await source.close();
  }
};

function decompress(bytes: Buffer, codec: string): Uint8Array {
  const options = { maxOutputLength: blockBytesMax };
  if (codec === 'null') return bytes;
  if (codec === 'deflate') return inflateRawSync(bytes, options);
  if (codec === 'zstandard') return zstdDecompressSync(bytes, options);
  if (codec !== 'snappy') {
    throw corrupt(
      `its blocks are compressed by ${codec.slice(0, 40)}, which is not supported here`,
    );
  }
  let [length, at, shift] = [0, 0, 0];
  for (let byte = 0x80; byte >= 0x80 && at < 5; at += 1, shift += 7) {
    byte = bytes[at] ?? 0;
    length += (byte & 0x7f) * 2 ** shift;
  }
  if (length > blockBytesMax) throw corrupt(`a block has ${length} bytes`);
  const output = new Uint8Array(length);
  // The last four bytes are a checksum.
  snappyUncompress(bytes.subarray(0, -4), output);
  return output;
}

/** Reads counted bytes from a stream of chunks. */
class ByteQueue {
  readonly #source: AsyncGenerator<Uint8Array>;
  #head: Buffer = Buffer.alloc(0);

  constructor(source: AsyncGenerator<Uint8Array>) {
    this.#source = source;
  }

  async isAtEnd(): Promise<boolean> {
    return this.#head.length === 0 && !(await this.#pull());
  }

  async take(count: number): Promise<Buffer> {
    if (count < 0 || count > blockBytesMax) throw corrupt(`a block has ${count} bytes`);
    const parts: Buffer[] = [];
    let missing = count;
    while (missing > 0) {
      if (this.#head.length === 0 && !(await this.#pull())) {
        throw corrupt('it ends in the middle of a block');
      }
      const part = this.#head.subarray(0, missing);
      this.#head = this.#head.subarray(part.length);
      missing -= part.length;
      parts.push(part);
    }
    return parts.length === 1 && parts[0] !== undefined ? parts[0] : Buffer.concat(parts);
  }

  /** Reads an integer in zigzag encoding, seven bits a byte. */
  async long(): Promise<number> {
    let bits = 0n;
    for (let shift = 0n; shift < 70n; shift += 7n) {
      const [byte = 0] = await this.take(1);
      bits |= BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) return Number((bits >> 1n) ^ -(bits & 1n));
    }
    throw corrupt('an integer has more than 64 bits');
  }

  async close(): Promise<void> {
    await this.#source.return(undefined);
  }

  async #pull(): Promise<boolean> {
    const next = await this.#source.next();
    if (next.done === true) return false;
    this.#head = Buffer.from(next.value.buffer, next.value.byteOffset, next.value.byteLength);
    return true;
  }
}

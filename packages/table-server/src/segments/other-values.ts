import { zstdCompressSync } from 'node:zlib';
import type { ColumnChunk, SchemaElement } from 'hyparquet';
import { ByteWriter, ParquetWriter } from 'hyparquet-writer';
import { movedColumn } from './row-groups.ts';

/** Collects the values of one column of a row group that the Parquet library encodes: lists. */
export class OtherValues {
  readonly #elements: readonly SchemaElement[];
  #values: unknown[] = [];
  #sizeBytes = 0;
  #hasNegativeZero = false;

  /** @param elements the column in the schema of its file */
  constructor(elements: readonly SchemaElement[]) {
    this.#elements = elements;
  }

  /** The approximate size of the values. */
  get sizeBytes(): number {
    return this.#sizeBytes;
  }

  /** Adds a value as the library takes it; null for none. */
  push(value: unknown): void {
    this.#values.push(value);
    this.#sizeBytes += this.#measure(value);
  }

  /** Writes the values since the last call. */
  write(output: ByteWriter): ColumnChunk {
    const name = this.#elements[0]?.name ?? '';
    const scratch = new ByteWriter();
    const parquet = new ParquetWriter({
      writer: scratch,
      schema: [{ name: 'root', num_children: 1 }, ...this.#elements],
      codec: 'ZSTD',
      compressors: { ZSTD: (bytes) => zstdCompressSync(bytes) },
    });
    const startOffset = scratch.offset;
    const column = {
      name,
      data: this.#values,
      // The library's dictionaries treat -0 as 0.
      ...(this.#hasNegativeZero && { encoding: 'PLAIN' as const }),
    };
    void parquet.write({ columnData: [column], rowGroupSize: this.#values.length });
    this.#values = [];
    this.#sizeBytes = 0;
    this.#hasNegativeZero = false;
    const [chunk] = parquet.row_groups[0]?.columns ?? [];
    if (chunk === undefined) throw new TypeError(`The values of ${name} were not encoded.`);
    const moved = movedColumn(chunk, output.offset - startOffset);
    output.appendBytes(scratch.getBytes().subarray(startOffset));
    return moved;
  }

  #measure(value: unknown): number {
    if (value === null) return 1;
    if (Array.isArray(value)) {
      let bytes = 0;
      for (const element of value as readonly unknown[]) bytes += this.#measure(element);
      return bytes;
    }
    if (Object.is(value, -0)) this.#hasNegativeZero = true;
    if (typeof value === 'string') return value.length;
    return value instanceof Uint8Array ? value.byteLength : 8;
  }
}

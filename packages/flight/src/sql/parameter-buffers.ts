import type { FlatTable } from '../wire/flat-table.ts';

/**
 * The buffers of a record batch of one row, column by column, without nested ones. All views lie
 * within the body of the batch; anything outside is a RangeError.
 */
export class ParameterBuffers {
  readonly #body: Uint8Array;
  readonly #nodes: readonly (readonly [bigint, bigint])[];
  readonly #buffers: readonly (readonly [bigint, bigint])[];
  readonly #variadicCounts: readonly bigint[];
  #node = 0;
  #buffer = 0;
  #variadic = 0;
  /**
   * The total size of the values so far. Several columns may refer to the same bytes, so it could
   * exceed the batch.
   */
  #copiedBytes = 0;

  constructor(recordBatch: FlatTable, body: Uint8Array) {
    this.#body = body;
    this.#nodes = recordBatch.pairs(1);
    this.#buffers = recordBatch.pairs(2);
    this.#variadicCounts = recordBatch.int64s(4);
  }

  /**
   * Starts the next column, whose type has a validity buffer; returns true if its value is null.
   */
  takeIsNull(): boolean {
    const nullCount = this.takeNode();
    const validity = this.take();
    return nullCount !== 0n && ((validity[0] ?? 0) & 1) === 0;
  }

  /** Starts the next column, and returns its number of nulls. */
  takeNode(): bigint {
    const node = this.#nodes[this.#node++];
    if (node === undefined) throw new RangeError('A column has no node.');
    return node[1];
  }

  /** Returns the next buffer of the column. */
  take(): Uint8Array {
    const buffer = this.#buffers[this.#buffer++];
    if (buffer === undefined) throw new RangeError('A column has too few buffers.');
    const [offset, length] = buffer;
    return slice(this.#body, offset, length);
  }

  /** Returns the variadic buffers of a column of views. */
  takeVariadic(): Uint8Array[] {
    const count = Number(this.#variadicCounts[this.#variadic++] ?? 0n);
    if (count < 0 || count > this.#buffers.length) throw new RangeError('Too many buffers.');
    return Array.from({ length: count }, () => this.take());
  }

  /** Returns the bytes of a value, to be copied. */
  valueOf(buffer: Uint8Array, start: bigint, length: bigint): Uint8Array {
    const value = slice(buffer, start, length);
    this.#copiedBytes += value.length;
    if (this.#copiedBytes <= this.#body.length) return value;
    throw new RangeError('The values have more bytes than the batch.');
  }
}

function slice(bytes: Uint8Array, offset: bigint, length: bigint): Uint8Array {
  const end = offset + length;
  if (offset < 0n || length < 0n || end > BigInt(bytes.length)) {
    throw new RangeError('A buffer exceeds the bytes of its message.');
  }
  return bytes.subarray(Number(offset), Number(end));
}

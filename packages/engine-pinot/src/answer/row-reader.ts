import { Data, DataType, type Field, RecordBatch, Schema, Struct } from 'apache-arrow';
import { type BytesText, type ColumnBuilder, columnBuilder } from './column-builder.ts';
import { JsonBytes } from './json-bytes.ts';
import type { PinotColumn } from './pinot-column.ts';
import type { RowsPart } from './read-answer.ts';
import {
  expectedBoolean,
  expectedComma,
  expectedEndOfRow,
  expectedRow,
  expectedString,
  kindBoolean,
  kindDouble,
  kindFloat,
  kindInt,
  kindLong,
  kindOther,
  kindText,
  kindTimestamp,
  offsetsAt,
  stoppedAtEnd,
  stoppedFull,
  stoppedMalformed,
  validityAt,
  valuesAt,
} from './row-layout.ts';
import { aligned, type Cell, cellBytesOf, type ParserCapacity, RowParser } from './row-parser.ts';

const [openBracket, comma] = [0x5b, 0x2c];

/**
 * A batch of an answer, whose memory is reused once it is disposed. Arrow's own constructor would
 * give two columns of the same name each other's type.
 */
class AnswerBatch extends RecordBatch implements Disposable {
  declare readonly schema: Schema;
  declare readonly data: Data<Struct>;
  #onDisposed: (() => void) | undefined;

  constructor(schema: Schema, data: Data<Struct>, onDisposed: () => void) {
    super(new Schema([]), new Data(new Struct([]), 0, data.length, 0, {}));
    this.schema = schema;
    this.data = data;
    this.#onDisposed = onDisposed;
  }

  [Symbol.dispose](): void {
    this.#onDisposed?.();
    this.#onDisposed = undefined;
  }
}

/** The columns as the parser reads them, and its memory for them. */
interface RowLayout {
  readonly kinds: readonly number[];
  readonly capacity: ParserCapacity;
}

/** Converts JSON rows to record batches. */
export class RowReader {
  readonly schema: Schema;
  readonly #rowType: Struct;
  readonly #bytesText: BytesText;
  #usual: RowLayout;

  constructor(columns: readonly PinotColumn[], bytesText: BytesText) {
    const fields = columns.map(({ field }) => field);
    this.schema = new Schema(fields);
    this.#rowType = new Struct(fields);
    this.#bytesText = bytesText;
    const kinds = fields.map(kindOf);
    this.#usual = { kinds, capacity: capacityFor(kinds) };
  }

  /**
   * Returns batches of the complete rows in a part, and records their end in it.
   *
   * @throws UNEXPECTED_RESPONSE when a cell does not have the type of its column
   */
  read(part: RowsPart): readonly RecordBatch[] {
    const { bytes, start, end } = part;
    const batches: RecordBatch[] = [];
    let layout = this.#usual;
    for (let at = start; at < end;) {
      const parser = RowParser.shared;
      const { kinds, capacity } = layout;
      const { rowCount, taken, stop } = parser.parse(kinds, capacity, bytes, at, end);
      if (rowCount > 0) batches.push(this.#batchOf(parser, kinds, rowCount));
      if (stop === stoppedMalformed) throw malformed(parser);
      if (rowCount === 0) {
        // The row is incomplete, unless the memory was too small for it.
        const isCut = stop === stoppedAtEnd && end - at > capacity.inputBytes;
        if (!isCut && stop !== stoppedFull) break;
        const larger = enlarged(layout);
        const isUsual = layout === this.#usual && bytesOf(larger) <= usualBytesMax;
        layout = isUsual ? (this.#usual = larger) : forLongRow(layout);
        continue;
      }
      layout = this.#usual;
      at += taken;
      part.taken = at - start;
      if (bytes[at] !== comma || bytes[at + 1] !== openBracket) break;
      at += 1;
    }
    return batches;
  }

  /** Copies the parser's columns into memory of the batch, one block for all. */
  #batchOf(parser: RowParser, kinds: readonly number[], rowCount: number): RecordBatch {
    this.#readUnparsedCells(parser);
    const regions = kinds.map((kind, column) => regionsOf(parser, { kind, column, rowCount }));
    const memory = spareMemory.take(
      regions.flat().reduce((sum, { size }) => sum + aligned(size), 0),
    );
    const block = new Block(parser.bytes, memory);
    const columns = this.schema.fields.map((field, column) => {
      const [values, validity, offsets] = regions[column] ?? [];
      if (values === undefined || validity === undefined) {
        return this.#otherColumn(parser, field, column, rowCount);
      }
      const kind = kinds[column] ?? kindOther;
      const bytes = block.copy(values);
      // The numbers are Arrow's buffer types: offsets, values, validity.
      const buffers = {
        0: offsets && typedArray(Int32Array, block.copy(offsets)),
        1: kind === kindBoolean ? masked(bytes, rowCount) : typedArray(arrays[kind], bytes),
        2: masked(block.copy(validity), rowCount),
      };
      const nullCount = validity.size === 0 ? 0 : parser.nullCountOf(column, rowCount);
      return new Data(field.type as DataType, 0, rowCount, nullCount, buffers);
    });
    const data = new Data(this.#rowType, 0, rowCount, 0, {}, columns);
    return new AnswerBatch(this.schema, data, () => spareMemory.give(memory));
  }

  /** A column whose cells the parser only locates. */
  #otherColumn(parser: RowParser, field: Field, column: number, rowCount: number): Data {
    const builder = columnBuilder(field, this.#bytesText, rowCount);
    for (let row = 0; row < rowCount; row += 1) {
      append(builder, parser.bytes, parser.cellOf(column, row));
    }
    return builder.finish();
  }

  /** Writes the values of cells that the parser did not parse into its columns. */
  #readUnparsedCells(parser: RowParser): void {
    const odd = Map.groupBy(parser.unparsedCells(), ({ column }) => column);
    for (const [column, cells] of odd) {
      const field = this.schema.fields[column] as Field;
      const builder = columnBuilder(field, this.#bytesText, cells.length);
      for (const cell of cells) append(builder, parser.bytes, cell);
      const { values } = builder.finish() as { readonly values: Int32Array };
      const bytes = new Uint8Array(values.buffer, values.byteOffset, values.byteLength);
      const width = values.BYTES_PER_ELEMENT;
      const start = parser.addressOf(column, valuesAt);
      for (const [index, { row }] of cells.entries()) {
        parser.bytes.set(bytes.subarray(index * width, (index + 1) * width), start + row * width);
      }
    }
  }
}

/** Appends a cell, which must be exactly one value of its column. */
function append(builder: ColumnBuilder, bytes: Buffer, { start, end }: Cell): void {
  const json = new JsonBytes(bytes, start, end);
  builder.append(json);
  if (json.at !== end) throw json.unexpected("','");
}

/** A region of the parser's memory. */
interface Region {
  readonly start: number;
  readonly size: number;
}

/** The locations of a column's values, validity and offsets; none for `kindOther`. */
function regionsOf(
  parser: RowParser,
  { kind, column, rowCount }: { kind: number; column: number; rowCount: number },
): readonly Region[] {
  if (kind === kindOther) return [];
  const start = parser.addressOf(column, valuesAt);
  const isNullable = parser.nullCountOf(column, rowCount) > 0;
  const validity = {
    start: parser.addressOf(column, validityAt),
    size: isNullable ? Math.ceil(rowCount / 8) : 0,
  };
  if (kind !== kindText) {
    return [{ start, size: Math.ceil(rowCount * cellBytesOf(kind)) }, validity];
  }
  const offsets = parser.addressOf(column, offsetsAt);
  const size = parser.view.getUint32(offsets + rowCount * 4, true);
  return [{ start, size }, validity, { start: offsets, size: (rowCount + 1) * 4 }];
}

/**
 * The memory of disposed batches of all readers of a thread: new memory for each batch, or for each
 * query, would keep the garbage collector busy.
 */
class SpareMemory {
  readonly #blocks: Uint8Array<ArrayBuffer>[] = [];
  #bytes = 0;

  take(size: number): Uint8Array<ArrayBuffer> {
    // The block that was given last is the most likely to be in the processor's caches.
    const index = this.#blocks.findLastIndex(({ length }) => length >= size && length <= size * 4);
    const [block] = index === -1 ? [] : this.#blocks.splice(index, 1);
    if (block === undefined) return new Uint8Array(2 ** Math.ceil(Math.log2(Math.max(8, size))));
    this.#bytes -= block.length;
    return block;
  }

  give(block: Uint8Array<ArrayBuffer>): void {
    this.#blocks.push(block);
    this.#bytes += block.length;
    while (this.#blocks.length > spareBlocksMax || this.#bytes > spareBytesMax) {
      this.#bytes -= this.#blocks.shift()?.length ?? 0;
    }
  }
}

/** Slightly more blocks than a batch of a result is made of. */
const spareBlocksMax = 8;
const spareBytesMax = 8 * 1024 * 1024;
const spareMemory = new SpareMemory();

/** Memory that regions are copied into, each at a multiple of eight bytes. */
class Block {
  readonly #source: Uint8Array;
  readonly #bytes: Uint8Array<ArrayBuffer>;
  #used = 0;

  constructor(source: Uint8Array, bytes: Uint8Array<ArrayBuffer>) {
    this.#source = source;
    this.#bytes = bytes;
  }

  copy({ start, size }: Region): Uint8Array<ArrayBuffer> {
    const copy = this.#bytes.subarray(this.#used, this.#used + size);
    copy.set(this.#source.subarray(start, start + size));
    this.#used += aligned(size);
    return copy;
  }
}

interface ArrayOfValues {
  new (buffer: ArrayBuffer, offset: number, length: number): ArrayBufferView;
  readonly BYTES_PER_ELEMENT: number;
}

/** The array type of a kind's values; bytes for the others. */
const arrays: Readonly<Record<number, ArrayOfValues>> = {
  [kindInt]: Int32Array,
  [kindLong]: BigInt64Array,
  [kindFloat]: Float32Array,
  [kindDouble]: Float64Array,
  [kindTimestamp]: BigInt64Array,
};

function typedArray(
  Values: ArrayOfValues = Uint8Array,
  { buffer, byteOffset, byteLength }: Uint8Array<ArrayBuffer>,
): ArrayBufferView {
  return new Values(buffer, byteOffset, byteLength / Values.BYTES_PER_ELEMENT);
}

/** Returns bits, with zeros after the last row. */
function masked(bits: Uint8Array, rowCount: number): Uint8Array {
  const last = bits.length - 1;
  if (last >= 0 && rowCount % 8 > 0) bits[last] = (bits[last] ?? 0) & ((1 << (rowCount % 8)) - 1);
  return bits;
}

function kindOf({ type }: Field): number {
  const each = type as DataType;
  if (DataType.isInt(each)) return each.bitWidth === 32 ? kindInt : kindLong;
  if (DataType.isFloat(each)) return each.ArrayType === Float32Array ? kindFloat : kindDouble;
  if (DataType.isBool(each)) return kindBoolean;
  if (DataType.isTimestamp(each)) return kindTimestamp;
  return DataType.isUtf8(each) ? kindText : kindOther;
}

/** The bytes parsed at a time: a chunk of a socket, as far as it fits into little memory. */
function capacityFor(kinds: readonly number[]): ParserCapacity {
  const textCount = kinds.filter((kind) => kind === kindText).length;
  const rowsThatFit = columnBytesMax / (16 * Math.max(1, kinds.length));
  return {
    inputBytes,
    rowsMax: 32 * Math.min(128, Math.max(2, Math.floor(rowsThatFit / 32))),
    textBytes: Math.min(
      inputBytes,
      Math.max(4096, Math.floor(columnBytesMax / Math.max(1, textCount))),
    ),
    oddMax: Math.max(4096, kinds.length),
  };
}

const inputBytes = 128 * 1024;
const columnBytesMax = 2 * 1024 * 1024;

/** The maximum memory for rows as usual; the parser is kept with it. */
const usualBytesMax = 8 * 1024 * 1024;

function enlarged({ kinds, capacity }: RowLayout): RowLayout {
  const { inputBytes: input, textBytes } = capacity;
  return { kinds, capacity: { ...capacity, inputBytes: input * 2, textBytes: textBytes * 2 } };
}

/** Returns the memory of a layout that grows with the length of rows. */
function bytesOf({ kinds, capacity }: RowLayout): number {
  const textCount = kinds.filter((kind) => kind === kindText).length;
  return capacity.inputBytes + textCount * capacity.textBytes;
}

/**
 * Returns the layout for a row that needs more memory than usual: a single one, whose cells the
 * parser only locates. So the memory is proportional to the row, and not to each column of text.
 */
function forLongRow({ kinds, capacity }: RowLayout): RowLayout {
  return {
    kinds: kinds.map(() => kindOther),
    capacity: { ...capacity, inputBytes: capacity.inputBytes * 2, rowsMax: 1 },
  };
}

const expectations: Readonly<Record<number, string>> = {
  [expectedBoolean]: 'true or false',
  [expectedComma]: "','",
  [expectedEndOfRow]: "']'",
  [expectedRow]: 'a row',
  [expectedString]: 'a string',
};

function malformed(parser: RowParser): Error {
  const { at, end, expected } = parser.failure();
  return new JsonBytes(parser.bytes, at, end).unexpected(expectations[expected] ?? 'a value');
}

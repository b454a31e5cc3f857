import type { FileHandle } from 'node:fs/promises';
import {
  Binary,
  BinaryView,
  Data,
  DataType,
  type Field,
  Int64,
  LargeBinary,
  type RecordBatch,
  RecordBatchReader,
  type Schema,
  TimeUnit,
  type Union,
  Vector,
} from 'apache-arrow';
import type { SourceRow, SourceValue } from '../../row.ts';
import { type ByteBudget, SourceProblem } from '../source-file.ts';
import { withCodecs } from './arrow-codecs.ts';
import {
  assertDepth,
  fileBytes,
  plainValue,
  readRange,
  type RowReader,
  type RowReading,
  textOfDate,
  textOfDecimal,
  textOfTimestamp,
  textOfUtf8,
} from './row-reading.ts';

/** The first bytes of a file of batches; a stream has none. */
const fileMagic = 'ARROW1';
/** The least number of bytes to read from a file of batches at once. */
const readBytesMin = 1024 * 1024;
const dayMs = 86_400_000;

/**
 * Reads the first rows of Arrow's IPC formats, batch by batch: of a file by its footer, because
 * what precedes the batches in a file is not always a stream, and of a stream from its start.
 * Source: https://arrow.apache.org/docs/format/Columnar.html#ipc-file-format
 */
export const readArrow: RowReader = async function* (reading) {
  const { file, rowsMax, budget, signal } = reading;
  let count = 0;
  let stream: AsyncGenerator<Uint8Array> | undefined;
  try {
    let reader: RecordBatchReader;
    if (await isFile(reading)) {
      reader = await RecordBatchReader.from(new FileOfBatches(reading) as unknown as FileHandle);
    } else {
      stream = fileBytes(reading, 'none');
      reader = await RecordBatchReader.from(stream);
    }
    await withCodecs(budget, () => reader.open({ autoDestroy: true }) as Promise<unknown>);
    const decimals = reader.schema.fields.filter(({ type }) =>
      DataType.isDecimal(type as DataType),
    );
    reading.onDecimals?.(decimals.map(({ name }) => name));
    for await (const batch of batchesOf(reader, budget)) {
      const columns = batch.data.children.map((data) => new Vector([withStoredValues(data)]));
      for (let index = 0; index < batch.numRows && count < rowsMax; index += 1) {
        yield rowOf(reader.schema, columns, index);
        count += 1;
      }
      if (count >= rowsMax) return;
    }
  } catch (error) {
    if (error instanceof SourceProblem || signal.aborted || !(error instanceof Error)) throw error;
    throw new SourceProblem(
      'FILE_CORRUPT',
      `${file.uri} cannot be read as Arrow: ${error.message}`,
      { cause: error },
    );
  } finally {
    // The library leaves its source open if it is not read to its end.
    await stream?.return(undefined);
  }
};

async function* batchesOf(
  reader: RecordBatchReader,
  budget: ByteBudget,
): AsyncGenerator<RecordBatch> {
  const batches = (reader as AsyncIterable<RecordBatch>)[Symbol.asyncIterator]();
  try {
    for (;;) {
      const next = await withCodecs(budget, () => batches.next());
      if (next.done === true) return;
      yield next.value;
    }
  } finally {
    await batches.return?.();
  }
}

/**
 * Reports whether a file starts as one of batches.
 *
 * @throws SourceProblem when it starts so, but does not end so
 */
async function isFile(reading: RowReading): Promise<boolean> {
  const { uri, sizeBytes } = reading.file;
  const { length } = fileMagic;
  const hasMagic = async (start: number): Promise<boolean> =>
    Buffer.from(await readRange(reading, start, start + length)).toString('latin1') === fileMagic;
  if (sizeBytes < length || !(await hasMagic(0))) return false;
  if (await hasMagic(sizeBytes - length)) return true;
  throw new SourceProblem(
    'FILE_CORRUPT',
    `${uri} does not end with an Arrow footer: it is truncated, or not an Arrow file.`,
  );
}

/** The part of a `FileHandle` that the library uses; it recognizes one by `fd` and `stat`. */
class FileOfBatches {
  readonly fd = 0;
  readonly #reading: RowReading;
  /** The bytes that were read last, and their position. */
  #window = { start: 0, bytes: new Uint8Array(0) };

  constructor(reading: RowReading) {
    this.#reading = reading;
  }

  stat(): Promise<{ size: number }> {
    return Promise.resolve({ size: this.#reading.file.sizeBytes });
  }

  async read(
    buffer: Uint8Array,
    offset: number,
    length: number,
    position: number,
  ): Promise<{ bytesRead: number; buffer: Uint8Array }> {
    const { file } = this.#reading;
    const end = position + length;
    if (position < 0 || end > file.sizeBytes) {
      throw new SourceProblem('FILE_CORRUPT', `${file.uri} refers to bytes that it does not have.`);
    }
    const { start, bytes } = this.#window;
    if (position < start || end > start + bytes.length) {
      const windowEnd = Math.min(file.sizeBytes, Math.max(end, position + readBytesMin));
      this.#window = {
        start: position,
        bytes: await readRange(this.#reading, position, windowEnd),
      };
    }
    const from = position - this.#window.start;
    buffer.set(this.#window.bytes.subarray(from, from + length), offset);
    return { bytesRead: length, buffer };
  }

  close(): Promise<void> {
    return Promise.resolve();
  }
}

/**
 * Returns data whose timestamps are integers and whose texts are bytes, as they are stored: the
 * library divides the former as doubles, which loses digits, and replaces bytes of the latter.
 */
function withStoredValues(data: Data): Data {
  return new Data(
    storedTypeOf(data.type),
    data.offset,
    data.length,
    data.nullCount,
    data,
    data.children.map(withStoredValues),
    data.dictionary && new Vector(data.dictionary.data.map(withStoredValues)),
    data.variadicBuffers,
  );
}

function storedTypeOf(type: DataType): DataType {
  if (DataType.isTimestamp(type)) return new Int64();
  if (DataType.isUtf8(type)) return new Binary();
  if (DataType.isLargeUtf8(type)) return new LargeBinary();
  return DataType.isUtf8View(type) ? new BinaryView() : type;
}

function isText(type: DataType): boolean {
  return DataType.isUtf8(type) || DataType.isLargeUtf8(type) || DataType.isUtf8View(type);
}

function rowOf({ fields }: Schema, columns: readonly Vector[], index: number): SourceRow {
  return Object.fromEntries(
    fields.map(({ name, type }, column) => {
      const vector = columns[column];
      const value: unknown = vector?.get(index);
      return [name, arrowValue(typeAt(type as DataType, vector, index), value, 1)];
    }),
  );
}

/** Returns the type of a value of a column: in a union, that of one of its children. */
function typeAt(type: DataType, vector: Vector | undefined, index: number): DataType {
  const data = vector?.data[0] as Data<Union> | undefined;
  if (!DataType.isUnion(type) || data === undefined) return type;
  const child = type.typeIdToChildIndex[data.typeIds[index] ?? 0] ?? 0;
  return (type.children as readonly Field<DataType>[])[child]?.type ?? type;
}

/**
 * Converts a value of an Arrow column to a value of a row: bytes of texts, times and days to text,
 * decimals to their digits, and others unchanged.
 */
function arrowValue(type: DataType, value: unknown, depth: number): SourceValue {
  if (value === null || value === undefined) return null;
  if (DataType.isDictionary(type)) return arrowValue(type.dictionary as DataType, value, depth);
  if (isText(type)) return textOfUtf8(value as Uint8Array);
  if (DataType.isTimestamp(type)) return textOfInstant(value as bigint, type.unit);
  if (DataType.isDate(type)) return textOfDate(Math.floor(Number(value) / dayMs));
  if (DataType.isDecimal(type) && value instanceof Uint32Array) {
    return textOfWords(value, type.scale);
  }
  if (DataType.isMap(type)) return mapValue(type, value as Iterable<[unknown, unknown]>, depth);
  if (DataType.isUnion(type)) throw new Error('unions within lists, structs and maps are not read');
  if (!isListType(type) && !DataType.isStruct(type)) {
    return plainValue(value, depth);
  }
  assertDepth(depth);
  if (isListType(type)) {
    const [element] = childrenOf(type);
    return element === undefined
      ? null
      : Array.from(value as Iterable<unknown>, (each) => arrowValue(element.type, each, depth + 1));
  }
  const row = value as Readonly<Record<string, unknown>>;
  return Object.fromEntries(
    childrenOf(type).map((child) => [
      child.name,
      arrowValue(child.type, row[child.name], depth + 1),
    ]),
  );
}

function isListType(type: DataType): boolean {
  return DataType.isList(type) || DataType.isLargeList(type) || DataType.isFixedSizeList(type);
}

function mapValue(
  type: DataType,
  entries: Iterable<readonly [unknown, unknown]>,
  depth: number,
): SourceValue {
  assertDepth(depth);
  const [pair] = childrenOf(type);
  const [keys, values] = pair === undefined ? [] : childrenOf(pair.type);
  if (keys === undefined || values === undefined) return null;
  return Object.fromEntries(
    Array.from(entries, ([given, value]) => {
      const key = arrowValue(keys.type, given, depth + 1);
      return [keyText(key), arrowValue(values.type, value, depth + 1)];
    }),
  );
}

function keyText(key: SourceValue): string {
  if (key instanceof Uint8Array) return Buffer.from(key).toString('hex');
  return typeof key === 'object' ? JSON.stringify(key) : String(key);
}

/** Returns the children, whose type the library does not declare. */
function childrenOf(type: DataType): readonly Field<DataType>[] {
  return type.children as readonly Field<DataType>[];
}

/** Formats an instant, given in units since 1970. */
function textOfInstant(value: bigint, unit: TimeUnit): string {
  if (unit === TimeUnit.NANOSECOND) return textOfTimestamp(value, 9);
  if (unit === TimeUnit.MICROSECOND) return textOfTimestamp(value, 6);
  return textOfTimestamp(unit === TimeUnit.SECOND ? value * 1000n : value, 3);
}

/** Returns a decimal of 128 or 256 bits, from its words in little-endian order. */
function textOfWords(words: Uint32Array, scale: number): string {
  const bits = words.reduceRight((sum, word) => (sum << 32n) | BigInt(word), 0n);
  return textOfDecimal(bits, words.length * 32, scale);
}

import {
  DataType,
  type Field,
  type RecordBatch,
  RecordBatchReader,
  type Schema,
  TimeUnit,
} from 'apache-arrow';
import type { SourceRow, SourceValue } from '../../row.ts';
import { SourceProblem } from '../source-file.ts';
import {
  assertDepth,
  fileBytes,
  plainValue,
  type RowReader,
  type RowReading,
  textOfDecimal,
  textOfTimestamp,
} from './row-reading.ts';

/** The first bytes of a file of batches, padded to 8 bytes; a stream of batches follows. */
const fileMagic = 'ARROW1';
const fileHeadBytes = 8;

/**
 * Reads the first rows of an Arrow IPC file or stream, batch by batch, from its start: the footer
 * is not needed.
 */
export const readArrow: RowReader = async function* (reading) {
  const { file, rowsMax, signal } = reading;
  let count = 0;
  const bytes = streamBytes(reading);
  try {
    const reader = await RecordBatchReader.from(bytes);
    await reader.open({ autoDestroy: true });
    for await (const batch of reader as AsyncIterable<RecordBatch>) {
      for (let index = 0; index < batch.numRows && count < rowsMax; index += 1) {
        yield rowOf(reader.schema, batch, index);
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
    await bytes.return(undefined);
  }
};

async function* streamBytes(reading: RowReading): AsyncGenerator<Uint8Array> {
  let position = 0;
  for await (const chunk of fileBytes(reading, 'none')) {
    const isFile =
      position === 0 &&
      Buffer.from(chunk.subarray(0, fileMagic.length)).toString('latin1') === fileMagic;
    position += chunk.length;
    yield isFile ? chunk.subarray(fileHeadBytes) : chunk;
  }
}

function rowOf({ fields }: Schema, batch: RecordBatch, index: number): SourceRow {
  return Object.fromEntries(
    fields.map(({ name, type }, column) => {
      const value: unknown = batch.getChildAt(column)?.get(index);
      return [name, arrowValue(type as DataType, value, 1)];
    }),
  );
}

/**
 * Converts a value of an Arrow column to a value of a row: times and days to text, decimals to
 * their digits, and others unchanged.
 */
function arrowValue(type: DataType, value: unknown, depth: number): SourceValue {
  if (value === null || value === undefined) return null;
  if (DataType.isDictionary(type)) return arrowValue(type.dictionary as DataType, value, depth);
  if (DataType.isTimestamp(type)) {
    return textOfInstant(Number(value), type.unit <= TimeUnit.MILLISECOND);
  }
  if (DataType.isDate(type)) return textOfTimestamp(Math.trunc(Number(value)), 3).slice(0, 10);
  if (DataType.isDecimal(type) && value instanceof Uint32Array) {
    return textOfWords(value, type.scale);
  }
  if (DataType.isMap(type)) return plainValue((value as { toJSON(): unknown }).toJSON(), depth);
  if (!DataType.isList(type) && !DataType.isFixedSizeList(type) && !DataType.isStruct(type)) {
    return plainValue(value, depth);
  }
  assertDepth(depth);
  if (DataType.isList(type) || DataType.isFixedSizeList(type)) {
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

/** Returns the children, whose type the library does not declare. */
function childrenOf(type: DataType): readonly Field<DataType>[] {
  return type.children as readonly Field<DataType>[];
}

/**
 * Formats an instant, which the library returns in milliseconds, with fractions if the column has
 * finer units.
 */
function textOfInstant(epochMs: number, isWhole: boolean): string {
  return isWhole
    ? textOfTimestamp(Math.trunc(epochMs), 3)
    : textOfTimestamp(Math.round(epochMs * 1000), 6);
}

/** Returns a decimal of 128 or 256 bits, from its words in little-endian order. */
function textOfWords(words: Uint32Array, scale: number): string {
  const bits = words.reduceRight((sum, word) => (sum << 32n) | BigInt(word), 0n);
  return textOfDecimal(bits, words.length * 32, scale);
}

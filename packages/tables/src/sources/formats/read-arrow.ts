import { type DataType, type RecordBatch, RecordBatchReader, type Schema } from 'apache-arrow';
import type { SourceRow } from '../../row.ts';
import { SourceProblem } from '../source-problem.ts';
import { arrowValue } from './arrow-value.ts';
import { fileBytes } from './file-bytes.ts';
import type { RowReader, RowReading } from './row-reading.ts';

/** What a file of batches begins with, and fills up to 8 bytes; a stream of batches follows. */
const fileMagic = 'ARROW1';
const fileHeadBytes = 8;

/** Reads the first rows of an Arrow IPC file or stream, batch by batch, from its front: what stands at its end is not needed. */
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
    throw new SourceProblem('FILE_CORRUPT', `${file.uri} cannot be read as Arrow: ${error.message}`, { cause: error });
  } finally {
    // The library leaves its source open where it is not read to its end.
    await bytes.return(undefined);
  }
};

async function* streamBytes(reading: RowReading): AsyncGenerator<Uint8Array> {
  let position = 0;
  for await (const chunk of fileBytes(reading, 'none')) {
    const isFile = position === 0 && Buffer.from(chunk.subarray(0, fileMagic.length)).toString('latin1') === fileMagic;
    position += chunk.length;
    yield isFile ? chunk.subarray(fileHeadBytes) : chunk;
  }
}

function rowOf({ fields }: Schema, batch: RecordBatch, index: number): SourceRow {
  return Object.fromEntries(
    fields.map(({ name, type }, column) => {
      const value: unknown = batch.getChildAt(column)?.get(index);
      return [name, arrowValue(type as DataType, value)];
    }),
  );
}

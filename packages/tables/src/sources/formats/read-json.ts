import { type JsonValue, parseLosslessJson, TooManyDigitsError } from '@quire/core';
import { isDeeperThan, nestingMax } from '../../preview/nesting.ts';
import type { SourceRow } from '../../row.ts';
import { compressionOf, fileBytes, readHead } from './file-bytes.ts';
import type { RowReader, RowReading } from './row-reading.ts';
import { splitJson } from './split-json.ts';
import { splitLines } from './split-lines.ts';

/** Reads the objects of a list, or objects one after the other. What is not an object is left out. */
export const readJson: RowReader = (reading) => readTexts(reading, splitJson);

/** Reads the object of each line. A line that holds none is left out. */
export const readJsonLines: RowReader = (reading) => readTexts(reading, splitLines);

async function* readTexts(reading: RowReading, split: typeof splitJson): AsyncGenerator<SourceRow> {
  const { raw } = await readHead(reading, 4);
  let count = 0;
  let number = 0;
  for await (const text of split(fileBytes(reading, compressionOf(raw)), reading.rowBytesMax)) {
    number += 1;
    const row = text === '' ? undefined : parseRow(text.replace(/^\uFEFF/, ''), number, reading);
    if (row === undefined) continue;
    yield row;
    count += 1;
    if (count >= reading.rowsMax) return;
  }
}

function parseRow(text: string, number: number, { onProblem, file, digitsMax }: RowReading): SourceRow | undefined {
  let value: JsonValue;
  try {
    value = parseLosslessJson(text, { digitsMax });
  } catch (error) {
    if (error instanceof TooManyDigitsError) {
      onProblem('NUMBER_TOO_LONG', `Row ${number} of ${file.uri} is left out. ${error.message}`);
      return undefined;
    }
    // The runtime's own stack ends where values are nested deep.
    if (!(error instanceof SyntaxError || error instanceof RangeError)) throw error;
    onProblem('ROW_UNREADABLE', `Row ${number} of ${file.uri} is not JSON; it is left out.`);
    return undefined;
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    onProblem('ROW_UNREADABLE', `Row ${number} of ${file.uri} is not an object; it is left out.`);
    return undefined;
  }
  if (isDeeperThan(value, nestingMax)) {
    onProblem('ROW_TOO_DEEP', `Row ${number} of ${file.uri} is nested more than ${nestingMax} deep; it is left out.`);
    return undefined;
  }
  return value as SourceRow;
}

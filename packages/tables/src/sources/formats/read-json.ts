import { isUtf8 } from 'node:buffer';
import { type JsonValue, parseLosslessJson, TooManyDigitsError } from '@quire/core';
import { isDeeperThan, nestingMax } from '../../model/document.ts';
import type { SourceRow } from '../../row.ts';
import { SourceProblem } from '../source-file.ts';
import {
  compressionOf,
  fileBytes,
  readHead,
  type RowReader,
  type RowReading,
  rowSkipped,
} from './row-reading.ts';

/** Reads the objects of a list, or objects one after another. Other values are omitted. */
export const readJson: RowReader = (reading) => readTexts(reading, splitJson);

/** Reads the object of each line. Lines without one are omitted. */
export const readJsonLines: RowReader = (reading) => readTexts(reading, splitLines);

async function* readTexts(reading: RowReading, split: typeof splitJson): AsyncGenerator<SourceRow> {
  const { raw } = await readHead(reading, 4);
  let count = 0;
  let number = 0;
  for await (const text of split(fileBytes(reading, compressionOf(raw)), reading.rowBytesMax)) {
    number += 1;
    if (text === undefined) {
      const reason = `Row ${number} of ${reading.file.uri} is not text in UTF-8.`;
      reading.onProblem('ROW_UNREADABLE', reason, rowSkipped);
      continue;
    }
    const row = text === '' ? undefined : parseRow(text.replace(/^\uFEFF/, ''), number, reading);
    if (row === undefined) continue;
    yield row;
    count += 1;
    if (count >= reading.rowsMax) return;
  }
}

function parseRow(
  text: string,
  number: number,
  { onProblem, file, digitsMax }: RowReading,
): SourceRow | undefined {
  const subject = `Row ${number} of ${file.uri}`;
  let value: JsonValue;
  try {
    value = parseLosslessJson(text, { digitsMax });
  } catch (error) {
    if (error instanceof TooManyDigitsError) {
      onProblem('NUMBER_TOO_LONG', `${subject}: ${error.message}`, rowSkipped);
      return undefined;
    }
    // The runtime overflows its stack on deeply nested values.
    if (!(error instanceof SyntaxError || error instanceof RangeError)) throw error;
    onProblem('ROW_UNREADABLE', `${subject} is not JSON.`, rowSkipped);
    return undefined;
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    onProblem('ROW_UNREADABLE', `${subject} is not an object.`, rowSkipped);
    return undefined;
  }
  if (isDeeperThan(value, nestingMax)) {
    const reason = `${subject} is nested more than ${nestingMax} levels deep.`;
    onProblem('ROW_TOO_DEEP', reason, rowSkipped);
    return undefined;
  }
  return value as SourceRow;
}

/** Returns the text of a row without white space around it; undefined if it is not UTF-8. */
function textOf(parts: readonly Uint8Array[]): string | undefined {
  if (parts.length === 0) return '';
  const bytes = Buffer.concat(parts);
  return isUtf8(bytes) ? bytes.toString('utf8').trim() : undefined;
}

/** The bytes that structure JSON. */
const [quote, backslash, openBrace, closeBrace, openBracket, closeBracket, comma] =
  Buffer.from('"\\{}[],');

/**
 * Splits the bytes of JSON into the texts of its rows, one at a time in memory: the elements of a
 * list, or values separated by white space, which includes JSON lines. A row that is not UTF-8 is
 * undefined.
 *
 * @throws SourceProblem ROW_TOO_LONG when a row has more than `rowBytesMax` bytes; FILE_CORRUPT
 *   when the bytes end within a value, after the rows before it
 */
async function* splitJson(
  bytes: AsyncIterable<Uint8Array>,
  rowBytesMax: number,
): AsyncGenerator<string | undefined> {
  let parts: Uint8Array[] = [];
  let length = 0;
  let depth = 0;
  /** 1 if the rows are the elements of one list. */
  let rowDepth: number | undefined;
  let [isInText, isEscaped] = [false, false];
  const take = (chunk: Uint8Array, start: number, end: number): void => {
    if (start >= end) return;
    length += end - start;
    if (length > rowBytesMax) {
      throw new SourceProblem('ROW_TOO_LONG', `A row is longer than ${rowBytesMax} bytes.`);
    }
    parts.push(chunk.subarray(start, end));
  };
  const finish = (): string | undefined => {
    const text = textOf(parts);
    [parts, length] = [[], 0];
    return text;
  };
  for await (const chunk of bytes) {
    let start = 0;
    for (let at = 0; at < chunk.length; at += 1) {
      const byte = chunk[at];
      if (isInText) {
        if (isEscaped) isEscaped = false;
        else if (byte === backslash) isEscaped = true;
        else if (byte === quote) isInText = false;
        continue;
      }
      if (byte === quote) isInText = true;
      else if (byte === openBrace || byte === openBracket) {
        if (rowDepth === undefined && depth === 0) {
          rowDepth = byte === openBracket ? 1 : 0;
          if (rowDepth === 1) start = at + 1;
        }
        depth += 1;
      } else if (byte === closeBrace || byte === closeBracket) {
        depth -= 1;
        const isRow = depth === rowDepth;
        const isListEnd = rowDepth === 1 && depth === 0;
        if (!isRow && !isListEnd) continue;
        take(chunk, start, isListEnd ? at : at + 1);
        start = at + 1;
        const text = finish();
        if (text !== '') yield text;
      } else if (byte === comma && rowDepth === 1 && depth === 1) {
        take(chunk, start, at);
        start = at + 1;
        const text = finish();
        if (text !== '') yield text;
      }
    }
    take(chunk, start, chunk.length);
  }
  // A list that is cut between two rows has no other sign of the rows that are missing.
  if (depth > 0 || isInText) {
    throw new SourceProblem('FILE_CORRUPT', 'The JSON ends within a list, an object or a text.');
  }
  const rest = finish();
  if (rest !== '') yield rest;
}

const lineFeed = 10;

/**
 * Splits bytes into lines, one at a time in memory; undefined for one that is not UTF-8.
 *
 * @throws SourceProblem ROW_TOO_LONG when one has more than `rowBytesMax` bytes
 */
async function* splitLines(
  bytes: AsyncIterable<Uint8Array>,
  rowBytesMax: number,
): AsyncGenerator<string | undefined> {
  let parts: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of bytes) {
    let start = 0;
    for (;;) {
      const end = chunk.indexOf(lineFeed, start);
      const part = chunk.subarray(start, end < 0 ? chunk.length : end);
      length += part.length;
      if (length > rowBytesMax) {
        throw new SourceProblem('ROW_TOO_LONG', `A line is longer than ${rowBytesMax} bytes.`);
      }
      parts.push(part);
      if (end < 0) break;
      yield textOf(parts);
      [parts, length] = [[], 0];
      start = end + 1;
    }
  }
  if (length > 0) yield textOf(parts);
}

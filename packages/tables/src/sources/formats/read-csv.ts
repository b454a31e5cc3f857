import { CsvError, parse } from 'csv-parse';
import type { SourceRow, SourceValue } from '../../row.ts';
import { SourceProblem } from '../source-file.ts';
import { type CsvOptions, delimiterHint } from './csv-options.ts';
import {
  compressionOf,
  fileBytes,
  readHead,
  type RowReader,
  type RowReading,
  through,
} from './row-reading.ts';

/**
 * Reads lines of cells (RFC 4180); the first line has the column names. Empty cells have no value;
 * all others are text.
 */
export const readCsv: RowReader = (reading) => readDelimited(reading, reading.csv.delimiter ?? ',');

/** Reads the same format with tabs as separators. */
export const readTsv: RowReader = (reading) =>
  readDelimited(reading, reading.csv.delimiter ?? '\t');

async function* readDelimited(reading: RowReading, delimiter: string): AsyncGenerator<SourceRow> {
  const { csv, rowsMax, rowBytesMax, file } = reading;
  const { raw, plain } = await readHead(reading, 4);
  if (csv.problem !== undefined) throw new SourceProblem('BATCH_READER_PROPERTY', csv.problem);
  const parser = parse({
    bom: true,
    delimiter,
    quote: csv.quote ?? '"',
    escape: csv.quote ?? '"',
    comment: csv.comment ?? null,
    comment_no_infix: true,
    max_record_size: rowBytesMax,
    // Lines of one file may have different endings; by default, the parser would expect the first
    // one for all lines.
    record_delimiter: ['\r\n', '\n', '\r'],
    relax_column_count: true,
    relax_quotes: true,
    skip_empty_lines: true,
    trim: csv.trim ?? false,
  });
  let names: readonly string[] | undefined = csv.header;
  let isSkipped = names !== undefined && csv.skipHeader === true;
  let count = 0;
  try {
    const bytes = fileBytes(reading, compressionOf(raw));
    const encoding = plain[0] === 0xff && plain[1] === 0xfe ? 'utf-16le' : 'utf-8';
    for await (const cells of through<readonly string[]>(
      toUtf8(bytes, encoding, file.uri),
      parser,
    )) {
      if (names === undefined) {
        names = distinct(cells);
        continue;
      }
      if (isSkipped) {
        isSkipped = false;
        continue;
      }
      if (cells.length > names.length) {
        const hint = delimiterHint(names);
        reading.onProblem(
          'ROW_TOO_WIDE',
          `Row ${count + 1} of ${file.uri} has ${cells.length} cells, not ${names.length}.${hint === undefined ? '' : ` ${hint}`}`,
          'The other cells are ignored.',
        );
      }
      yield rowOf(names, cells, csv);
      count += 1;
      if (count >= rowsMax) return;
    }
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    const isLong = error.code === 'CSV_MAX_RECORD_SIZE';
    const message = isLong
      ? `A row of ${file.uri} is longer than ${rowBytesMax} characters.`
      : `${file.uri}: ${error.message}.`;
    throw new SourceProblem(isLong ? 'ROW_TOO_LONG' : 'FILE_CORRUPT', message, { cause: error });
  }
}

/**
 * Yields text in UTF-8. The parser would replace other bytes, and looks for delimiters at each byte
 * of UTF-16.
 *
 * @throws SourceProblem when the bytes are not in the encoding
 */
async function* toUtf8(
  bytes: AsyncIterable<Uint8Array>,
  encoding: 'utf-8' | 'utf-16le',
  uri: string,
): AsyncGenerator<Uint8Array> {
  const decoder = new TextDecoder(encoding, { fatal: true });
  let end = 0;
  const decode = (chunk: Uint8Array, options: { readonly stream: boolean }): string => {
    end += chunk.length;
    try {
      return decoder.decode(chunk, options);
    } catch (cause) {
      const name = encoding === 'utf-8' ? 'UTF-8' : 'UTF-16';
      const message = `${uri} is not text in ${name}: it has other bytes before byte ${end}.`;
      throw new SourceProblem('FILE_ENCODING', message, { cause });
    }
  };
  for await (const chunk of bytes) {
    const text = decode(chunk, { stream: true });
    yield encoding === 'utf-8' ? chunk : Buffer.from(text);
  }
  const rest = decode(new Uint8Array(), { stream: false });
  if (rest !== '' && encoding !== 'utf-8') yield Buffer.from(rest);
}

/**
 * Returns column names that are unique and not empty. The first of several columns with the same
 * name keeps it, and no other column gets the name of one.
 */
function distinct(cells: readonly string[]): readonly string[] {
  const given = cells.map((cell) => cell.trim());
  const firsts = new Map(given.map((name, index) => [name, index] as const).toReversed());
  const taken = new Set(given);
  // A search from the start would take half a minute for a name that 20,000 columns have.
  const numbers = new Map<string, number>();
  const numbered = (name: string): string => {
    let number = numbers.get(name) ?? 2;
    while (taken.has(`${name}_${number}`)) number += 1;
    numbers.set(name, number + 1);
    return `${name}_${number}`;
  };
  return given.map((cell, index) => {
    if (cell !== '' && firsts.get(cell) === index) return cell;
    const name = cell === '' ? `column_${index + 1}` : cell;
    const free = taken.has(name) ? numbered(name) : name;
    taken.add(free);
    return free;
  });
}

function rowOf(names: readonly string[], cells: readonly string[], csv: CsvOptions): SourceRow {
  return Object.fromEntries(names.map((name, index) => [name, valueOf(cells[index] ?? '', csv)]));
}

function valueOf(cell: string, { listDelimiter, nullText }: CsvOptions): SourceValue {
  if (cell === '' || cell === nullText) return null;
  return listDelimiter !== undefined && cell.includes(listDelimiter)
    ? cell.split(listDelimiter)
    : cell;
}

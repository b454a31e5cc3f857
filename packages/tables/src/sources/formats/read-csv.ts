import { CsvError, parse } from 'csv-parse';
import type { SourceRow, SourceValue } from '../../row.ts';
import { SourceProblem } from '../source-file.ts';
import {
  compressionOf,
  type CsvOptions,
  fileBytes,
  readHead,
  type RowReader,
  type RowReading,
  through,
} from './row-reading.ts';

/**
 * Reads lines of cells (RFC 4180); the first line names the columns. Empty cells have no value;
 * everything else is text.
 */
export const readCsv: RowReader = (reading) => readDelimited(reading, reading.csv.delimiter ?? ',');

/** The same with tabs. */
export const readTsv: RowReader = (reading) =>
  readDelimited(reading, reading.csv.delimiter ?? '\t');

async function* readDelimited(reading: RowReading, delimiter: string): AsyncGenerator<SourceRow> {
  const { csv, rowsMax, rowBytesMax, file } = reading;
  const { raw } = await readHead(reading, 4);
  const parser = parse({
    bom: true,
    delimiter,
    max_record_size: rowBytesMax,
    // Lines of one file may end in different ways; left alone, the parser would take the first for
    // all.
    record_delimiter: ['\r\n', '\n', '\r'],
    relax_column_count: true,
    relax_quotes: true,
    skip_empty_lines: true,
  });
  let names: readonly string[] | undefined = csv.header;
  let count = 0;
  try {
    for await (const cells of through<readonly string[]>(
      fileBytes(reading, compressionOf(raw)),
      parser,
    )) {
      if (names === undefined) {
        names = distinct(cells);
        continue;
      }
      if (cells.length > names.length) {
        reading.onProblem(
          'ROW_TOO_WIDE',
          `Row ${count + 1} of ${file.uri} has ${cells.length} cells, not ${names.length}; the others are left out.`,
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

/** Names of columns, of which none is empty and none comes twice. */
function distinct(cells: readonly string[]): readonly string[] {
  const taken = new Set<string>();
  return cells.map((cell, index) => {
    const name = cell.trim() === '' ? `column_${index + 1}` : cell.trim();
    let free = name;
    for (let number = 2; taken.has(free); number += 1) free = `${name}_${number}`;
    taken.add(free);
    return free;
  });
}

function rowOf(
  names: readonly string[],
  cells: readonly string[],
  { listDelimiter }: CsvOptions,
): SourceRow {
  return Object.fromEntries(
    names.map((name, index) => [name, valueOf(cells[index] ?? '', listDelimiter)]),
  );
}

function valueOf(cell: string, listDelimiter: string | undefined): SourceValue {
  if (cell === '') return null;
  return listDelimiter !== undefined && cell.includes(listDelimiter)
    ? cell.split(listDelimiter)
    : cell;
}

type BatchConfig = Readonly<Record<string, unknown>>;

/** What a batch config says of how CSV is written. */
export function csvOptionsOf(batchConfig: BatchConfig): CsvOptions {
  const header = textOf(batchConfig, 'recordReader.prop.header');
  const delimiter = textOf(batchConfig, 'recordReader.prop.delimiter');
  return {
    delimiter: delimiter === '\\t' ? '\t' : delimiter,
    listDelimiter: textOf(batchConfig, 'recordReader.prop.multiValueDelimiter'),
    header: header?.split(delimiter ?? ',').map((name) => name.trim()),
  };
}

/** A member of a batch config that is text and not empty. */
export function textOf(batchConfig: BatchConfig, member: string): string | undefined {
  const value = Object.hasOwn(batchConfig, member) ? batchConfig[member] : undefined;
  return typeof value === 'string' && value !== '' ? value : undefined;
}

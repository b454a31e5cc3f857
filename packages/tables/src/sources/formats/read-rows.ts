import { isQuireError, QuireError } from '@quire/core';
import { defaultDigitsMax } from '../../model/document.ts';
import type { SourceRow } from '../../row.ts';
import { ByteBudget, type SourceFile, SourceProblem } from '../source-file.ts';
import { compressionOf, readHead, type RowReader, type RowReading } from './row-reading.ts';
import { readArrow } from './read-arrow.ts';
import { readAvro } from './read-avro.ts';
import { csvOptionsOf, textOf } from './csv-options.ts';
import { readCsv, readTsv } from './read-csv.ts';
import { readJson, readJsonLines } from './read-json.ts';
import { readParquet } from './read-parquet.ts';

/** The file formats that rows can be read from. */
export const fileFormats = ['csv', 'tsv', 'json', 'jsonl', 'parquet', 'arrow', 'avro'] as const;

export type FileFormat = (typeof fileFormats)[number];

const endings: readonly (readonly [pattern: RegExp, format: FileFormat])[] = [
  [/\.(jsonl|ndjson|jsonlines)$/i, 'jsonl'],
  [/\.json$/i, 'json'],
  [/\.csv$/i, 'csv'],
  [/\.(tsv|tab)$/i, 'tsv'],
  [/\.(parquet|pq)$/i, 'parquet'],
  [/\.(arrow|arrows|feather)$/i, 'arrow'],
  [/\.avro$/i, 'avro'],
];

/**
 * Detects the format of a file: by its first bytes if they are specific, otherwise by the suffix of
 * its name, otherwise by the start of its text. @throws SourceProblem FILE_FORMAT when it is not
 * text
 */
function formatOf(uri: string, head: Uint8Array): FileFormat {
  const text = Buffer.from(head).toString('latin1');
  if (text.startsWith('PAR1')) return 'parquet';
  if (text.startsWith('ARROW1')) return 'arrow';
  if (text.startsWith('Obj\u0001')) return 'avro';
  const name = uri.replace(/\.(gz|gzip|zst|zstd)$/i, '');
  const byName = endings.find(([pattern]) => pattern.test(name))?.[1];
  if (byName !== undefined) return byName;
  if (head.includes(0)) {
    throw new SourceProblem(
      'FILE_FORMAT',
      `${uri} is neither text nor in a supported binary format.`,
    );
  }
  return /^(?:ï»¿)?\s*[[{]/.test(text) ? 'json' : 'csv';
}

/** Returns the format that a config names; undefined if it is unknown. */
export function formatNamed(name: string): FileFormat | undefined {
  const word = name.toLowerCase();
  return fileFormats.find((format) => format === word);
}

const readers: Readonly<Record<FileFormat, RowReader>> = {
  csv: readCsv,
  tsv: readTsv,
  json: readJson,
  jsonl: readJsonLines,
  parquet: readParquet,
  arrow: readArrow,
  avro: readAvro,
};

/**
 * Formats with internal compression: if the whole file were compressed, random access would not be
 * possible.
 */
const jumping: readonly FileFormat[] = ['parquet', 'arrow', 'avro'];

/** The number of bytes by which a format is detected. */
const headBytes = 64;

/** An opened file: its format, and its first rows. */
export interface OpenedRows {
  readonly format: FileFormat;
  readonly rows: AsyncIterable<SourceRow>;
}

/** Opens the rows of a file of any format. @throws SourceProblem when it cannot be read */
export async function openRows(
  reading: RowReading,
  named: FileFormat | undefined,
): Promise<OpenedRows> {
  const { raw, plain } = await readHead(reading, headBytes);
  const format = named ?? formatOf(reading.file.uri, plain);
  if (jumping.includes(format) && compressionOf(raw) !== 'none') {
    throw new SourceProblem(
      'FILE_COMPRESSED',
      `${reading.file.uri}: ${format} files are compressed internally; they cannot be compressed as a whole.`,
    );
  }
  return { format, rows: readers[format](reading) };
}

/** The options of reading rows from files. */
export interface FileRowsOptions {
  /** `inputFormat` and `recordReader.prop.…`, as in the batch config of a table. */
  readonly batchConfig: Readonly<Record<string, unknown>>;
  /** The maximum size of a row that is read. */
  readonly rowBytesMax: number;
  readonly signal: AbortSignal;
}

/**
 * Reads all rows of a file, in order; its format is detected unless the batch config names it.
 *
 * @throws INGESTION_FAILED when it cannot be read to its end, or a row of it cannot be read;
 *   INVALID_PARAMETER when the format is unknown
 */
export async function* openFileRows(
  file: SourceFile,
  options: FileRowsOptions,
): AsyncGenerator<SourceRow> {
  const { batchConfig, rowBytesMax, signal } = options;
  const budget = new ByteBudget(Number.POSITIVE_INFINITY);
  let problem: string | undefined;
  const onProblem = (_code: string, reason: string): void => {
    problem ??= reason;
  };
  const reading = {
    file,
    rowsMax: Infinity,
    rowBytesMax,
    digitsMax: defaultDigitsMax,
    budget,
    signal,
    csv: csvOptionsOf(batchConfig),
    onProblem,
  };
  try {
    const { rows } = await openRows(reading, formatOfConfig(batchConfig));
    for await (const row of rows) {
      if (problem !== undefined) break;
      yield row;
    }
  } catch (error) {
    if (isQuireError(error)) throw error;
    if (!(error instanceof SourceProblem)) throw error;
    throw new QuireError('INGESTION_FAILED', error.message, { cause: error });
  }
  if (problem !== undefined) throw new QuireError('INGESTION_FAILED', problem);
}

/**
 * Returns the format that the batch config of a call names; undefined if it names none.
 *
 * @throws INVALID_PARAMETER when it is unknown
 */
export function formatOfConfig(
  batchConfig: Readonly<Record<string, unknown>>,
): FileFormat | undefined {
  const name = textOf(batchConfig, 'inputFormat');
  if (name === undefined) return undefined;
  const format = formatNamed(name);
  if (format !== undefined) return format;
  const message = `inputFormat = ${name.slice(0, 40)}: expected one of ${fileFormats.join(', ')}.`;
  throw new QuireError('INVALID_PARAMETER', message);
}

import type { SourceRow } from '../../row.ts';
import { SourceProblem } from '../source-file.ts';
import { compressionOf, readHead } from './file-bytes.ts';
import { type FileFormat, formatOf } from './file-format.ts';
import { readArrow } from './read-arrow.ts';
import { readAvro } from './read-avro.ts';
import { readCsv, readTsv } from './read-csv.ts';
import { readJson, readJsonLines } from './read-json.ts';
import { readParquet } from './read-parquet.ts';
import type { RowReader, RowReading } from './row-reading.ts';

const readers: Readonly<Record<FileFormat, RowReader>> = {
  csv: readCsv,
  tsv: readTsv,
  json: readJson,
  jsonl: readJsonLines,
  parquet: readParquet,
  arrow: readArrow,
  avro: readAvro,
};

/** Formats that compress inside: as a whole they cannot be jumped in. */
const jumping: readonly FileFormat[] = ['parquet', 'arrow', 'avro'];

/** Bytes that a format is told by. */
const headBytes = 64;

/** An opened file: its format, and its first rows. */
export interface OpenedRows {
  readonly format: FileFormat;
  readonly rows: AsyncIterable<SourceRow>;
}

/** Opens the rows of a file of any format. @throws SourceProblem when it cannot be read */
export async function openRows(reading: RowReading, named: FileFormat | undefined): Promise<OpenedRows> {
  const { raw, plain } = await readHead(reading, headBytes);
  const format = named ?? formatOf(reading.file.uri, plain);
  if (jumping.includes(format) && compressionOf(raw) !== 'none') {
    throw new SourceProblem('FILE_COMPRESSED', `${reading.file.uri}: ${format} is compressed inside, not as a whole.`);
  }
  return { format, rows: readers[format](reading) };
}

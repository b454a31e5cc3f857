import { isQuireError, QuireError } from '@quire/core';
import type { SourceRow } from '../row.ts';
import { ByteBudget, type SourceFile, SourceProblem } from './source-file.ts';
import { csvOptionsOf, textOf } from './formats/read-csv.ts';
import { type FileFormat, fileFormats, formatNamed } from './formats/file-format.ts';
import { openRows } from './formats/read-rows.ts';

export interface FileRowsOptions {
  /** `inputFormat` and `recordReader.prop.…`, as in the batch config of a table. */
  readonly batchConfig: Readonly<Record<string, unknown>>;
  /** The longest row that is read. */
  readonly rowBytesMax: number;
  readonly signal: AbortSignal;
}

/** Digits of a number in JSON: as many as previews take. */
const digitsMax = 1_000;

/**
 * All rows of a file, as they come; its format is told by its content unless the batch config names it.
 *
 * @throws INGESTION_FAILED when it cannot be read to its end, or a row of it cannot be read
 */
export async function* openFileRows(file: SourceFile, options: FileRowsOptions): AsyncGenerator<SourceRow> {
  const { batchConfig, rowBytesMax, signal } = options;
  const budget = new ByteBudget(Number.POSITIVE_INFINITY);
  let problem: string | undefined;
  const onProblem = (_code: string, message: string): void => {
    problem ??= message;
  };
  const reading = { file, rowsMax: Infinity, rowBytesMax, digitsMax, budget, signal, csv: csvOptionsOf(batchConfig), onProblem };
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

function formatOfConfig(batchConfig: Readonly<Record<string, unknown>>): FileFormat | undefined {
  const name = textOf(batchConfig, 'inputFormat');
  if (name === undefined) return undefined;
  const format = formatNamed(name);
  if (format !== undefined) return format;
  const message = `inputFormat = ${name.slice(0, 40)}: expected one of ${fileFormats.join(', ')}.`;
  throw new QuireError('INGESTION_FAILED', message);
}

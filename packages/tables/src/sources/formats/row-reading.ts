import type { SourceRow } from '../../row.ts';
import type { ByteBudget, SourceFile } from '../source-file.ts';

/** How rows are read. */
export interface RowReading {
  readonly file: SourceFile;
  /** Most rows that are wanted. */
  readonly rowsMax: number;
  readonly rowBytesMax: number;
  /** Most digits of an integer; a row with a longer one is left out. */
  readonly digitsMax: number;
  readonly budget: ByteBudget;
  readonly signal: AbortSignal;
  readonly csv: CsvOptions;
  /** Told of rows that are left out, while reading goes on. */
  readonly onProblem: (code: string, message: string) => void;
}

/** How a CSV file is written. */
export interface CsvOptions {
  /** Undefined: a comma, or a tab where the file's name ends in tsv. */
  readonly delimiter?: string | undefined;
  /** Names of the columns; undefined: the first line has them. */
  readonly header?: readonly string[] | undefined;
  /** What stands between the values of a list; undefined: there are no lists. */
  readonly listDelimiter?: string | undefined;
}

/** Reads the first rows of a file. @throws SourceProblem when it cannot be read further; rows that came before are good */
export type RowReader = (reading: RowReading) => AsyncIterable<SourceRow>;

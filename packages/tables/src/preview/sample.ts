import type { MessageStream, StreamStart } from '@quire/streams';
import { type Clock, formatBytes } from '@quire/core';
import { defaultDigitsMax } from '../model/document.ts';
import type { Finding } from '../finding.ts';
import { SizeBudget, SizeLimitReached, sizeOf } from '../pipeline/working-row.ts';
import type { SourceRow, SourceValue } from '../row.ts';
import type { FileFinder } from '../sources/source-file.ts';

/** The rows for the preview of a table, and their sources. */
export interface Sample {
  readonly rows: readonly SourceRow[];
  /** The same rows as in the request, if it contains rows. */
  readonly givenRows?: readonly GivenRow[];
  /** True if texts may represent numbers, as in CSV. */
  readonly hasTypedText: boolean;
  /** The fields that are decimals in a file, where their values may be text. */
  readonly decimals: ReadonlySet<string>;
  /** Files that were read, or would be. */
  readonly files: readonly string[];
  readonly matchingFileCount: number;
  readonly findings: readonly Finding[];
  readonly realtime: RealtimeSample;
}

/** A row as in a request. */
export interface GivenRow {
  readonly nullValueFields: readonly string[];
  readonly fieldToValueMap: SourceRow;
}

/** Returns the finding about a sample with too few rows, if it is one. */
export function fewRows(rowCount: number, wantedCount: number | undefined): readonly Finding[] {
  const least = wantedCount ?? 1;
  if (rowCount >= least) return [];
  const message = `There are ${rowCount} rows to sample; at least ${least} are requested.`;
  return [{ path: '/config/sampling/min', code: 'FEW_ROWS', severity: 'warning', message }];
}

/** The results of reading streams. */
export interface RealtimeSample {
  readonly partitionCount: number;
  /** The number of partition readers that were started, and of those that failed. */
  readonly runnableCount: number;
  readonly exceptionCount: number;
  readonly metadataFetchTimeMs: number;
}

/** An empty sample. */
export const noSample: Sample = {
  rows: [],
  hasTypedText: false,
  decimals: new Set(),
  files: [],
  matchingFileCount: 0,
  findings: [],
  realtime: { partitionCount: 0, runnableCount: 0, exceptionCount: 0, metadataFetchTimeMs: 0 },
};

/** A stream that may be read, and the position at which a table starts to read it. */
export interface PreviewStream {
  readonly stream: MessageStream;
  readonly start: StreamStart;
}

/** The dependencies and limits of sampling. */
export interface SampleOptions {
  readonly clock: Clock;
  readonly finder: FileFinder | undefined;
  /** `inputFormat` and `recordReader.prop.…` of the `sourceFiles`. */
  readonly batchConfig: Readonly<Record<string, unknown>> | undefined;
  /**
   * Opens a stream that may be sampled. @throws STREAM_INVALID when it may not be sampled, or
   * cannot work
   */
  readonly openStream: ((config: Readonly<Record<string, string>>) => PreviewStream) | undefined;
  readonly limits: PreviewLimits;
  readonly signal: AbortSignal;
}

/** The limits of one preview. */
export interface PreviewLimits {
  /** The maximum number of rows that are processed. */
  readonly rowsMax: number;
  /** The maximum number of bytes that are read of all files together, after decompression. */
  readonly bytesMax: number;
  /** The maximum size of a row of a file, in bytes. */
  readonly rowBytesMax: number;
  /** The maximum number of files that are read. */
  readonly filesMax: number;
  /** The maximum number of digits of an integer. */
  readonly digitsMax: number;
  /** The maximum size of a value of a row, in bytes; a character counts as one. */
  readonly valueBytesMax: number;
  /** The maximum number of columns of all rows together, including those of nested objects. */
  readonly columnsMax: number;
  /**
   * The maximum number of bytes of the values of all rows, and separately of all values that are
   * computed from them.
   */
  readonly rowsBytesMax: number;
  /** The maximum number of bytes of the response. */
  readonly answerBytesMax: number;
  readonly timeMaxMs: number;
}

/** The default limits. */
export const previewLimits: PreviewLimits = {
  rowsMax: 10_000,
  bytesMax: 64 * 1024 * 1024,
  rowBytesMax: 4 * 1024 * 1024,
  filesMax: 100,
  digitsMax: defaultDigitsMax,
  valueBytesMax: 4 * 1024 * 1024,
  columnsMax: 5_000,
  rowsBytesMax: 64 * 1024 * 1024,
  answerBytesMax: 32 * 1024 * 1024,
  timeMaxMs: 30_000,
};

/**
 * The maximum length of a name of a column including the names of its parent objects, in
 * characters.
 */
const nameLengthMax = 10_000;

/** The reason why a row is skipped. */
export interface RowRefusal {
  readonly code: 'VALUE_TOO_LARGE' | 'NAME_TOO_LONG' | 'COLUMN_LIMIT' | 'SIZE_LIMIT';
  /** A sentence with the size of the row and the limit. */
  readonly message: string;
}

/** Admits rows to a sample within limits on the size of each row and of all rows. */
export class SampleBudget {
  readonly #limits: PreviewLimits;
  readonly #size: SizeBudget;
  readonly #columns = new Set<string>();
  #lastNames: readonly string[] = [];

  constructor(limits: PreviewLimits) {
    this.#limits = limits;
    this.#size = new SizeBudget(limits.rowsBytesMax);
  }

  /**
   * Counts a row; returns the reason if it is too large. After SIZE_LIMIT all further rows are
   * refused.
   */
  refuse(row: SourceRow): RowRefusal | undefined {
    const added = new Set<string>();
    const names = Object.keys(row);
    const refusal = this.#check(row, names, added);
    if (refusal !== undefined) return refusal;
    for (const name of added) this.#columns.add(name);
    this.#lastNames = names;
    return undefined;
  }

  #check(row: SourceRow, names: readonly string[], added: Set<string>): RowRefusal | undefined {
    const { valueBytesMax, rowsBytesMax, columnsMax } = this.#limits;
    for (let index = 0; index < names.length; index += 1) {
      const name = names[index] ?? '';
      const value = row[name] ?? null;
      const size = sizeOf(value);
      if (size > valueBytesMax) {
        const message = `It has a value of ${formatBytes(size)} in ${shorten(name)}; at most ${formatBytes(valueBytesMax)} are allowed.`;
        return { code: 'VALUE_TOO_LARGE', message };
      }
      try {
        this.#size.take(name.length + size);
      } catch (error) {
        if (!(error instanceof SizeLimitReached)) throw error;
        const message = `With it, all rows together exceed ${formatBytes(rowsBytesMax)}; it and all later ones are skipped.`;
        return { code: 'SIZE_LIMIT', message };
      }
      // Most rows have the same fields as the previous one.
      if (typeof value !== 'object' && name === this.#lastNames[index]) continue;
      const longName = this.#addColumns(name, value, added);
      if (longName !== undefined) {
        const message = `It has a name of ${longName.length} characters, ${shorten(longName)}; at most ${nameLengthMax} are allowed.`;
        return { code: 'NAME_TOO_LONG', message };
      }
      if (this.#columns.size + added.size > columnsMax) {
        return {
          code: 'COLUMN_LIMIT',
          message: `With it there are more than ${columnsMax} columns.`,
        };
      }
    }
    return undefined;
  }

  /**
   * Counts a column, or the columns that an object in it would become; returns a name that is too
   * long.
   */
  #addColumns(path: string, value: SourceValue, added: Set<string>): string | undefined {
    if (path.length > nameLengthMax) return path;
    // One above the limit is enough to detect it.
    const isNew =
      this.#columns.size + added.size <= this.#limits.columnsMax && !this.#columns.has(path);
    if (isNew) added.add(path);
    if (typeof value !== 'object' || value === null || value instanceof Uint8Array) {
      return undefined;
    }
    if (Array.isArray(value)) {
      for (const element of value as readonly SourceValue[]) {
        if (typeof element !== 'object' || element === null) continue;
        const found = this.#addColumns(path, element, added);
        if (found !== undefined) return found;
      }
      return undefined;
    }
    for (const [name, member] of Object.entries(value as Readonly<Record<string, SourceValue>>)) {
      const found = this.#addColumns(`${path}.${name}`, member, added);
      if (found !== undefined) return found;
    }
    return undefined;
  }
}

function shorten(name: string): string {
  return name.length > 60 ? `${name.slice(0, 60)}…` : name;
}

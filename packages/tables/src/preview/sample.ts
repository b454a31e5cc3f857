import type { MessageStream, StreamStart } from '@quire/streams';
import { type Clock, formatBytes } from '@quire/core';
import { defaultDigitsMax } from '../model/document.ts';
import type { Finding } from '../finding.ts';
import { SizeBudget, SizeLimitReached, sizeOf } from '../pipeline/working-row.ts';
import type { SourceRow, SourceValue } from '../row.ts';
import type { FileFinder } from '../sources/source-file.ts';

/** Rows to preview a table with, and where they come from. */
export interface Sample {
  readonly rows: readonly SourceRow[];
  /** The same rows as the request has them, where it has them. */
  readonly givenRows?: readonly GivenRow[];
  /** Whether their texts may stand for numbers, as those of CSV do. */
  readonly hasTypedText: boolean;
  /** Files that were read, or that would be. */
  readonly files: readonly string[];
  readonly matchingFileCount: number;
  readonly findings: readonly Finding[];
  readonly realtime: RealtimeSample;
}

/** A row as a request has it. */
export interface GivenRow {
  readonly nullValueFields: readonly string[];
  readonly fieldToValueMap: SourceRow;
}

/** The finding about a sample with fewer rows than are wanted, if it is one. */
export function fewRows(rowCount: number, wantedCount: number | undefined): readonly Finding[] {
  const least = wantedCount ?? 1;
  if (rowCount >= least) return [];
  const message = `There are ${rowCount} rows to sample; ${least} are wanted.`;
  return [{ path: '/config/sampling/min', code: 'FEW_ROWS', severity: 'warning', message }];
}

/** The outcome of reading streams. */
export interface RealtimeSample {
  readonly partitionCount: number;
  /** Readers of partitions that were started, and those of them that failed. */
  readonly runnableCount: number;
  readonly exceptionCount: number;
  readonly metadataFetchTimeMs: number;
}

/** A sample of nothing. */
export const noSample: Sample = {
  rows: [],
  hasTypedText: false,
  files: [],
  matchingFileCount: 0,
  findings: [],
  realtime: { partitionCount: 0, runnableCount: 0, exceptionCount: 0, metadataFetchTimeMs: 0 },
};

/** A stream that may be read, and where a table begins that reads it. */
export interface PreviewStream {
  readonly stream: MessageStream;
  readonly start: StreamStart;
}

/** What a sample is taken with. */
export interface SampleOptions {
  readonly clock: Clock;
  readonly finder: FileFinder | undefined;
  /** Opens a stream that may be sampled. @throws STREAM_INVALID when it may not, or cannot work */
  readonly openStream: ((config: Readonly<Record<string, string>>) => PreviewStream) | undefined;
  readonly limits: PreviewLimits;
  readonly signal: AbortSignal;
}

/** What one preview may take. */
export interface PreviewLimits {
  /** Most rows that are looked at. */
  readonly rowsMax: number;
  /** Most bytes that are read of all files together, as they are after decompression. */
  readonly bytesMax: number;
  /** Longest row of a file, in bytes. */
  readonly rowBytesMax: number;
  /** Most files that are read. */
  readonly filesMax: number;
  /** Most digits of an integer. */
  readonly digitsMax: number;
  /** Largest value of a row, in bytes; characters count as one. */
  readonly valueBytesMax: number;
  /** Most columns of all rows together, those of nested objects among them. */
  readonly columnsMax: number;
  /**
   * Most bytes of the values of all rows, and again of everything that is made of them on the way.
   */
  readonly rowsBytesMax: number;
  /** Most bytes of the answer. */
  readonly answerBytesMax: number;
  readonly timeMaxMs: number;
}

/** The limits that hold where nobody sets others. */
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

/** Longest name of a column, with those of the objects that it lies in, in characters. */
const nameLengthMax = 10_000;

/** Why a row is left out. */
export interface RowRefusal {
  readonly code: 'VALUE_TOO_LARGE' | 'NAME_TOO_LONG' | 'COLUMN_LIMIT' | 'SIZE_LIMIT';
  /** Says of the row what it has, and what it may have. */
  readonly message: string;
}

/** Lets rows into a sample as long as they are small enough, each by itself and all together. */
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
   * Counts a row; says why it cannot be taken where it is too large. After SIZE_LIMIT no other one
   * is taken either.
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
        const message = `It has a value of ${formatBytes(size)} in ${shorten(name)}; at most ${formatBytes(valueBytesMax)} are taken.`;
        return { code: 'VALUE_TOO_LARGE', message };
      }
      try {
        this.#size.take(name.length + size);
      } catch (error) {
        if (!(error instanceof SizeLimitReached)) throw error;
        const message = `With it all rows together have more than ${formatBytes(rowsBytesMax)}; it and those behind it are left out.`;
        return { code: 'SIZE_LIMIT', message };
      }
      // Rows mostly have the same fields as the one before.
      if (typeof value !== 'object' && name === this.#lastNames[index]) continue;
      const longName = this.#addColumns(name, value, added);
      if (longName !== undefined) {
        const message = `It has a name of ${longName.length} characters, ${shorten(longName)}; at most ${nameLengthMax} are taken.`;
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
   * Counts a column, and those that the objects in it would become; gives a name that is too long.
   */
  #addColumns(path: string, value: SourceValue, added: Set<string>): string | undefined {
    if (path.length > nameLengthMax) return path;
    // One more tells that there are too many.
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

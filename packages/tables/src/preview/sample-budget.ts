import { formatBytes } from '@quire/core';
import { SizeBudget, SizeLimitReached, sizeOf } from '../pipeline/size-budget.ts';
import type { SourceRow, SourceValue } from '../row.ts';
import type { PreviewLimits } from './preview-limits.ts';

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

  constructor(limits: PreviewLimits) {
    this.#limits = limits;
    this.#size = new SizeBudget(limits.rowsBytesMax);
  }

  /** Counts a row; says why it cannot be taken where it is too large. After SIZE_LIMIT no other one is taken either. */
  refuse(row: SourceRow): RowRefusal | undefined {
    const added = new Set<string>();
    const refusal = this.#check(row, added);
    if (refusal === undefined) for (const name of added) this.#columns.add(name);
    return refusal;
  }

  #check(row: SourceRow, added: Set<string>): RowRefusal | undefined {
    const { valueBytesMax, rowsBytesMax, columnsMax } = this.#limits;
    for (const [name, value] of Object.entries(row)) {
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
      const longName = this.#addColumns(name, value, added);
      if (longName !== undefined) {
        const message = `It has a name of ${longName.length} characters, ${shorten(longName)}; at most ${nameLengthMax} are taken.`;
        return { code: 'NAME_TOO_LONG', message };
      }
      if (this.#columns.size + added.size > columnsMax) {
        return { code: 'COLUMN_LIMIT', message: `With it there are more than ${columnsMax} columns.` };
      }
    }
    return undefined;
  }

  /** Counts a column, and those that the objects in it would become; gives a name that is too long. */
  #addColumns(path: string, value: SourceValue, added: Set<string>): string | undefined {
    if (path.length > nameLengthMax) return path;
    // One more tells that there are too many.
    const isNew = this.#columns.size + added.size <= this.#limits.columnsMax && !this.#columns.has(path);
    if (isNew) added.add(path);
    if (typeof value !== 'object' || value === null || value instanceof Uint8Array) return undefined;
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

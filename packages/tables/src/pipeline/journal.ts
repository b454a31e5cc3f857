import type { Value } from '../expressions/index.ts';
import type { SourceValue } from '../row.ts';
import { plainValue } from './column-type.ts';
import { type SizeBudget, sizeOf } from './working-row.ts';

/**
 * The names of the steps, in the order in which they process rows; enrichment has two possible
 * positions.
 */
export const stepNames = [
  'enrichment',
  'flatten',
  'unnest',
  'renamePrefixes',
  'transform',
  'filter',
  'schemaConforming',
  'dataType',
  'timeCheck',
  'specialValue',
  'nullDefault',
  'sanitize',
  'projection',
] as const;

/** A step of the ingestion pipeline. */
export type StepName = (typeof stepNames)[number];

/** A kind of change of a column or a row. */
export type ChangeKind = 'added' | 'changed' | 'removed' | 'failed' | 'filtered' | 'unnested';

/** One occurrence of a change. */
export interface ChangeExample {
  readonly sourceIndex: number;
  readonly before?: SourceValue;
  readonly after?: SourceValue;
  readonly reason?: string;
}

/** The same occurrence, with the values of the pipeline. */
export interface NotedExample {
  readonly sourceIndex: number;
  readonly before?: Value;
  readonly after?: Value;
  readonly reason?: string;
}

/** A change that a step made to a column, or to whole rows: its count, and the first examples. */
export interface Change {
  readonly step: StepName;
  readonly kind: ChangeKind;
  /** Undefined if it concerns the row as a whole. */
  readonly column?: string;
  readonly count: number;
  readonly examples: readonly ChangeExample[];
}

/** The approximate size of an entry, in bytes; there may be one for each column and step. */
const entryBytes = 256;

/**
 * The maximum number of bytes of all examples: they are only explanations, and the rows have the
 * values as well.
 */
const examplesBytesMax = 2 * 1024 * 1024;

/**
 * Records the changes of a pipeline: counts all of them, and keeps a bounded number of examples of
 * each.
 */
export class Journal {
  readonly examplesMax: number;
  readonly #tallies: Tally[] = [];
  readonly #budget: SizeBudget;
  #exampleBytesLeft = examplesBytesMax;

  constructor(examplesMax: number, budget: SizeBudget) {
    this.examplesMax = examplesMax;
    this.#budget = budget;
  }

  /** The journal of one step. */
  forStep(step: StepName): StepJournal {
    return new StepJournal(step, this);
  }

  /** Adds a change that occurs for the first time. */
  open(tally: Tally): void {
    this.#budget.take(entryBytes);
    this.#tallies.push(tally);
  }

  fits(before: Value, after: Value): boolean {
    const bytes = sizeOf(before) + sizeOf(after);
    if (bytes > this.#exampleBytesLeft) return false;
    this.#exampleBytesLeft -= bytes;
    return true;
  }

  /** Returns all changes, in the order of their first occurrence. */
  changes(): readonly Change[] {
    return this.#tallies.map(({ step, kind, column, count, examples }) => {
      return { step, kind, ...(column !== undefined && { column }), count, examples };
    });
  }
}

/** Records the changes of one step. */
export class StepJournal {
  readonly #step: StepName;
  readonly #journal: Journal;
  readonly #byKind = new Map<ChangeKind, Map<string | undefined, Tally>>();
  readonly #ofColumns = new Map<ChangeKind, readonly Tally[]>();

  constructor(step: StepName, journal: Journal) {
    this.#step = step;
    this.#journal = journal;
  }

  note(
    kind: ChangeKind,
    column: string | undefined,
    { sourceIndex, before, after, reason }: NotedExample,
  ): void {
    this.#tallyOf(kind, column).add(sourceIndex, before, after, reason);
  }

  /**
   * Returns the tallies of a kind of change by column, for a step that makes it in nearly every
   * row. The columns of a kind must always be the same.
   */
  tallies(kind: ChangeKind, columns: readonly string[]): readonly Tally[] {
    let tallies = this.#ofColumns.get(kind);
    if (tallies === undefined) {
      this.#ofColumns.set(kind, (tallies = columns.map((column) => this.#tallyOf(kind, column))));
    }
    return tallies;
  }

  #tallyOf(kind: ChangeKind, column: string | undefined): Tally {
    let byColumn = this.#byKind.get(kind);
    if (byColumn === undefined) {
      this.#byKind.set(kind, (byColumn = new Map<string | undefined, Tally>()));
    }
    let tally = byColumn.get(column);
    if (tally === undefined) {
      byColumn.set(column, (tally = new Tally(this.#step, kind, column, this.#journal)));
    }
    return tally;
  }
}

/** Counts one kind of change that one step makes to one column. */
class Tally {
  readonly step: StepName;
  readonly kind: ChangeKind;
  readonly column: string | undefined;
  readonly examples: ChangeExample[] = [];
  count = 0;
  readonly #journal: Journal;

  constructor(step: StepName, kind: ChangeKind, column: string | undefined, journal: Journal) {
    this.step = step;
    this.kind = kind;
    this.column = column;
    this.#journal = journal;
  }

  /** Counts one occurrence, and keeps it as an example while there are few. */
  add(
    sourceIndex: number,
    before: Value | undefined,
    after: Value | undefined,
    reason?: string,
  ): void {
    if (this.count === 0) this.#journal.open(this);
    this.count += 1;
    if (
      this.examples.length >= this.#journal.examplesMax ||
      !this.#journal.fits(before ?? null, after ?? null)
    ) {
      return;
    }
    this.examples.push({
      sourceIndex,
      ...(before !== undefined && { before: plainValue(before) }),
      ...(after !== undefined && { after: plainValue(after) }),
      ...(reason !== undefined && { reason }),
    });
  }
}

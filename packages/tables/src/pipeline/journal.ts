import type { Value } from '@quire/expressions';
import type { SourceValue } from '../row.ts';
import { plainValue } from './column-type.ts';
import { type SizeBudget, sizeOf } from './working-row.ts';

/** The steps by name, in the order in which rows go through them; enrichment may come at either of two places. */
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

export type StepName = (typeof stepNames)[number];

/** What happened to a column, or to a row. */
export type ChangeKind = 'added' | 'changed' | 'removed' | 'failed' | 'filtered' | 'unnested';

/** One time that it happened. */
export interface ChangeExample {
  readonly sourceIndex: number;
  readonly before?: SourceValue;
  readonly after?: SourceValue;
  readonly reason?: string;
}

/** The same, with values as steps have them. */
export interface NotedExample {
  readonly sourceIndex: number;
  readonly before?: Value;
  readonly after?: Value;
  readonly reason?: string;
}

/** What a step did to a column, or to whole rows: how often, and the first examples of it. */
export interface Change {
  readonly step: StepName;
  readonly kind: ChangeKind;
  /** Undefined where it happened to the row as a whole. */
  readonly column?: string;
  readonly count: number;
  readonly examples: readonly ChangeExample[];
}

/** Where a step writes what it does. */
export interface StepJournal {
  note(kind: ChangeKind, column: string | undefined, example: NotedExample): void;
}

interface Entry {
  readonly step: StepName;
  readonly kind: ChangeKind;
  readonly column: string | undefined;
  count: number;
  readonly examples: ChangeExample[];
}

/** What an entry takes, in bytes: they are as many as columns and steps. */
const entryBytes = 256;

/** Most bytes of the values of all examples: they explain, and the rows have the values as well. */
const examplesBytesMax = 2 * 1024 * 1024;

/** Explains what a pipeline did: counts everything, and keeps a bounded number of examples of each change. */
export class Journal {
  readonly #examplesMax: number;
  readonly #entries: Entry[] = [];
  readonly #budget: SizeBudget;
  #exampleBytesLeft = examplesBytesMax;

  constructor(examplesMax: number, budget: SizeBudget) {
    this.#examplesMax = examplesMax;
    this.#budget = budget;
  }

  /** The journal as one step sees it. */
  forStep(step: StepName): StepJournal {
    const byKind = new Map<ChangeKind, Map<string | undefined, Entry>>();
    return {
      note: (kind, column, example) => {
        let byColumn = byKind.get(kind);
        if (byColumn === undefined) byKind.set(kind, (byColumn = new Map<string | undefined, Entry>()));
        let entry = byColumn.get(column);
        if (entry === undefined) {
          this.#budget.take(entryBytes);
          byColumn.set(column, (entry = { step, kind, column, count: 0, examples: [] }));
          this.#entries.push(entry);
        }
        entry.count += 1;
        if (entry.examples.length < this.#examplesMax && this.#hasRoomFor(example)) entry.examples.push(plainExample(example));
      },
    };
  }

  #hasRoomFor({ before = null, after = null }: NotedExample): boolean {
    const bytes = sizeOf(before) + sizeOf(after);
    if (bytes > this.#exampleBytesLeft) return false;
    this.#exampleBytesLeft -= bytes;
    return true;
  }

  /** All changes, in the order in which each first happened. */
  changes(): readonly Change[] {
    return this.#entries.map(({ column, ...entry }) => (column === undefined ? entry : { ...entry, column }));
  }
}

function plainExample({ before, after, ...example }: NotedExample): ChangeExample {
  return {
    ...example,
    ...(before !== undefined && { before: plainValue(before) }),
    ...(after !== undefined && { after: plainValue(after) }),
  };
}

import type { TableGenerator } from '../data/generate.ts';
import type { ComparisonReport } from './comparison.ts';

/** What every part of the benchmark is given. */
export interface BenchContext {
  /**
   * A smoke run: everything is tried, on little data and for a moment; its figures mean nothing.
   */
  readonly isQuick: boolean;
  /** The tables that are measured on. */
  readonly tables: TableGenerator;
  /** An empty directory of this part's own, removed afterwards. */
  readonly scratch: string;
  /** Where CPU profiles of Quire's processes go; undefined for none. */
  readonly profileDirectory: string | undefined;
  /** Says what is being done now. */
  readonly progress: (what: string) => void;
}

/** A part of the benchmark: sets its stage, measures, and cleans up behind itself. */
export interface Part {
  readonly name: string;
  readonly title: string;
  /**
   * Takes more time or room than a run of everything should: runs when it is named, and in a smoke
   * run.
   */
  readonly isOnRequest?: boolean;
  run(context: BenchContext): Promise<PartOutcome>;
}

export interface PartOutcome {
  readonly comparisons: readonly ComparisonReport[];
  /** What a reader has to know: a rival that was left out, and why. */
  readonly notes: readonly string[];
}

export interface PartReport extends PartOutcome {
  readonly name: string;
  readonly title: string;
  readonly elapsedMs: number;
}

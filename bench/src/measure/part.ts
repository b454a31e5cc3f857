import type { TableGenerator } from '../data/generate.ts';
import type { ComparisonReport } from './comparison.ts';

/** The inputs of every part of the benchmark. */
export interface BenchContext {
  /** A smoke run: everything runs, on little data and for a moment; its figures are meaningless. */
  readonly isQuick: boolean;
  /** The tables of the measurements. */
  readonly tables: TableGenerator;
  /** An empty directory for this part only, removed afterwards. */
  readonly scratch: string;
  /** The directory of CPU profiles of Quire's processes; undefined for none. */
  readonly profileDirectory: string | undefined;
  /** Reports the current activity. */
  readonly progress: (what: string) => void;
}

/** A part of the benchmark: prepares its environment, measures, and cleans up. */
export interface Part {
  readonly name: string;
  readonly title: string;
  /**
   * Takes more time or memory than a run of all parts should: runs when it is named, and in a smoke
   * run.
   */
  readonly isOnRequest?: boolean;
  run(context: BenchContext): Promise<PartOutcome>;
}

export interface PartOutcome {
  readonly comparisons: readonly ComparisonReport[];
  /** Notes for readers, such as a rival that was omitted, with the reason. */
  readonly notes: readonly string[];
}

export interface PartReport extends PartOutcome {
  readonly name: string;
  readonly title: string;
  readonly elapsedMs: number;
}

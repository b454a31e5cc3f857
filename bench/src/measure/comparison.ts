import { type Contender, interleave, type Rounds } from './interleave.ts';
import {
  ratioOfRounds,
  type Spread,
  spreadOfRounds,
  type Summary,
  summarize,
} from './statistics.ts';

export type Unit = 'ms' | 'ns' | 'MB' | 'MB/s' | 'rows/s' | 'pages/s' | 'results/s' | 'calls/s';

/** A comparison: contenders at one or more levels of one factor, all measured alternately. */
export interface Comparison {
  /** Short and stable: names the comparison in files and goals. */
  readonly id: string;
  readonly title: string;
  readonly unit: Unit;
  /** The factor that distinguishes the levels: `offset`, `rows of the result`. */
  readonly factor: string;
  /**
   * True if the levels can be compared with each other: pages at two offsets can, two kinds of
   * columns cannot.
   */
  readonly comparesLevels: boolean;
  readonly entries: readonly ComparisonEntry[];
}

export interface ComparisonEntry {
  readonly level: string;
  /** The contenders; `quire` is this program. */
  readonly name: string;
  readonly contender: Contender;
}

/** A comparison with its measurements. */
export interface ComparisonReport extends Omit<Comparison, 'entries'> {
  readonly figures: readonly Figure[];
}

/** One contender at one level. */
export interface Figure {
  readonly level: string;
  readonly name: string;
  readonly summary: Summary;
  /** The medians of the rounds. */
  readonly rounds: Spread;
  /**
   * The factor by which Quire is better at this level: 5 when it takes a fifth of the time, or does
   * five times as much per second.
   */
  readonly quireBetterBy: Spread | null;
  /** This contender's figure as a multiple of its own at the first level. */
  readonly ofFirstLevel: Spread | null;
}

export const quire = 'quire';

/** Measures a comparison. */
export async function runComparison(
  comparison: Comparison,
  rounds: Rounds,
): Promise<ComparisonReport> {
  const { entries, ...rest } = comparison;
  const samples = await interleave(
    entries.map((entry) => entry.contender),
    rounds,
  );
  return reportComparison(
    rest,
    entries.map(({ level, name }, index) => ({ level, name, rounds: samples[index] ?? [] })),
  );
}

/** Creates the report of a comparison that was measured elsewhere, round by round. */
export function reportComparison(
  comparison: Omit<Comparison, 'entries'>,
  measured: readonly {
    readonly level: string;
    readonly name: string;
    readonly rounds: readonly (readonly number[])[];
  }[],
): ComparisonReport {
  const { unit, comparesLevels } = comparison;
  const isLessBetter = unit === 'ms' || unit === 'ns' || unit === 'MB';
  const figures = measured.map(({ level, name, rounds }): Figure => {
    const own = measured.find((other) => other.level === level && other.name === quire);
    const first = measured.find((other) => other.name === name);
    return {
      level,
      name,
      summary: summarize(rounds.flat()),
      rounds: spreadOfRounds(rounds),
      quireBetterBy:
        own === undefined || name === quire
          ? null
          : isLessBetter
            ? ratioOfRounds(rounds, own.rounds)
            : ratioOfRounds(own.rounds, rounds),
      ofFirstLevel:
        first === undefined || first.level === level || !comparesLevels
          ? null
          : ratioOfRounds(rounds, first.rounds),
    };
  });
  return { ...comparison, figures };
}

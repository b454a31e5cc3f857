/** The summary of many samples of one quantity. */
export interface Summary {
  readonly count: number;
  readonly median: number;
  /** Null when there are fewer than 100 samples, too few for a hundredth part. */
  readonly p99: number | null;
  readonly min: number;
  readonly max: number;
}

/** A median with its smallest and largest sample. */
export interface Spread {
  readonly median: number;
  readonly min: number;
  readonly max: number;
}

/**
 * Returns the value below which `fraction` of the sorted samples lie, interpolated between the two
 * nearest ones.
 *
 * @throws RangeError when there are no samples, or the fraction is outside of [0, 1]
 */
export function quantile(sorted: readonly number[], fraction: number): number {
  const position = fraction >= 0 && fraction <= 1 ? fraction * (sorted.length - 1) : NaN;
  const below = sorted[Math.floor(position)];
  const above = sorted[Math.ceil(position)];
  if (below === undefined || above === undefined) {
    throw new RangeError(`There is no quantile ${fraction} of ${sorted.length} samples.`);
  }
  return below + (above - below) * (position - Math.floor(position));
}

/** @throws RangeError when there are no samples, or one of them is not a finite number */
export function summarize(samples: readonly number[]): Summary {
  const sorted = sortedFinite(samples);
  return {
    count: sorted.length,
    median: quantile(sorted, 0.5),
    p99: sorted.length < 100 ? null : quantile(sorted, 0.99),
    min: quantile(sorted, 0),
    max: quantile(sorted, 1),
  };
}

/**
 * Returns the median of the rounds' medians, and their spread: differences between rounds are due
 * to the machine.
 */
export function spreadOfRounds(rounds: readonly (readonly number[])[]): Spread {
  return spreadOf(rounds.map((round) => quantile(sortedFinite(round), 0.5)));
}

/**
 * Returns the ratio of one quantity to another, round by round, so that a slow moment of the
 * machine, which affects both in the same round, cancels out.
 *
 * @throws RangeError when the two were not measured in the same number of rounds
 */
export function ratioOfRounds(
  numerator: readonly (readonly number[])[],
  denominator: readonly (readonly number[])[],
): Spread {
  if (numerator.length !== denominator.length) {
    throw new RangeError(
      `${numerator.length} rounds cannot be compared with ${denominator.length}.`,
    );
  }
  return spreadOf(
    numerator.map((round, index) => {
      const other = denominator[index] ?? [];
      return quantile(sortedFinite(round), 0.5) / quantile(sortedFinite(other), 0.5);
    }),
  );
}

function spreadOf(values: readonly number[]): Spread {
  const { median, min, max } = summarize(values);
  return { median, min, max };
}

function sortedFinite(samples: readonly number[]): number[] {
  const odd = samples.find((sample) => !Number.isFinite(sample));
  if (odd !== undefined) throw new RangeError(`A sample is ${odd}, which is not a finite number.`);
  return samples.toSorted((a, b) => a - b);
}

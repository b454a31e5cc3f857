/** A contender that is measured alternately with others. */
export interface Contender {
  /** Measures for about `durationMs`, at least once, and returns all samples. */
  sample(durationMs: number): Promise<readonly number[]>;
}

export interface Rounds {
  readonly count: number;
  /** The duration of each contender's slice of a round. */
  readonly sliceMs: number;
  /** Called before each slice; `index` counts the slices, including the warm-up. */
  onSlice?(index: number, sliceCount: number): void;
}

/**
 * Measures contenders alternately: every round gives each of them a slice, starting with another
 * one, so that quiet moments of the machine favour no contender. A warm-up slice of each comes
 * first, and does not count.
 *
 * Returns the samples of each contender, round by round.
 */
export async function interleave(
  contenders: readonly Contender[],
  rounds: Rounds,
): Promise<readonly number[][][]> {
  const sliceCount = contenders.length * (rounds.count + 1);
  const samples = contenders.map((): number[][] => []);
  let index = 0;
  for (const contender of contenders) {
    rounds.onSlice?.(index++, sliceCount);
    await contender.sample(rounds.sliceMs / 2);
  }
  for (let round = 0; round < rounds.count; round += 1) {
    for (let turn = 0; turn < contenders.length; turn += 1) {
      const position = (turn + round) % contenders.length;
      rounds.onSlice?.(index++, sliceCount);
      const slice = await contenders[position]?.sample(rounds.sliceMs);
      samples[position]?.push([...(slice ?? [])]);
    }
  }
  return samples;
}

/** A contender that returns one sample at a time. */
export function repeated(sampleOnce: () => Promise<number>): Contender {
  return {
    async sample(durationMs) {
      const endMs = performance.now() + durationMs;
      const samples: number[] = [];
      do samples.push(await sampleOnce());
      while (performance.now() < endMs);
      return samples;
    },
  };
}

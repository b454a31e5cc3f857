import type { Contender } from '../measure/interleave.ts';
import { readThreadTimes } from '../process/thread-time.ts';

/** The measurements of one slice of a load. */
export interface LoadSlice {
  readonly pagesPerSecond: number;
  /** The processor time per page of all threads of each process, in the order of processes. */
  readonly processorMsPerPage: readonly number[];
}

/**
 * A load whose samples are the milliseconds of each page, and which records the totals of each
 * slice.
 */
export class MeasuredLoad implements Contender {
  readonly #load: Contender;
  readonly #processIds: readonly number[];
  readonly #slices: LoadSlice[] = [];

  constructor(load: Contender, processIds: readonly number[]) {
    this.#load = load;
    this.#processIds = processIds;
  }

  /** One for each round, without the warm-up slice. */
  get rounds(): readonly LoadSlice[] {
    return this.#slices.slice(1);
  }

  async sample(durationMs: number): Promise<readonly number[]> {
    const before = await this.#processorMs();
    const startMs = performance.now();
    const samples = await this.#load.sample(durationMs);
    const elapsedMs = performance.now() - startMs;
    const after = await this.#processorMs();
    this.#slices.push({
      pagesPerSecond: (samples.length * 1000) / elapsedMs,
      processorMsPerPage: after.map((ms, index) => (ms - (before[index] ?? 0)) / samples.length),
    });
    return samples;
  }

  #processorMs(): Promise<number[]> {
    return Promise.all(this.#processIds.map(async (pid) => (await readThreadTimes(pid)).allMs));
  }
}

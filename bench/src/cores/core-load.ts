import { availableParallelism } from 'node:os';
import type { PageLoad } from '../http/page-load.ts';
import type { Contender } from '../measure/interleave.ts';
import { readThreadTimes } from '../process/thread-time.ts';

/** One slice of a load. */
export interface CoreSlice {
  readonly pagesPerSecond: number;
  /** The pages per second of processor time, without that of the readers in this process. */
  readonly pagesPerSecondLeft: number;
  /** The processor time of the server's main thread for a page. */
  readonly mainMs: number;
  /** The processor time of all threads of the server for a page. */
  readonly allMs: number;
}

/** A load that notes the processor time of a server's threads and of the readers. */
export class CoreLoad implements Contender {
  readonly #load: PageLoad;
  readonly #pid: number;
  readonly #slices: CoreSlice[] = [];

  constructor(load: PageLoad, pid: number) {
    this.#load = load;
    this.#pid = pid;
  }

  /** One for each round: the slice of warm-up is left out. */
  get rounds(): readonly CoreSlice[] {
    return this.#slices.slice(1);
  }

  async sample(durationMs: number): Promise<readonly number[]> {
    const before = await readThreadTimes(this.#pid);
    const readersBefore = process.cpuUsage();
    const startMs = performance.now();
    const samples = await this.#load.sample(durationMs);
    const elapsedMs = performance.now() - startMs;
    const readers = process.cpuUsage(readersBefore);
    const after = await readThreadTimes(this.#pid);
    const pageCount = samples.length;
    const readersMs = (readers.user + readers.system) / 1000;
    const cores = availableParallelism();
    const pagesPerSecond = (pageCount * 1000) / elapsedMs;
    this.#slices.push({
      pagesPerSecond,
      pagesPerSecondLeft: (pagesPerSecond * cores * elapsedMs) / (cores * elapsedMs - readersMs),
      mainMs: (after.mainMs - before.mainMs) / pageCount,
      allMs: (after.allMs - before.allMs) / pageCount,
    });
    return samples;
  }
}

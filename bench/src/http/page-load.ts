import type { Contender } from '../measure/interleave.ts';
import { PageReader, type PageTarget } from './page-reader.ts';

/**
 * Readers that request pages from one server, each the next page as soon as it has received the
 * last; the samples are the milliseconds from a request to the last byte of its response. Targets
 * are used in turn, repeatedly, shared between the readers.
 */
export class PageLoad implements Contender, AsyncDisposable {
  readonly #readers: readonly PageReader[];
  readonly #targets: readonly PageTarget[];
  #next = 0;

  constructor(url: string, targets: readonly PageTarget[], readerCount = 1) {
    this.#readers = Array.from({ length: readerCount }, () => new PageReader(url));
    this.#targets = targets;
  }

  async sample(durationMs: number): Promise<readonly number[]> {
    const endMs = performance.now() + durationMs;
    const samples: number[] = [];
    await Promise.all(
      this.#readers.map(async (reader) => {
        do samples.push(await this.#readNext(reader));
        while (performance.now() < endMs);
      }),
    );
    return samples;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#readers.map((reader) => reader[Symbol.asyncDispose]()));
  }

  async #readNext(reader: PageReader): Promise<number> {
    const target = this.#targets[this.#next++ % this.#targets.length];
    if (target === undefined) throw new RangeError('A load needs at least one page to read.');
    const startMs = performance.now();
    await reader.read(target);
    return performance.now() - startMs;
  }
}

/** Returns the pages per second of a load: one sample for each slice. */
export function throughputOf(load: Contender): Contender {
  return {
    async sample(durationMs) {
      const startMs = performance.now();
      const samples = await load.sample(durationMs);
      return [(samples.length * 1000) / (performance.now() - startMs)];
    },
  };
}

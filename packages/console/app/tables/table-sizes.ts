import type { TableSize } from '@quire/client';
import type { Clock } from '@quire/core/portable';

/**
 * The age at which the size of a table is read again. It is not read more often, because the server
 * lists the files of the table for it.
 */
export const sizeAgeMaxMs = 60_000;

/** The sizes of tables, read at most once a minute. A read that failed is tried again. */
export class TableSizes {
  readonly #clock: Clock;
  readonly #known = new Map<string, { halves: readonly TableSize[]; readMs: number }>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Returns the halves of a table: those of the last minute, or else what `load` reads. */
  async read(
    name: string,
    load: () => Promise<readonly TableSize[]>,
  ): Promise<readonly TableSize[]> {
    const known = this.#known.get(name);
    const nowMs = this.#clock.monotonicMs();
    if (known !== undefined && nowMs - known.readMs < sizeAgeMaxMs) return known.halves;
    const halves = await load();
    this.#known.set(name, { halves, readMs: nowMs });
    return halves;
  }
}

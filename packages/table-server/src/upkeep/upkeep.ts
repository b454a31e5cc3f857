import type { Clock } from '@quire/core';
import type { TableConfigDocument } from '@quire/core/table-engine';
import { sleepUnlessAborted } from '@quire/core/wait';
import { parseTableConfig } from '@quire/tables';
import type { TableDirectory } from '../directory/table-directory.ts';
import type { SegmentRecord } from '../segments/manifest.ts';
import type { ServedTable } from '../served-table.ts';
import { Garbage } from './garbage.ts';

export interface UpkeepOptions {
  readonly directory: TableDirectory;
  readonly clock: Clock;
  readonly tables: () => readonly ServedTable[];
  /** How long files stay that no table names any more; longer than any query may run. Read at each round. */
  readonly graceMs: () => number;
  /** Told when a round fails; the next one tries again. */
  readonly onFailed?: ((error: unknown) => void) | undefined;
}

const roundEveryMs = 10_000;

/** Applies the retention of tables and collects what nobody names any more, round by round, until it is disposed of. */
export class Upkeep implements AsyncDisposable {
  readonly #options: UpkeepOptions;
  readonly #garbage: Garbage;
  readonly #ending = new AbortController();
  readonly #rounds: Promise<void>;

  constructor(options: UpkeepOptions) {
    this.#options = options;
    this.#garbage = new Garbage(options.directory, options.clock);
    this.#rounds = this.#run();
  }

  /** One round. */
  async run(): Promise<{ readonly expiredSegmentCount: number; readonly collectedCount: number }> {
    const { tables, clock, graceMs } = this.#options;
    let expiredSegmentCount = 0;
    for (const table of tables()) {
      const retentionMs = retentionOf(table.record.config);
      if (retentionMs === undefined) continue;
      const expired = planRetention(table.segments.manifest.segments, retentionMs, clock.nowMs());
      if (expired.length === 0) continue;
      await table.segments.change({ remove: expired });
      expiredSegmentCount += expired.length;
    }
    return { expiredSegmentCount, collectedCount: await this.#garbage.collect(tables(), graceMs()) };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#ending.abort();
    await this.#rounds;
  }

  async #run(): Promise<void> {
    const { clock, onFailed } = this.#options;
    const { signal } = this.#ending;
    while (!signal.aborted) {
      await this.run().catch((error: unknown) => onFailed?.(error));
      await sleepUnlessAborted(clock, roundEveryMs, signal);
    }
  }
}

const unitMs: Readonly<Record<string, number>> = {
  MILLISECONDS: 1,
  SECONDS: 1_000,
  MINUTES: 60_000,
  HOURS: 3_600_000,
  DAYS: 86_400_000,
};

/** How long rows of a table are kept; undefined: for ever. */
function retentionOf(config: TableConfigDocument): number | undefined {
  const { retentionTimeUnit, retentionTimeValue } = parseTableConfig(config).config.segmentsConfig ?? {};
  const ms = Number(retentionTimeValue ?? Number.NaN) * (unitMs[(retentionTimeUnit ?? '').toUpperCase()] ?? Number.NaN);
  return ms > 0 ? ms : undefined;
}

/** Names of the segments whose newest row is older than the retention. One whose times are not known stays. */
export function planRetention(segments: readonly SegmentRecord[], retentionMs: number, nowMs: number): readonly string[] {
  return segments.flatMap(({ segmentName, maxTimeMs }) =>
    maxTimeMs !== null && maxTimeMs < nowMs - retentionMs ? [segmentName] : [],
  );
}

import { type Clock, QuireError, type Random, systemClock, systemRandom } from '@quire/core';
import type { PageFormatName } from '@quire/core/wire';
import { type Page, PageServer, type PageServerOptions, type StoredAnswer } from './page-server.ts';

export const offsetChoices = ['first', 'last', 'random'] as const;
/** The page that a reader requests. */
export type OffsetChoice = (typeof offsetChoices)[number];

/** The plan of a measurement: each combination of the lists, on each server. */
export interface BenchPlan {
  readonly sql: string;
  readonly pageSizes: readonly number[];
  readonly formats: readonly PageFormatName[];
  readonly offsets: readonly OffsetChoice[];
  /** Numbers of readers, each of which requests its next page when it has received the last. */
  readonly readers: readonly number[];
  /** In each round, every server gets one slice of `sliceMs` for each combination. */
  readonly roundCount: number;
  readonly sliceMs: number;
}

/** A plan, and the servers to measure. */
export interface BenchOptions {
  /** One server, or two that are measured alternately. */
  readonly servers: readonly PageServerOptions[];
  readonly plan: BenchPlan;
  readonly clock?: Clock;
  readonly random?: Random;
  /** Called before each slice. */
  readonly onProgress?: (what: string) => void;
}

/** The figures of one combination on one server. */
export interface Measurement {
  readonly url: string;
  readonly pageSize: number;
  readonly format: PageFormatName;
  readonly offset: OffsetChoice;
  readonly readers: number;
  readonly pageCount: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly pagesPerSecond: number;
  readonly bytesPerPage: number;
}

/** All figures of a run, and its plan. */
export interface BenchReport {
  readonly plan: BenchPlan;
  readonly servers: readonly {
    readonly url: string;
    readonly dialect: string;
    readonly rowCount: number;
    readonly storeMs: number;
  }[];
  readonly measurements: readonly Measurement[];
}

/**
 * Returns a plan with defaults for missing members. A quick one limits the slice of each
 * combination, so that all of them together take less than three minutes.
 */
export function planBench(
  given: Partial<BenchPlan> & Pick<BenchPlan, 'sql'>,
  isQuick = false,
): BenchPlan {
  const defaults = {
    pageSizes: [100, 1000, 10_000],
    formats: ['json'],
    offsets: ['random'],
    readers: [1, 8],
    roundCount: isQuick ? 2 : 5,
  } as const;
  const plan = { ...defaults, ...given };
  const combinationCount =
    plan.pageSizes.length * plan.formats.length * plan.offsets.length * plan.readers.length;
  // At most two minutes for two servers, including their warm-up.
  const quickSliceMs = Math.max(
    20,
    Math.min(400, 120_000 / (2 * (plan.roundCount + 1) * combinationCount)),
  );
  return { ...plan, sliceMs: given.sliceMs ?? (isQuick ? quickSliceMs : 1000) };
}

/**
 * Stores the answer of the query on each server, and reads its pages: in every round each server
 * gets a slice, and another server is first, so that a slow moment of the machine affects both. A
 * warm-up slice does not count. The results are deleted at the end.
 *
 * @throws QUERY_FAILED, BROKER_FAILED when a server does not answer; INVALID_PARAMETER when the
 *   answers cannot be compared
 */
export async function runBench(options: BenchOptions): Promise<BenchReport> {
  const {
    servers,
    plan,
    clock = systemClock,
    random = systemRandom,
    onProgress = () => undefined,
  } = options;
  const opened: { readonly url: string; readonly answer: StoredAnswer }[] = [];
  try {
    for (const each of servers) {
      const server = new PageServer(each, () => clock.monotonicMs());
      onProgress(`${server.url}: stores the answer of the query`);
      opened.push({ url: server.url, answer: await server.store(plan.sql) });
    }
    assertComparable(opened, plan);
    const measurements: Measurement[] = [];
    for (const format of plan.formats) {
      for (const pageSize of plan.pageSizes) {
        for (const offset of plan.offsets) {
          for (const readers of plan.readers) {
            const loads = opened.map(
              ({ url, answer }) =>
                new Load(answer, { url, pageSize, format, offset, readers }, { clock, random }),
            );
            await takeTurns(loads, plan, onProgress);
            measurements.push(...loads.map((load) => load.measurement()));
          }
        }
      }
    }
    const facts = opened.map(({ url, answer: { dialect, rowCount, storeMs } }) => ({
      url,
      dialect,
      rowCount,
      storeMs,
    }));
    return { plan, servers: facts, measurements };
  } finally {
    // A result that could not be deleted expires by itself.
    await Promise.allSettled(opened.map(({ answer }) => answer.delete()));
  }
}

function assertComparable(
  opened: readonly { readonly url: string; readonly answer: StoredAnswer }[],
  plan: BenchPlan,
): void {
  const [first, second] = opened;
  if (first === undefined) {
    throw new QuireError('INVALID_PARAMETER', 'There is no server to measure.');
  }
  for (const { url, answer } of opened) {
    if (answer.rowCount === 0) {
      throw new QuireError(
        'INVALID_PARAMETER',
        `The query has no rows on ${url}: there are no pages to read.`,
      );
    }
    const other = plan.formats.find((format) => format !== 'json');
    if (answer.dialect === 'pinot' && other !== undefined) {
      throw new QuireError(
        'INVALID_PARAMETER',
        `${url} answers as Apache Pinot does, whose pages are json; ${other} was requested.`,
      );
    }
  }
  if (second !== undefined && first.answer.rowCount !== second.answer.rowCount) {
    const counts = `${first.answer.rowCount} rows on ${first.url} and ${second.answer.rowCount} on ${second.url}`;
    throw new QuireError(
      'INVALID_PARAMETER',
      `The query has ${counts}: request the same rows, for example with an ORDER BY and a LIMIT.`,
    );
  }
}

async function takeTurns(
  loads: readonly Load[],
  { roundCount, sliceMs }: BenchPlan,
  onProgress: (what: string) => void,
): Promise<void> {
  for (const load of loads) await load.run(sliceMs / 2, false);
  for (let round = 0; round < roundCount; round += 1) {
    for (let turn = 0; turn < loads.length; turn += 1) {
      const load = loads[(turn + round) % loads.length];
      if (load === undefined) continue;
      onProgress(`${load.name}, round ${round + 1} of ${roundCount}`);
      await load.run(sliceMs, true);
    }
  }
}

type Combination = Pick<Measurement, 'url' | 'pageSize' | 'format' | 'offset' | 'readers'>;

/** Readers of one server's pages, and what they measured. */
class Load {
  readonly #answer: StoredAnswer;
  readonly #of: Combination;
  readonly #clock: Clock;
  readonly #random: Random;
  readonly #pagesMs: number[] = [];
  #elapsedMs = 0;
  #bytes = 0;

  constructor(
    answer: StoredAnswer,
    of: Combination,
    { clock, random }: { readonly clock: Clock; readonly random: Random },
  ) {
    this.#answer = answer;
    this.#of = of;
    this.#clock = clock;
    this.#random = random;
  }

  get name(): string {
    const { url, pageSize, format, offset, readers } = this.#of;
    return `${url}: ${pageSize} rows, ${format}, ${offset}, ${readers} readers`;
  }

  /** Reads for `durationMs`, at least one page for each reader. */
  async run(durationMs: number, isCounted: boolean): Promise<void> {
    const startMs = this.#clock.monotonicMs();
    const readOn = async (): Promise<void> => {
      do {
        const pageStartMs = this.#clock.monotonicMs();
        const bytes = await this.#answer.read(this.#nextPage());
        if (!isCounted) continue;
        this.#pagesMs.push(this.#clock.monotonicMs() - pageStartMs);
        this.#bytes += bytes;
      } while (this.#clock.monotonicMs() - startMs < durationMs);
    };
    await Promise.all(Array.from({ length: this.#of.readers }, readOn));
    if (isCounted) this.#elapsedMs += this.#clock.monotonicMs() - startMs;
  }

  measurement(): Measurement {
    const sorted = this.#pagesMs.toSorted((left, right) => left - right);
    const at = (fraction: number): number =>
      sorted[Math.min(sorted.length - 1, Math.floor(fraction * sorted.length))] ?? 0;
    return {
      ...this.#of,
      pageCount: sorted.length,
      p50Ms: at(0.5),
      p99Ms: at(0.99),
      pagesPerSecond: (sorted.length * 1000) / this.#elapsedMs,
      bytesPerPage: Math.round(this.#bytes / sorted.length),
    };
  }

  #nextPage(): Page {
    const { pageSize: rowCount, format, offset } = this.#of;
    const lastOffset = Math.max(0, this.#answer.rowCount - rowCount);
    const random = (): number => Math.floor(this.#random.fraction() * (lastOffset + 1));
    return {
      offset: offset === 'first' ? 0 : offset === 'last' ? lastOffset : random(),
      rowCount,
      format,
    };
  }
}

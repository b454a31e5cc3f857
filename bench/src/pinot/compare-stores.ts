import type { PinotServer } from '../../../test/src/testkit/servers/pinot-server.ts';
import { type ComparisonReport, quire, reportComparison } from '../measure/comparison.ts';
import { interleave } from '../measure/interleave.ts';
import type { BenchContext, PartOutcome } from '../measure/part.ts';
import { readFamilyProcessorMs } from '../process/processor-time.ts';
import type { QuireServer } from '../quire/quire-server.ts';
import { storeQuery } from '../quire/stored-query.ts';
import { closeCursor, openCursor, readWhole } from './ask-pinot.ts';

/** The names of contenders besides Quire. */
const bareQuery = 'plain query';
export const cursors = 'Apache Pinot cursors';
const bySegment = 'quire, segment by segment';

/** The servers of a comparison of stores. */
export interface StoreStage {
  readonly pinot: PinotServer;
  readonly server: QuireServer;
  /** The server that requests all rows, segment by segment. */
  readonly segmentServer: QuireServer;
}

/** The times of one store. */
interface StoreCost {
  readonly elapsedMs: number;
  /** The processor time of Quire and its processes. */
  readonly quireMs: number;
  /** The processor time of the cluster, all its roles together. */
  readonly clusterMs: number;
}

/**
 * Measures the time from a query to its first row, with its result stored; compared with the same
 * query alone, whose answer is read to the end and discarded.
 */
export async function compareStores(
  { isQuick, progress }: Pick<BenchContext, 'isQuick' | 'progress'>,
  { pinot, server, segmentServer }: StoreStage,
  rowCounts: readonly number[],
): Promise<PartOutcome> {
  const { address } = pinot;
  const entries = rowCounts.flatMap((rowCount) => {
    const selection = `SELECT * FROM events WHERE id < ${rowCount}`;
    const limited = `${selection} LIMIT ${rowCount}`;
    const level = `${rowCount.toLocaleString('en')} rows`;
    const times = Math.max(1, Math.min(timesMax, Math.floor(rowsPerRound / rowCount)));
    const entry = (name: string, store: () => Promise<unknown>, owner: QuireServer) => ({
      level,
      name,
      load: new MeasuredStore(store, times, owner.pid, pinot.process.pid),
    });
    return [
      entry(quire, () => storeQuery(server, limited), server),
      entry(bySegment, () => storeQuery(segmentServer, selection), segmentServer),
      entry(bareQuery, () => readWhole(address, limited), server),
      entry(cursors, async () => closeCursor(address, await openCursor(address, limited)), server),
    ];
  });
  await interleave(
    entries.map(({ load }) => load),
    {
      count: isQuick ? 1 : 7,
      sliceMs: 0,
      onSlice: (index, count) => progress(`store ${index + 1} of ${count}`),
    },
  );
  const report = (
    id: string,
    title: string,
    measured: readonly (typeof entries)[number][],
    read: (cost: StoreCost) => number,
  ): ComparisonReport =>
    reportComparison(
      { id, title, unit: 'ms', factor: 'result', comparesLevels: false },
      measured.map(({ level, name, load }) => ({
        level,
        name,
        rounds: load.rounds.map((cost) => [read(cost)]),
      })),
    );
  const own = entries.filter(({ name }) => name === quire || name === bySegment);
  const elapsed = report(
    'pinot-store',
    'From the query to its first row, the result stored',
    entries,
    ({ elapsedMs }) => elapsedMs,
  );
  const processor = report(
    'pinot-store-processor',
    'Processor time of Quire for that',
    own,
    ({ quireMs }) => quireMs,
  );
  const cluster = report(
    'pinot-store-cluster',
    'Processor time of the cluster for that',
    entries,
    ({ clusterMs }) => clusterMs,
  );
  return { comparisons: [elapsed, processor, cluster], notes: notesOf(elapsed) };
}

/** Returns the medians of each contender and of the plain query, with the ratio of the two. */
function notesOf({ figures }: ComparisonReport): readonly string[] {
  return figures.flatMap(({ level, name, summary }) => {
    const bare = figures.find((other) => other.level === level && other.name === bareQuery);
    if (bare === undefined || bare.name === name) return [];
    const ratio = summary.median / bare.summary.median;
    return [
      `Storing ${level}, medians: ${name} ${summary.median.toFixed(1)} ms, the plain query ${bare.summary.median.toFixed(1)} ms; ratio of the medians ${ratio.toFixed(2)}.`,
    ];
  });
}

/** Small results are stored several times in each round, and count with their mean. */
const rowsPerRound = 100_000;
const timesMax = 20;

/** A store that is measured in each round, several times if it is small. */
class MeasuredStore {
  readonly #store: () => Promise<unknown>;
  readonly #times: number;
  readonly #quirePid: number;
  readonly #clusterPid: number;
  readonly #costs: StoreCost[] = [];

  constructor(store: () => Promise<unknown>, times: number, quirePid: number, clusterPid: number) {
    this.#store = store;
    this.#times = times;
    this.#quirePid = quirePid;
    this.#clusterPid = clusterPid;
  }

  /** One for each round, without that of the warm-up. */
  get rounds(): readonly StoreCost[] {
    return this.#costs.slice(1);
  }

  async sample(): Promise<readonly number[]> {
    const [quireMs, clusterMs] = await this.#processorMs();
    const startMs = performance.now();
    for (let time = 0; time < this.#times; time += 1) await this.#store();
    const elapsedMs = (performance.now() - startMs) / this.#times;
    const [quireAfterMs, clusterAfterMs] = await this.#processorMs();
    this.#costs.push({
      elapsedMs,
      quireMs: (quireAfterMs - quireMs) / this.#times,
      clusterMs: (clusterAfterMs - clusterMs) / this.#times,
    });
    return [elapsedMs];
  }

  #processorMs(): Promise<[quire: number, cluster: number]> {
    return Promise.all([
      readFamilyProcessorMs(this.#quirePid),
      readFamilyProcessorMs(this.#clusterPid),
    ]);
  }
}

import type { ObjectStore } from '@quire/core';
import { collect, SeededRandom } from '@quire/core/testing';
import { S3ObjectStore } from '@quire/store-s3';
import { Laws } from '../simulation/laws.ts';
import { ResultUser } from '../simulation/result-user.ts';
import { patience, until } from '../testkit/until.ts';
import { temporaryDirectory } from '../testkit/cli-process.ts';
import { S3Server } from '../testkit/servers/s3-server.ts';
import { lives, RealCluster } from './real-cluster.ts';
import { injectFaults } from './real-faults.ts';

const users = ['ann', 'bob', 'ann', 'bob'] as const;

/** The report of a history. */
export interface HistoryReport {
  /** Calls by outcome. */
  readonly outcomes: Readonly<Record<string, number>>;
  readonly callCount: number;
  readonly resultCount: number;
  readonly removalCount: number;
  /** Faults by kind. */
  readonly faults: Readonly<Record<string, number>>;
  /** Objects that are left when everything has expired. */
  readonly left: readonly string[];
}

/**
 * Lets users call real processes over a real S3 server for at least the given time, while processes
 * are killed and frozen and requests are lost and delayed. Checks the answers against the laws of
 * the simulation.
 *
 * @throws AssertionError when a law is broken
 */
export async function runHistory(options: {
  readonly s3Server: string;
  readonly seed: number;
  readonly durationMs: number;
  /** Reports whether enough has happened: the history goes on until then, for minutes at most. */
  readonly isEnough: (report: Pick<HistoryReport, 'outcomes' | 'callCount'>) => boolean;
  /** The time to wait at the end for data without a commit record; undefined for none. */
  readonly orphansMs: number | undefined;
  /** A file that the history is added to. */
  readonly file?: string | undefined;
}): Promise<HistoryReport> {
  const { seed, durationMs, orphansMs, file } = options;
  const random = new SeededRandom(seed);
  const fork = (): SeededRandom => new SeededRandom(random.integer(2 ** 31));
  await using bucket = await S3Server.start(options.s3Server);
  const place = bucket.storeOptions();
  await using directory = await temporaryDirectory();
  await using cluster = await RealCluster.start({
    directory: directory.path,
    bucketPort: bucket.process.port,
    place,
    brokerCount: 2,
    random: fork(),
  });
  let lookedAtMs: number | undefined;
  const laws = new Laws({
    nowMs: () => lookedAtMs ?? cluster.nowMs(),
    stalenessMaxMs: lives.stalenessMaxMs,
    areListingsTrue: true,
    // Processes read their clocks when they are scheduled, on a busy machine.
    clockErrorMaxMs: 2000,
  });
  const outcomes: Record<string, number> = {};
  const rows = { first: 0 };
  const endMs = cluster.nowMs() + durationMs;
  const isEnough = (): boolean =>
    options.isEnough({ outcomes, callCount: cluster.history.length }) ||
    cluster.nowMs() >= endMs + patience.timeout;
  const isOver = (): boolean => cluster.nowMs() >= endMs && isEnough();
  const userOf = (name: string): ResultUser =>
    new ResultUser({
      name,
      cluster,
      laws,
      random: fork(),
      rows,
      note: (kind, _host, outcome, detail = 0) => {
        const key = `${kind} ${outcome?.status ?? 'lost'}${detail === 0 ? '' : ` ${detail}`}`;
        outcomes[key] = (outcomes[key] ?? 0) + 1;
      },
    });
  const injection = injectFaults(cluster, fork(), isOver);
  const calls = Promise.all(
    users.map(async (name) => {
      const user = userOf(name);
      const pauses = fork();
      while (!isOver()) {
        await cluster.pause(pauses.fraction() * 300);
        await user.act();
      }
    }),
  );
  const [faults] = await Promise.all([injection, calls]);
  const reader = userOf('ann');
  for (const result of laws.results.filter((each) => laws.mustLive(each))) {
    for (const host of cluster.entries) {
      const outcome = await reader.readPage(host, result, 0, result.rowCount + 1);
      if (laws.mustLive(result) && outcome?.status !== 200) {
        laws.violate(`${result.requestId} through ${host} in the end: ${outcome?.status}`);
      }
    }
  }
  for (const { removed, timeMs } of cluster.removals) {
    lookedAtMs = timeMs;
    laws.noteRemoval('a cleaner', removed);
  }
  lookedAtMs = undefined;
  if (file !== undefined) await cluster.save(file);
  laws.check({ isEvictionLost: false });
  await using store = await S3ObjectStore.open(place);
  const left = await untilGone(store, orphansMs);
  const { history, removals } = cluster;
  return {
    outcomes,
    callCount: history.length,
    resultCount: laws.results.length,
    removalCount: removals.length,
    faults,
    left,
  };
}

/**
 * Waits until everything has expired and sweeps have deleted it; returns what is left then. If a
 * grace period is given, also waits for data without a commit record, which killed writers leave.
 */
async function untilGone(
  store: ObjectStore,
  orphansMs: number | undefined,
): Promise<readonly string[]> {
  const find = async (): Promise<readonly string[]> => {
    const keys = (await collect(store.list(''))).map(({ key }) => key);
    return keys.filter(
      (key) =>
        !key.startsWith('quire-cleaner/') &&
        (orphansMs !== undefined || !key.endsWith('/data.arrow')),
    );
  };
  const limitMs = lives.expirationMaxMs + (orphansMs ?? 0) + patience.timeout;
  try {
    await until(async () => (await find()).length === 0, 'all results are gone', limitMs);
    return [];
  } catch (error) {
    const left = await find();
    if (left.length === 0) throw error;
    return left;
  }
}

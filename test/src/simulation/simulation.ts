import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { SeededRandom } from '@quire/core/testing';
import { type CallOutcome, SimulatedClient } from './client.ts';
import { Cluster, type ClusterPlan, clusterSettings, type Sabotage } from './cluster.ts';
import { sqlOf } from './engine.ts';
import { type KnownResult, Laws } from './laws.ts';
import { SimulatedProcess, trueTimeMs } from './machine.ts';
import { Scheduler } from './scheduler.ts';
import { stopTimers } from './still-timers.ts';

const minuteMs = 60_000;
const users = ['ann', 'bob'] as const;

/** How a run is made. */
export interface SimulationOptions {
  readonly seed: number;
  /** Simulated time in which clients call and things go wrong. */
  readonly durationMs: number;
  readonly sabotage?: Sabotage | undefined;
}

/** What a run did. */
export interface SimulationReport {
  readonly plan: ClusterPlan;
  readonly callCount: number;
  /** Calls by what came of them. */
  readonly outcomes: Readonly<Record<string, number>>;
  readonly resultCount: number;
  /** Of everything that clients saw, in order: the same for the same seed. */
  readonly digest: string;
}

interface CursorAnswer {
  readonly requestId?: string;
  readonly reason?: string;
  readonly numRowsResultSet?: number;
  readonly resultTable?: { readonly rows: unknown };
  readonly exceptions?: readonly { readonly errorCode: number }[];
  readonly expirationTimeMs?: number;
}

interface ClusterList {
  readonly resultMetadataList: readonly { readonly requestId: string }[];
  readonly brokers: readonly { readonly error: string | null }[];
}

/**
 * Runs a whole cluster in this process, on simulated time, network and disks, while clients call it
 * and faults of the seed hit it, and holds what they see to the laws.
 *
 * @throws AssertionError when a law is broken
 */
export async function simulate(options: SimulationOptions): Promise<SimulationReport> {
  using _timers = stopTimers();
  return await new Simulation(options).run();
}

class Simulation {
  readonly #options: SimulationOptions;
  readonly #scheduler = new Scheduler();
  readonly #random: SeededRandom;
  readonly #laws: Laws;
  readonly #cluster: Cluster;
  readonly #digest = createHash('sha256');
  readonly #outcomes: Record<string, number> = {};
  #callCount = 0;
  #firstOfNext = 0;
  #isEnding = false;
  #isKilled = false;

  constructor(options: SimulationOptions) {
    this.#options = options;
    this.#random = new SeededRandom(options.seed);
    const plan = planOf(this.#random);
    this.#laws = new Laws({
      nowMs: () => trueTimeMs(this.#scheduler),
      stalenessMaxMs: clusterSettings.stalenessMaxMs,
      // One clock may be ahead, another behind, and all drift a little.
      clockErrorMaxMs: 2 * plan.clockErrorMaxMs + 2000,
    });
    this.#cluster = new Cluster({
      plan,
      sabotage: options.sabotage,
      scheduler: this.#scheduler,
      random: this.#random,
      laws: this.#laws,
    });
  }

  async run(): Promise<SimulationReport> {
    const { durationMs } = this.#options;
    await this.#until(this.#cluster.startAll());
    const clients = users.map((user, index) => {
      const process = this.#outsider(`client-${index}`);
      return this.#callFor(user, process, new SeededRandom(this.#random.integer(2 ** 31)));
    });
    const weather = this.#makeWeather(this.#outsider('weather'));
    await this.#pass(durationMs);
    this.#isEnding = true;
    await this.#until(Promise.all([...clients, weather]));
    await this.#conclude();
    this.#cluster.killAll();
    return {
      plan: this.#cluster.plan,
      callCount: this.#callCount,
      outcomes: this.#outcomes,
      resultCount: this.#laws.results.length,
      digest: this.#digest.digest('hex'),
    };
  }

  /** With everything whole again: what lives can be read everywhere, and in the end nothing is left. */
  async #conclude(): Promise<void> {
    const { weather, network, names } = this.#cluster;
    Object.assign(weather, { failureChance: 0, isFull: false });
    network.heal();
    await this.#until(this.#cluster.startAll());
    await this.#pass(minuteMs);
    this.#check();
    const process = this.#outsider('auditor');
    await this.#until(this.#readEverywhere(new SimulatedClient(process, network)));
    this.#check();
    // Nobody calls any more: what is left to do is the cleaners'.
    for (const name of names) if (name.startsWith('proxy')) this.#cluster.kill(name);
    await this.#pass(clusterSettings.expirationMaxMs + 12 * clusterSettings.graceMs);
    this.#check();
    const left = (await this.#cluster.stored()).filter(
      ({ key }) => !key.startsWith('quire-cleaner/'),
    );
    assert.deepEqual(left, [], 'something is left after everything has expired');
  }

  async #readEverywhere(client: SimulatedClient): Promise<void> {
    for (const result of this.#laws.results) {
      if (!this.#laws.mustLive(result)) continue;
      for (const host of this.#cluster.entries.filter((name) => this.#canServe(name))) {
        const outcome = await this.#readPage(client, host, result, 0, result.rowCount + 1);
        if (this.#laws.mustLive(result) && outcome?.status !== 200) {
          this.#laws.violate(`${result.requestId} through ${host}: ${outcome?.status}`);
        }
      }
    }
  }

  /** Whether it serves every result, whichever broker has it. */
  #canServe(name: string): boolean {
    return this.#cluster.plan.isShared || name.startsWith('proxy');
  }

  /** Lets simulated time pass. */
  async #pass(durationMs: number): Promise<void> {
    let isOver = false;
    this.#scheduler.after(durationMs, () => (isOver = true));
    await this.#scheduler.run(() => isOver);
  }

  /** Lets simulated time pass until the work is done. */
  async #until(work: Promise<unknown>): Promise<void> {
    let isDone = false;
    const done = work.finally(() => (isDone = true));
    done.catch(() => undefined);
    await this.#scheduler.run(() => isDone);
    await done;
  }

  #check(): void {
    const isEvictionLost = this.#isKilled && this.#cluster.plan.quotaBytes !== undefined;
    this.#laws.check({ isEvictionLost });
  }

  #outsider(name: string): SimulatedProcess {
    return new SimulatedProcess(name, this.#scheduler, { offsetMs: 0, rate: 1 });
  }

  async #callFor(user: string, process: SimulatedProcess, random: SeededRandom): Promise<void> {
    const client = new SimulatedClient(process, this.#cluster.network);
    while (!this.#isEnding) {
      await process.pause(random.fraction() * 20_000);
      await this.#act(client, user, random);
    }
  }

  async #act(client: SimulatedClient, user: string, random: SeededRandom): Promise<void> {
    const { entries } = this.#cluster;
    const host = entries[random.integer(entries.length)] ?? '';
    const own = this.#laws.results.filter(({ owner }) => owner === user);
    const result = own[random.integer(Math.max(1, own.length))];
    const kind = random.fraction();
    if (kind > 0.95) {
      await this.#list(client);
    } else if (result === undefined || kind < 0.3) {
      await this.#query(client, host, user, random.integer(120));
    } else if (kind < 0.8) {
      const offset = random.integer(result.rowCount + 2);
      await this.#readPage(client, host, result, offset, 1 + random.integer(60));
    } else if (kind < 0.92) {
      await this.#renew(client, host, result, 1 + random.integer(40));
    } else {
      await this.#delete(client, host, result);
    }
  }

  async #query(client: SimulatedClient, host: string, owner: string, rowCount: number) {
    const first = this.#firstOfNext;
    this.#firstOfNext += 1000;
    const startMs = trueTimeMs(this.#scheduler);
    const outcome = await client.call(host, '/query/sql?doPaginate=true&numRows=10', {
      method: 'POST',
      as: owner,
      body: { sql: sqlOf(rowCount, first) },
    });
    const answer = outcome?.status === 200 ? outcome.json<CursorAnswer>() : undefined;
    this.#note('query', host, outcome, answer?.exceptions?.[0]?.errorCode);
    const requestId = answer?.requestId;
    if (answer?.exceptions?.length !== 0 || requestId === undefined) return;
    const nowMs = trueTimeMs(this.#scheduler);
    const result: KnownResult = {
      requestId,
      owner,
      rowCount,
      first,
      livesUntilMs: startMs + clusterSettings.expirationMs,
      expiredByMs: nowMs + clusterSettings.expirationMs,
      isDeletionTried: false,
      deletedAtMs: undefined,
      isEvicted: false,
      toldAtMs: nowMs,
    };
    this.#laws.add(result);
    this.#laws.checkPage(result, { offset: 0, rowCount: 10, startMs }, seenPage(outcome));
  }

  async #readPage(
    client: SimulatedClient,
    host: string,
    result: KnownResult,
    offset: number,
    rowCount: number,
  ): Promise<CallOutcome> {
    const startMs = trueTimeMs(this.#scheduler);
    const path = `/query/${result.requestId}/results?offset=${offset}&numRows=${rowCount}`;
    const outcome = await client.call(host, path, { as: result.owner });
    this.#note('page', host, outcome);
    const seen = seenPage(outcome);
    // A broker with a disk of its own knows its own results only.
    if (seen.status === 404 && !this.#canServe(host)) return outcome;
    this.#laws.checkPage(result, { offset, rowCount, startMs }, seen);
    return outcome;
  }

  async #renew(
    client: SimulatedClient,
    host: string,
    result: KnownResult,
    minutes: number,
  ): Promise<void> {
    const startMs = trueTimeMs(this.#scheduler);
    const granted = Math.min(minutes * minuteMs, clusterSettings.expirationMaxMs);
    const before = result.livesUntilMs;
    result.livesUntilMs = Math.min(before, startMs + granted);
    const outcome = await client.call(host, `/query/resultStore/${result.requestId}`, {
      method: 'PATCH',
      as: result.owner,
      body: { expiration: `${minutes}m` },
    });
    this.#note('renew', host, outcome);
    const wishedMs = trueTimeMs(this.#scheduler) + granted;
    result.expiredByMs = Math.max(result.expiredByMs, wishedMs);
    if (outcome?.status === 200) {
      result.livesUntilMs = startMs + granted;
      result.expiredByMs = wishedMs;
    }
  }

  async #delete(client: SimulatedClient, host: string, result: KnownResult): Promise<void> {
    result.isDeletionTried = true;
    const outcome = await client.call(host, `/query/resultStore/${result.requestId}`, {
      method: 'DELETE',
      as: result.owner,
    });
    this.#note('delete', host, outcome);
    if (outcome?.status === 200) result.deletedAtMs ??= trueTimeMs(this.#scheduler);
  }

  /** The controller's list has what lives in all brokers that answered it. */
  async #list(client: SimulatedClient): Promise<void> {
    const host = 'controller';
    const startMs = trueTimeMs(this.#scheduler);
    const outcome = await client.call(host, '/cluster/results', { as: 'root' });
    this.#note('list', host, outcome);
    if (outcome?.status !== 200) return;
    const { resultMetadataList, brokers } = outcome.json<ClusterList>();
    if (brokers.some(({ error }) => error !== null)) return;
    const listed = resultMetadataList.map(({ requestId }) => requestId);
    this.#laws.checkList(new Set(listed), startMs);
  }

  #note(kind: string, host: string, outcome: CallOutcome, detail = 0): void {
    this.#callCount += 1;
    const key = `${kind} ${outcome?.status ?? 'lost'}${detail === 0 ? '' : ` ${detail}`}`;
    this.#outcomes[key] = (this.#outcomes[key] ?? 0) + 1;
    this.#digest.update(`${trueTimeMs(this.#scheduler)} ${host} ${key} ${outcome?.text}\n`);
  }

  /** Lets things go wrong, one after the other and each for a while, as the seed says. */
  async #makeWeather(process: SimulatedProcess): Promise<void> {
    const random = new SeededRandom(this.#random.integer(2 ** 31));
    const { weather, network, names } = this.#cluster;
    const anyOf = (list: readonly string[]): string => list[random.integer(list.length)] ?? '';
    while (!this.#isEnding) {
      await process.pause(random.fraction() * 3 * minuteMs);
      const lasts = random.fraction() * minuteMs;
      const kind = random.integer(7);
      if (kind === 0) {
        const name = anyOf(names);
        this.#isKilled = true;
        this.#cluster.kill(name);
        await process.pause(lasts);
        // A proxy may wait for its brokers before it listens.
        void this.#cluster.start(name);
      } else if (kind === 1) {
        weather.failureChance = random.fraction() * 0.3;
        await process.pause(lasts);
        weather.failureChance = 0;
      } else if (kind === 2) {
        weather.isFull = true;
        await process.pause(lasts);
        weather.isFull = false;
      } else if (kind === 3) {
        const [a, b] = [anyOf(names), anyOf([...names, 'client-0', 'client-1'])];
        network.setCut(a, b, true);
        await process.pause(lasts);
        network.setCut(a, b, false);
      } else if (kind === 4) {
        network.latencyMaxMs = 1 + random.fraction() * 800;
        weather.latencyMaxMs = 1 + random.fraction() * 500;
        await process.pause(lasts);
        network.latencyMaxMs = 3;
        weather.latencyMaxMs = 4;
      } else if (kind === 5) {
        const name = anyOf(names);
        const { clockErrorMaxMs } = this.#cluster.plan;
        this.#cluster.stepClock(name, (2 * random.fraction() - 1) * clockErrorMaxMs);
        await process.pause(lasts);
        this.#cluster.stepClock(name, 0);
      } else {
        for (let times = random.integer(8); times >= 0; times -= 1) {
          network.resetOne();
          await process.pause(random.fraction() * 5000);
        }
      }
    }
  }
}

function seenPage(outcome: CallOutcome): Parameters<Laws['checkPage']>[2] {
  if (outcome === undefined) {
    return { status: 0, reason: undefined, rows: undefined, resultRowCount: undefined };
  }
  const { reason, resultTable, numRowsResultSet } = outcome.json<CursorAnswer>();
  return {
    status: outcome.status,
    reason,
    rows: resultTable?.rows,
    resultRowCount: numRowsResultSet,
  };
}

function planOf(random: SeededRandom): ClusterPlan {
  return {
    brokerCount: 1 + random.integer(3),
    proxyCount: 1 + random.integer(2),
    isShared: random.fraction() < 0.6,
    hasDaemon: random.fraction() < 0.5,
    quotaBytes: random.fraction() < 0.5 ? undefined : 20_000 + random.integer(60_000),
    clockErrorMaxMs: random.fraction() < 0.7 ? 0 : random.integer(2 * minuteMs),
  };
}

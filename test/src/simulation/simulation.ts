import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { SeededRandom } from '@quire/core/testing';
import { DirectoryTables } from '@quire/table-server';
import { type CallOutcome, SimulatedClient } from './client.ts';
import { Cluster } from './cluster.ts';
import { type ClusterPlan, clusterSettings, planOf, type Sabotage } from './cluster-plan.ts';
import { sqlOf } from './engine.ts';
import { pathOfMount, simulateFileSystem } from './file-system.ts';
import { SimulatedDisk } from './disk-tree.ts';
import { Laws } from './laws.ts';
import { clockDriftMax, SimulatedProcess, trueTimeMs } from './machine.ts';
import { Mount } from './mount.ts';
import { combinePlainly } from './plain-signals.ts';
import { ResultUser } from './result-user.ts';
import { Scheduler } from './scheduler.ts';
import { stopTimers } from './still-timers.ts';
import { TableLaws } from './table-laws.ts';
import { TableUser } from './table-user.ts';
import { tableGraces } from './tables.ts';
import { FaultInjector, faults } from './fault-injector.ts';

const minuteMs = 60_000;
const users = ['ann', 'bob'] as const;
/** The parts that a run can omit: users, and kinds of faults. */
export const ingredients: readonly string[] = [...users, 'admin', ...faults];

/** The options of a run. */
export interface SimulationOptions {
  readonly seed: number;
  /** The simulated time in which clients call and faults occur. */
  readonly durationMs: number;
  readonly sabotage?: Sabotage | undefined;
  /** Parts of the layout that are not drawn. */
  readonly plan?: Partial<ClusterPlan> | undefined;
  /** A subset of `ingredients`: shrinking omits the others to find those that a violation needs. */
  readonly without?: readonly string[] | undefined;
}

/** The report of a run. */
export interface SimulationReport {
  readonly plan: ClusterPlan;
  readonly callCount: number;
  /** Calls by outcome. */
  readonly outcomes: Readonly<Record<string, number>>;
  readonly resultCount: number;
  /** Rows of tables that were checked. */
  readonly tableRowCount: number;
  /** The digest of all observations of clients, in order: identical for the same seed. */
  readonly digest: string;
}

/**
 * Runs a whole cluster in this process, on simulated time, network and disks, while clients call it
 * and seeded faults affect it; checks all observations against the laws.
 *
 * @throws AssertionError when a law is broken
 */
export async function simulate(options: SimulationOptions): Promise<SimulationReport> {
  using _timers = stopTimers();
  using _signals = combinePlainly();
  using _files = simulateFileSystem();
  await (warmedUp ??= warmUp());
  return await new Simulation(options).run();
}

let warmedUp: Promise<void> | undefined;

/**
 * Loads and compiles everything that is loaded on first use: that takes real time, during which
 * simulated time would advance.
 */
async function warmUp(): Promise<void> {
  await new Simulation({ seed: 1, durationMs: 5 * minuteMs, plan: { hasTables: true } }).run();
}

class Simulation {
  readonly #options: SimulationOptions;
  readonly #scheduler = new Scheduler();
  readonly #random: SeededRandom;
  readonly #laws: Laws;
  readonly #tableLaws: TableLaws;
  readonly #cluster: Cluster;
  readonly #digest = createHash('sha256');
  readonly #outcomes: Record<string, number> = {};
  readonly #rows = { first: 0 };
  #callCount = 0;
  #isEnding = false;

  constructor(options: SimulationOptions) {
    this.#options = options;
    this.#random = new SeededRandom(options.seed);
    const plan = { ...planOf(this.#random), ...options.plan };
    const clockErrorMaxMs = plan.clockErrorMaxMs + clockDriftMax * options.durationMs;
    this.#laws = new Laws({
      nowMs: () => this.#nowMs(),
      stalenessMaxMs: clusterSettings.stalenessMaxMs + plan.listingLagMs,
      areListingsTrue: plan.listingLagMs === 0,
      // One clock may be ahead, another behind.
      clockErrorMaxMs: 2 * clockErrorMaxMs + 2000,
    });
    this.#tableLaws = new TableLaws({
      laws: this.#laws,
      nowMs: () => this.#nowMs(),
      clockErrorMaxMs: clockErrorMaxMs + minuteMs,
    });
    this.#cluster = new Cluster({
      plan,
      sabotage: options.sabotage,
      scheduler: this.#scheduler,
      random: this.#random,
      laws: this.#laws,
    });
    this.#cluster.onPowerFailed = (name) => {
      if (name === 'controller') this.#tableLaws.notePowerFailed();
    };
  }

  async run(): Promise<SimulationReport> {
    using _temp = this.#makeTemp();
    await using cluster = this.#cluster;
    const { plan } = cluster;
    await this.#until(this.#cluster.startAll());
    const without = new Set(this.#options.without);
    const clients = users.map((user, index) =>
      without.has(user) ? undefined : this.#repeat(this.#userOf(user, index)),
    );
    const tableUser = plan.hasTables && !without.has('admin') ? this.#tableUser() : undefined;
    const admin = tableUser && this.#repeat({ act: () => tableUser.act(), name: 'admin' });
    const audit = plan.hasTables ? this.#auditTables() : undefined;
    const injector = new FaultInjector({
      cluster: this.#cluster,
      process: this.#outsider('faults'),
      random: this.#fork(),
      without,
    });
    const faulty = injector.run(() => this.#isEnding);
    await this.#pass(this.#options.durationMs);
    this.#isEnding = true;
    await this.#until(Promise.all([...clients, admin, audit, faulty]));
    await this.#conclude(injector, tableUser);
    return {
      plan,
      callCount: this.#callCount,
      outcomes: this.#outcomes,
      resultCount: this.#laws.results.length,
      tableRowCount: this.#tableLaws.checkedRowCount,
      digest: this.#digest.digest('hex'),
    };
  }

  /**
   * Checks the repaired cluster: live results can be read everywhere, and in the end nothing is
   * left.
   */
  async #conclude(injector: FaultInjector, tableUser: TableUser | undefined): Promise<void> {
    const { names, plan } = this.#cluster;
    injector.clear();
    await this.#until(this.#cluster.startAll());
    await this.#pass(minuteMs);
    const check = (): void => {
      const isEvictionLost = injector.wasKilled && plan.quotaBytes !== undefined;
      this.#laws.check({ isEvictionLost });
    };
    check();
    await this.#until(this.#readEverywhere());
    check();
    if (tableUser !== undefined) await this.#concludeTables(tableUser);
    // All calls have ended: only cleaners have work left.
    for (const name of names) if (/^(?:proxy|controller)/.test(name)) this.#cluster.kill(name);
    await this.#pass(clusterSettings.expirationMaxMs + 12 * clusterSettings.graceMs);
    check();
    const left = (await this.#cluster.stored()).filter(
      ({ key }) => !key.startsWith('quire-cleaner/'),
    );
    assert.deepEqual(left, [], 'something is left after everything has expired');
  }

  /** Every message is in its tables in the end, and nothing is left of deleted tables. */
  async #concludeTables(user: TableUser): Promise<void> {
    await this.#until(user.settle((ms) => this.#outsider('waiting').pause(ms)));
    await this.#until(this.#tableLaws.check(this.#readTables(), { isEnded: true }));
    this.#laws.check({ isEvictionLost: true });
    await this.#until(user.clear());
    await this.#pass(tableGraces.graceMs + tableGraces.trashRetentionMs + 2 * minuteMs);
    const disk = this.#cluster.storage.diskOf('controller');
    const isRecord =
      /^\/tables\/(?:restreams\/|\.lock$|\.reserve$|[a-z-]+\.json$|tasks\/)|\.revisions$/;
    const left = disk
      .files()
      .filter((path) => !isRecord.test(path) && !path.startsWith('/growing'));
    assert.deepEqual(left, [], 'something is left after all tables were deleted');
  }

  async #readEverywhere(): Promise<void> {
    const user = this.#userOf('ann', 9);
    for (const result of this.#laws.results) {
      if (!this.#laws.mustLive(result)) continue;
      for (const host of this.#cluster.entries.filter((name) => user.canServe(name))) {
        const outcome = await user.readPage(host, result, 0, result.rowCount + 1);
        if (this.#laws.mustLive(result) && outcome?.status !== 200) {
          this.#laws.violate(`${result.requestId} through ${host}: ${outcome?.status}`);
        }
      }
    }
  }

  /** Checks all tables occasionally, as queries in another process do. */
  async #auditTables(): Promise<void> {
    const process = this.#outsider('auditor');
    const random = this.#fork();
    const live = this.#readTables();
    while (!this.#isEnding) {
      await process.pause(minuteMs * (1 + 2 * random.fraction()));
      await this.#tableLaws.check(live, { isEnded: false });
    }
  }

  /** Returns the tables as a process sees them that has read none of them yet. */
  #readTables(): DirectoryTables {
    const mount = new Mount({
      disk: this.#cluster.storage.diskOf('controller'),
      process: this.#outsider('reader'),
      random: new SeededRandom(0),
      conditions: { latencyMaxMs: 0 },
    });
    return new DirectoryTables(`${pathOfMount(mount)}/tables`);
  }

  #userOf(name: string, index: number): ResultUser & { readonly name: string } {
    const process = this.#outsider(`client-${index}`);
    const client = new SimulatedClient(process, this.#cluster.network);
    const cluster = this.#cluster;
    const user = new ResultUser({
      name,
      cluster: {
        entries: cluster.entries,
        isShared: cluster.plan.isShared,
        hasController: true,
        unit: { ms: minuteMs, suffix: 'm' },
        expirationMaxMs: clusterSettings.expirationMaxMs,
        pauseMaxMs: 3000,
        call: (host, path, options) => client.call(host, path, options),
        pause: (delayMs) => process.pause(delayMs),
        nowMs: () => this.#nowMs(),
        sqlOf,
        expirationSince: (startMs) => cluster.expirationSince(startMs),
      },
      laws: this.#laws,
      random: this.#fork(),
      rows: this.#rows,
      note: (...noted) => this.#note(...noted),
    });
    return Object.assign(user, { name });
  }

  #tableUser(): TableUser {
    const process = this.#outsider('admin');
    return new TableUser({
      client: new SimulatedClient(process, this.#cluster.network),
      random: this.#fork(),
      laws: this.#tableLaws,
      topic: this.#cluster.topic,
      nowMs: () => this.#nowMs(),
      note: (kind, outcome) => this.#note(kind, 'controller', outcome),
      violate: (what) => this.#laws.violate(what),
    });
  }

  async #repeat(user: { readonly name: string; act(): Promise<void> }): Promise<void> {
    const process = this.#outsider(user.name);
    const random = this.#fork();
    while (!this.#isEnding) {
      await process.pause(random.fraction() * 20_000);
      await user.act();
    }
  }

  /** Gives temporary files a disk that no process owns and that never fails. */
  #makeTemp(): Disposable {
    const { TMPDIR } = process.env;
    const mount = new Mount({
      disk: new SimulatedDisk(() => this.#nowMs()),
      process: this.#outsider('temp'),
      random: new SeededRandom(0),
      conditions: { latencyMaxMs: 0 },
    });
    process.env['TMPDIR'] = pathOfMount(mount);
    return {
      [Symbol.dispose]: () => {
        if (TMPDIR === undefined) delete process.env['TMPDIR'];
        else process.env['TMPDIR'] = TMPDIR;
      },
    };
  }

  #nowMs(): number {
    return trueTimeMs(this.#scheduler);
  }

  #fork(): SeededRandom {
    return new SeededRandom(this.#random.integer(2 ** 31));
  }

  #outsider(name: string): SimulatedProcess {
    return new SimulatedProcess(name, this.#scheduler, { offsetMs: 0, rate: 1 });
  }

  /** Lets simulated time pass. */
  async #pass(durationMs: number): Promise<void> {
    let isOver = false;
    this.#scheduler.after(durationMs, () => (isOver = true));
    await this.#scheduler.run(() => isOver || this.#laws.isBroken);
    if (this.#laws.isBroken) this.#laws.check({ isEvictionLost: true });
  }

  /** Lets simulated time pass until the work is done. */
  async #until(work: Promise<unknown>): Promise<void> {
    let isDone = false;
    const done = work.finally(() => (isDone = true));
    done.catch(() => undefined);
    await this.#scheduler.run(() => isDone);
    await done;
  }

  #note(kind: string, host: string, outcome: CallOutcome, detail = 0): void {
    this.#callCount += 1;
    const key = `${kind} ${outcome?.status ?? 'lost'}${detail === 0 ? '' : ` ${detail}`}`;
    this.#outcomes[key] = (this.#outcomes[key] ?? 0) + 1;
    this.#digest.update(`${this.#nowMs()} ${host} ${key} ${outcome?.text}\n`);
  }
}

import type { Principal } from '@quire/auth';
import { createBroker } from '@quire/broker';
import {
  Cleaner,
  cleanerLease,
  type CleanerSettings,
  StorageAdmission,
  storeRemover,
} from '@quire/cleaner';
import { isQuireError, QuireError } from '@quire/core';
import { SeededRandom } from '@quire/core/testing';
import { createController } from '@quire/controller';
import { createProxy } from '@quire/proxy';
import { ResultStore } from '@quire/results';
import {
  type ClusterPlan,
  clusterSettings,
  type LiveSettings,
  type Sabotage,
} from './cluster-plan.ts';
import type { DiskConditions } from './disk.ts';
import { SimulatedEngine } from './engine.ts';
import { pathOfMount } from './file-system.ts';
import type { Laws, Removed } from './laws.ts';
import { type ClockFault, clockDriftMax, SimulatedProcess, trueTimeMs } from './machine.ts';
import { Network } from './network.ts';
import { type Scheduler, settled } from './scheduler.ts';
import { type StoredObject, Storage } from './storage.ts';
import { type StreamConditions, Topic } from './stream.ts';
import { openTables } from './tables.ts';

const minuteMs = 60_000;
/** The time after which a machine restarts a service that could not start. */
const restartMs = 5000;

const principals: Readonly<Record<string, Principal>> = {
  'Bearer ann': { name: 'ann', role: 'query' },
  'Bearer bob': { name: 'bob', role: 'query' },
  'Bearer root': { name: 'root', role: 'admin' },
};

async function authenticate(header: string | undefined): Promise<Principal> {
  const principal = principals[header ?? ''];
  if (principal === undefined) throw new QuireError('UNAUTHENTICATED', 'Unknown credentials.');
  return principal;
}

/** The common properties of every service of the cluster. */
const service = {
  authenticate,
  host: '0.0.0.0',
  port: 8099,
  version: '1.2.3',
  bodyBytesMax: 4096,
  headerBytesMax: 8192,
  requestTimeoutMs: 30_000,
  idleTimeoutMs: 30_000,
  stallTimeoutMs: Infinity,
  shutdownGraceMs: 10_000,
} as const;

/** A slot for a process, which is restarted after it was killed. */
interface Seat {
  readonly name: string;
  readonly clockFault: ClockFault;
  readonly start: (process: SimulatedProcess) => Promise<void>;
  process: SimulatedProcess | undefined;
}

/** The processes of a cluster, on one network, with the real code above stores and sockets. */
export class Cluster {
  readonly scheduler: Scheduler;
  readonly network: Network;
  readonly plan: ClusterPlan;
  readonly conditions: DiskConditions = { latencyMaxMs: 4, failureChance: 0, isFull: false };
  readonly streamConditions: StreamConditions = { latencyMaxMs: 20, failureChance: 0 };
  readonly settings: LiveSettings;
  readonly topic: Topic;
  readonly storage: Storage;
  onPowerFailed: (name: string) => void = () => undefined;
  readonly #random: SeededRandom;
  readonly #laws: Laws;
  readonly #sabotage: Sabotage;
  readonly #seats: Seat[] = [];
  readonly #expirations: { readonly atMs: number; readonly expirationMs: number }[] = [];

  constructor(options: {
    readonly plan: ClusterPlan;
    readonly scheduler: Scheduler;
    readonly random: SeededRandom;
    readonly laws: Laws;
    readonly sabotage?: Sabotage | undefined;
  }) {
    this.#sabotage = options.sabotage ?? {};
    this.plan = options.plan;
    this.scheduler = options.scheduler;
    this.#random = options.random;
    this.#laws = options.laws;
    this.network = new Network(this.scheduler, this.fork());
    this.topic = new Topic(2, this.fork());
    const { expirationMs, sweepPeriodMs } = clusterSettings;
    this.settings = { expirationMs, sweepPeriodMs };
    this.changeSettings(this.settings);
    this.storage = new Storage({
      plan: this.plan,
      scheduler: this.scheduler,
      sabotage: this.#sabotage,
      conditions: this.conditions,
      fork: () => this.fork(),
      violate: (what) => this.#laws.violate(what),
    });
    const { brokerCount, proxyCount, isShared, hasDaemon } = this.plan;
    for (let index = 0; index < brokerCount; index += 1) {
      const name = `broker-${index}`;
      this.#seat(name, (process) => this.#startBroker(process));
    }
    for (let index = 0; index < proxyCount; index += 1) {
      this.#seat(`proxy-${index}`, (process) => this.#startProxy(process));
    }
    this.#seat('controller', (process) => this.#startController(process));
    if (isShared && hasDaemon) this.#seat('cleaner', (process) => this.#startDaemon(process));
  }

  get names(): readonly string[] {
    return this.#seats.map(({ name }) => name);
  }

  /** Hosts that clients may call. */
  get entries(): readonly string[] {
    return this.names.filter((name) => /^(?:broker|proxy)/.test(name));
  }

  isRunning(name: string): boolean {
    return this.#seatOf(name).process?.isAlive === true;
  }

  async startAll(): Promise<void> {
    for (const { name } of this.#seats) if (!this.isRunning(name)) await this.start(name);
  }

  /** Starts a process; retries while its disk prevents the start. */
  async start(name: string): Promise<void> {
    const seat = this.#seatOf(name);
    for (;;) {
      const process = new SimulatedProcess(name, this.scheduler, seat.clockFault);
      seat.process = process;
      try {
        await seat.start(process);
        return;
      } catch (error) {
        if (!isQuireError(error) && !(error instanceof Error && 'code' in error)) throw error;
        process.kill();
      }
      await pause(this.scheduler, restartMs);
      if (seat.process !== process) return;
    }
  }

  kill(name: string): void {
    this.#seatOf(name).process?.kill();
  }

  /** Kills a process together with its machine: its disk loses bytes that were not synced. */
  failPower(name: string): void {
    this.kill(name);
    this.storage.diskOf(name).failPower(this.fork());
    this.onPowerFailed(name);
  }

  /** Kills all processes and closes their connections, so that none of them stays in memory. */
  async [Symbol.asyncDispose](): Promise<void> {
    for (const { process } of this.#seats) process?.kill();
    this.network.close();
    await settled();
  }

  /** The shortest and the longest life that results were given since then. */
  expirationSince(startMs: number): { readonly minMs: number; readonly maxMs: number } {
    const index = this.#expirations.findLastIndex(({ atMs }) => atMs <= startMs);
    const given = this.#expirations
      .slice(Math.max(0, index))
      .map(({ expirationMs }) => expirationMs);
    return { minMs: Math.min(...given), maxMs: Math.max(...given) };
  }

  /** Changes settings of all processes while they run. */
  changeSettings(settings: LiveSettings): void {
    Object.assign(this.settings, settings);
    this.#expirations.push({
      atMs: trueTimeMs(this.scheduler),
      expirationMs: settings.expirationMs,
    });
  }

  stepClock(name: string, offsetMs: number): void {
    this.#seatOf(name).clockFault.offsetMs = offsetMs;
  }

  /** A separate stream of random numbers, independent of other draws. */
  fork(): SeededRandom {
    return new SeededRandom(this.#random.integer(2 ** 31));
  }

  /** Every object that is stored anywhere. */
  stored(): Promise<readonly StoredObject[]> {
    return this.storage.stored();
  }

  get #brokerUrls(): readonly string[] {
    const { brokerCount } = this.plan;
    return Array.from({ length: brokerCount }, (_, index) => `http://broker-${index}:8099`);
  }

  #seat(name: string, start: Seat['start']): void {
    const rate = 1 + (this.#random.fraction() - 0.5) * 2 * clockDriftMax;
    this.#seats.push({ name, clockFault: { offsetMs: 0, rate }, start, process: undefined });
  }

  #seatOf(name: string): Seat {
    const seat = this.#seats.find((each) => each.name === name);
    if (seat === undefined) throw new Error(`There is no ${name}.`);
    return seat;
  }

  async #startBroker(process: SimulatedProcess): Promise<void> {
    const { clock, name } = process;
    const random = this.fork();
    const store = await this.storage.openStore(process, random);
    const settings = this.#sabotage.hasDeafBrokers === true ? { ...this.settings } : this.settings;
    const admission = new StorageAdmission({ clock });
    const brokerId = `Broker_${name}_8099`;
    const own = new ResultStore({
      store,
      brokerId,
      admission,
      clock: this.#sabotage.resultsClock?.(clock) ?? clock,
      random,
      isShared: this.plan.isShared,
      batchSizeBytes: 1000,
      get expirationMs() {
        return settings.expirationMs;
      },
      expirationMaxMs: clusterSettings.expirationMaxMs,
      stalenessMaxMs: clusterSettings.stalenessMaxMs,
      tempDirectory: `${pathOfMount(this.storage.mountOf(process))}/growing`,
    });
    const results = this.#sabotage.results?.(own) ?? own;
    const cleaner = new Cleaner({
      target: { store, brokerId, remover: own, admission },
      settings: () => this.#cleanerSettings(),
      clock: this.#sabotage.cleanerClock?.(clock) ?? clock,
      random,
      log: this.#logOf(process),
    });
    const broker = createBroker({
      ...service,
      engine: new SimulatedEngine(process, random),
      results,
      hostName: name,
      ...(!this.plan.isShared && { advertised: { host: name, port: 8099 } }),
      storeLocation: store.location,
      storeType: 'memory',
      pageRowCount: 50,
      queryTimeoutMs: clusterSettings.queryTimeoutMs,
      queriesRunningMax: 4,
      queriesQueuedMax: 8,
      clock,
      random,
    });
    const handler = await broker.handler();
    if (!process.isAlive) return;
    this.network.listen(name, process, handler);
    cleaner.start();
  }

  async #startProxy(process: SimulatedProcess): Promise<void> {
    const proxy = createProxy({
      ...service,
      brokers: this.#brokerUrls,
      resolveIntervalMs: 30_000,
      isStoreShared: 'auto',
      authMode: 'pass',
      routesMax: 1000,
      connectionsMax: 64,
      timeouts: { connectMs: 5000, queryMs: 70_000, answerMs: 30_000, healthMs: 2000 },
      healthIntervalMs: 10_000,
      failuresMax: 3,
      clock: process.clock,
      random: this.fork(),
      connector: this.network.connectorOf(process),
    });
    const handler = await proxy.handler();
    const listener = this.#sabotage.proxyListener?.(handler) ?? handler;
    if (process.isAlive) this.network.listen(process.name, process, listener);
  }

  async #startController(process: SimulatedProcess): Promise<void> {
    const tables = this.plan.hasTables
      ? await openTables({
          process,
          mount: this.storage.mountOf(process),
          random: this.fork(),
          conditions: this.streamConditions,
          topics: new Map([['events', this.topic]]),
          sabotage: this.#sabotage.tables ?? {},
        })
      : undefined;
    const controller = createController({
      ...service,
      brokers: this.#brokerUrls,
      brokerTimeoutMs: 30_000,
      schedule: { periodMs: 3 * minuteMs, initialDelayMs: 'random' },
      authorization: { authorization: async () => 'Bearer root' },
      clock: process.clock,
      random: this.fork(),
      connector: this.network.connectorOf(process),
      tables,
    });
    const handler = await controller.handler();
    if (process.isAlive) this.network.listen(process.name, process, handler);
  }

  async #startDaemon(process: SimulatedProcess): Promise<void> {
    const { clock } = process;
    const random = this.fork();
    const store = await this.storage.openStore(process, random);
    new Cleaner({
      target: { store, brokerId: undefined, remover: storeRemover(store) },
      settings: () => this.#cleanerSettings(),
      clock,
      random,
      lease: cleanerLease({ store, clock, random, durationMs: 30_000 }),
      log: this.#logOf(process),
    }).start();
  }

  #cleanerSettings(): CleanerSettings {
    const { quotaBytes } = this.plan;
    const settings: CleanerSettings = {
      periodMs: this.settings.sweepPeriodMs,
      initialDelayMs: 'random',
      quota:
        quotaBytes === undefined
          ? undefined
          : { quotaBytes, criticalPercent: 90, targetPercent: 60, protectionMs: minuteMs },
      graceMs: clusterSettings.graceMs,
      queryTimeoutMs: clusterSettings.queryTimeoutMs,
      concurrencyMax: 3,
    };
    return this.#sabotage.cleanerSettings?.(settings) ?? settings;
  }

  #logOf(process: SimulatedProcess): ConstructorParameters<typeof Cleaner>[0]['log'] {
    const noteRemoval = (members: object, isDone: boolean): void => {
      if (process.isAlive) this.#laws.noteRemoval(process.name, members as Removed, isDone);
    };
    return {
      info: (members, message) => message === 'deleted' && noteRemoval(members, true),
      warn: (members, message) => message === 'could not be deleted' && noteRemoval(members, false),
      error: () => undefined,
    };
  }
}

function pause(scheduler: Scheduler, delayMs: number): Promise<void> {
  return new Promise((resolve) => void scheduler.after(delayMs, resolve));
}

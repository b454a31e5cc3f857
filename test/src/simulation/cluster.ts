import type { RequestListener } from 'node:http';
import type { Principal } from '@quire/auth';
import { createBroker } from '@quire/broker';
import {
  Cleaner,
  cleanerLease,
  type CleanerSettings,
  StorageAdmission,
  storeRemover,
} from '@quire/cleaner';
import {
  type Clock,
  type ObjectStore,
  QuireError,
  type Random,
  withLimit,
  withRetry,
  withTimeLimit,
} from '@quire/core';
import { SeededRandom } from '@quire/core/testing';
import { createController } from '@quire/controller';
import { createProxy } from '@quire/proxy';
import { ResultStore } from '@quire/results';
import { MemoryObjectStore } from '@quire/core/memory';
import { type DiskWeather, SimulatedStore } from './disk.ts';
import { SimulatedEngine } from './engine.ts';
import type { Laws, Removed } from './laws.ts';
import { type ClockFault, SimulatedProcess } from './machine.ts';
import { Network } from './network.ts';
import type { Scheduler } from './scheduler.ts';

const minuteMs = 60_000;

/** What all machines of a simulated cluster are set to. */
export const clusterSettings = {
  expirationMs: 10 * minuteMs,
  expirationMaxMs: 30 * minuteMs,
  queryTimeoutMs: minuteMs,
  graceMs: 5 * minuteMs,
  sweepPeriodMs: 2 * minuteMs,
  stalenessMaxMs: 5000,
  storeTimeoutMs: 10_000,
} as const;

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

/** What every service of the cluster has. */
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

/** How a cluster is laid out. */
export interface ClusterPlan {
  readonly brokerCount: number;
  readonly proxyCount: number;
  /** Whether brokers share one bucket, or have a disk each. */
  readonly isShared: boolean;
  /** Whether a process of its own sweeps as well; only where the store is shared. */
  readonly hasDaemon: boolean;
  /** Bytes that each broker may store; undefined for no quota. */
  readonly quotaBytes: number | undefined;
  /** By how much a clock may be wrong while the weather says so. */
  readonly clockErrorMaxMs: number;
}

/** A defect that is planted into a cluster, to see that the laws find it. */
export interface Sabotage {
  readonly store?: (store: ObjectStore, process: SimulatedProcess) => ObjectStore;
  readonly results?: (results: ResultStore) => ResultStore;
  readonly cleanerSettings?: (settings: CleanerSettings) => CleanerSettings;
  readonly resultsClock?: (clock: Clock) => Clock;
  readonly cleanerClock?: (clock: Clock) => Clock;
  readonly proxyListener?: (listener: RequestListener) => RequestListener;
}

/** A place for a process, which is started again when it was killed. */
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
  readonly weather: DiskWeather = { latencyMaxMs: 4, failureChance: 0, isFull: false };
  readonly #random: SeededRandom;
  readonly #laws: Laws;
  readonly #sabotage: Sabotage;
  readonly #disks = new Map<string, MemoryObjectStore>();
  readonly #seats: Seat[] = [];

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
    const { brokerCount, proxyCount, isShared, hasDaemon } = this.plan;
    for (let index = 0; index < brokerCount; index += 1) {
      const name = `broker-${index}`;
      this.#seat(name, (process) => this.#startBroker(process));
      const diskName = isShared ? 'bucket' : name;
      if (!this.#disks.has(diskName)) {
        const { clock } = new SimulatedProcess(diskName, this.scheduler, { offsetMs: 0, rate: 1 });
        this.#disks.set(diskName, new MemoryObjectStore({ sizeMaxBytes: 1e9, clock }));
      }
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

  async start(name: string): Promise<void> {
    const seat = this.#seatOf(name);
    const process = new SimulatedProcess(name, this.scheduler, seat.clockFault);
    seat.process = process;
    await seat.start(process);
  }

  kill(name: string): void {
    this.#seatOf(name).process?.kill();
  }

  killAll(): void {
    for (const { process } of this.#seats) process?.kill();
  }

  stepClock(name: string, offsetMs: number): void {
    this.#seatOf(name).clockFault.offsetMs = offsetMs;
  }

  /** Another stream of random numbers, which what others draw does not change. */
  fork(): SeededRandom {
    return new SeededRandom(this.#random.integer(2 ** 31));
  }

  /** Every object that is stored anywhere, with the name of its disk. */
  async stored(): Promise<{ readonly disk: string; readonly key: string; sizeBytes: number }[]> {
    const found = [];
    for (const [disk, objects] of this.#disks) {
      for await (const { key, sizeBytes } of objects.list('')) found.push({ disk, key, sizeBytes });
    }
    return found;
  }

  get #brokerUrls(): readonly string[] {
    const { brokerCount } = this.plan;
    return Array.from({ length: brokerCount }, (_, index) => `http://broker-${index}:8099`);
  }

  #seat(name: string, start: Seat['start']): void {
    const rate = 1 + (this.#random.fraction() - 0.5) * 2e-4;
    this.#seats.push({ name, clockFault: { offsetMs: 0, rate }, start, process: undefined });
  }

  #seatOf(name: string): Seat {
    const seat = this.#seats.find((each) => each.name === name);
    if (seat === undefined) throw new Error(`There is no ${name}.`);
    return seat;
  }

  #diskOf(name: string): MemoryObjectStore {
    const disk = this.#disks.get(this.plan.isShared ? 'bucket' : name);
    if (disk === undefined) throw new Error(`${name} has no disk.`);
    return disk;
  }

  /** The store as a service opens it: with time limits, a limit of calls, and retries. */
  #openStore(process: SimulatedProcess, random: Random): ObjectStore {
    const { clock } = process;
    const { storeTimeoutMs } = clusterSettings;
    const backend = new SimulatedStore({
      location: this.plan.isShared ? 's3://simulated' : 'file:///simulated',
      objects: this.#diskOf(process.name),
      process,
      random: this.fork(),
      weather: this.weather,
      onStored: (key) => this.#checkQuota(process.name, key),
    });
    const sabotaged = this.#sabotage.store?.(backend, process) ?? backend;
    const timed = withTimeLimit(sabotaged, {
      clock,
      callTimeoutMs: storeTimeoutMs,
      idleTimeoutMs: storeTimeoutMs,
    });
    const limited = withLimit(timed, { concurrentMax: 16 });
    return withRetry(limited, {
      clock,
      random,
      attemptsMax: 3,
      delayMs: 50,
      delayMaxMs: 1000,
      onRetry: () => undefined,
    });
  }

  async #startBroker(process: SimulatedProcess): Promise<void> {
    const { clock, name } = process;
    const random = this.fork();
    const store = this.#openStore(process, random);
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
      expirationMs: clusterSettings.expirationMs,
      expirationMaxMs: clusterSettings.expirationMaxMs,
      stalenessMaxMs: clusterSettings.stalenessMaxMs,
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
    });
    this.network.listen(name, process, await broker.handler());
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
      connector: this.network.connectorOf(process),
    });
    const handler = await proxy.handler();
    const listener = this.#sabotage.proxyListener?.(handler) ?? handler;
    if (process.isAlive) this.network.listen(process.name, process, listener);
  }

  async #startController(process: SimulatedProcess): Promise<void> {
    const controller = createController({
      ...service,
      brokers: this.#brokerUrls,
      brokerTimeoutMs: 30_000,
      schedule: { periodMs: 3 * minuteMs, initialDelayMs: 'random' },
      authorization: { authorization: async () => 'Bearer root' },
      clock: process.clock,
      random: this.fork(),
      connector: this.network.connectorOf(process),
    });
    this.network.listen(process.name, process, await controller.handler());
  }

  async #startDaemon(process: SimulatedProcess): Promise<void> {
    const { clock } = process;
    const random = this.fork();
    const store = this.#openStore(process, random);
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
      periodMs: clusterSettings.sweepPeriodMs,
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

  /** A broker's objects are never more than its quota, whatever it is in the middle of. */
  async #checkQuota(name: string, key: string): Promise<void> {
    const { quotaBytes } = this.plan;
    const prefix = `Broker_${name}_8099/`;
    if (quotaBytes === undefined || !key.startsWith(prefix)) return;
    let bytes = 0;
    for await (const { sizeBytes } of this.#diskOf(name).list(prefix)) bytes += sizeBytes;
    if (bytes > quotaBytes) this.#laws.violate(`${name} stores ${bytes} of ${quotaBytes} bytes`);
  }

  #logOf(process: SimulatedProcess): ConstructorParameters<typeof Cleaner>[0]['log'] {
    const noteRemoval = (members: object): void => {
      if (process.isAlive) this.#laws.noteRemoval(process.name, members as Removed);
    };
    return {
      info: (members, message) => message === 'deleted' && noteRemoval(members),
      warn: (members, message) => message === 'could not be deleted' && noteRemoval(members),
      error: () => undefined,
    };
  }
}

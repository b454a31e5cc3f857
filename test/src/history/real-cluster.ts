import { appendFile } from 'node:fs/promises';
import { kill } from 'node:process';
import { systemClock } from '@quire/core';
import type { SeededRandom } from '@quire/core/testing';
import type { CallOptions, CallOutcome } from '../simulation/client.ts';
import type { Removed } from '../simulation/laws.ts';
import type { UsedCluster } from '../simulation/result-user.ts';
import {
  type CliProcess,
  propertiesOf,
  startServer,
  writeSettings,
} from '../testkit/cli-process.ts';
import { startProxy } from '../cluster/cluster-processes.ts';
import { type Fault, FaultProxy, type ProxiedRequest } from '../testkit/servers/fault-proxy.ts';
import { type S3Server, s3SettingsOf } from '../testkit/servers/s3-server.ts';

/** The lifetimes of results here, in seconds where a simulation has minutes. */
export const lives = { expirationMs: 10_000, expirationMaxMs: 30_000, stalenessMaxMs: 5000 };
const answerTimeoutMs = 60_000;
const startsMax = 20;

/** A row of the history: the caller, the call, its time, and its outcome. */
interface HistoryRow {
  readonly startMs: number;
  readonly endMs: number;
  readonly user: string;
  readonly request: string;
  readonly outcome: string;
}

/** One broker: a process that may be replaced, behind an address that stays. */
interface Seat {
  readonly name: string;
  readonly front: FaultProxy;
  process: CliProcess;
  readonly ended: CliProcess[];
}

/** The effects of the network between processes and their store on requests. */
export interface Faults {
  store: (request: ProxiedRequest) => Fault | undefined;
  broker: (request: ProxiedRequest) => Fault | undefined;
}

/** Brokers and a proxy in processes of their own, over one bucket, with faults in between. */
export class RealCluster implements UsedCluster, AsyncDisposable {
  readonly isShared = true;
  readonly hasController = false;
  readonly unit = { ms: 1000, suffix: 's' };
  readonly expirationMaxMs = lives.expirationMaxMs;
  readonly pauseMaxMs = 500;
  readonly faults: Faults = { store: () => undefined, broker: () => undefined };
  readonly history: HistoryRow[] = [];
  readonly #random: SeededRandom;
  readonly #stack: AsyncDisposableStack;
  readonly #seats: Seat[] = [];
  readonly #config: string;
  #proxyUrl = '';

  private constructor(config: string, random: SeededRandom, stack: AsyncDisposableStack) {
    this.#config = config;
    this.#random = random;
    this.#stack = stack;
  }

  static async start(options: {
    readonly directory: string;
    readonly bucketPort: number;
    readonly place: ReturnType<S3Server['storeOptions']>;
    readonly brokerCount: number;
    readonly random: SeededRandom;
  }): Promise<RealCluster> {
    const { directory, bucketPort, place, brokerCount, random } = options;
    await using stack = new AsyncDisposableStack();
    const store = stack.use(await FaultProxy.start(bucketPort));
    const seconds = (ms: number): string => `${ms / 1000}s`;
    const config = await writeSettings(
      directory,
      propertiesOf({
        ...s3SettingsOf({ ...place, endpoint: store.endpoint }),
        'engine.log.format': 'json',
        'engine.auth.principal.bob.role': 'query',
        'engine.auth.principal.bob.password.env': 'TEST_ANN_PASSWORD',
        'engine.broker.query.timeout': '15s',
        'engine.broker.pagination.expiration': seconds(lives.expirationMs),
        'engine.broker.pagination.expiration.max': seconds(lives.expirationMaxMs),
        'engine.broker.pagination.staleness.max': seconds(lives.stalenessMaxMs),
        'engine.broker.pagination.store.timeout': '3s',
        'engine.cleaner.orphan.grace': '1m',
        'controller.cluster.pagination.cleaner.initialDelay': '1s',
        'controller.cluster.pagination.cleaner.frequencyPeriod': '3s',
      }),
    );
    const cluster = new RealCluster(config, random, stack.move());
    store.intercept = (request) => cluster.faults.store(request);
    for (let index = 0; index < brokerCount; index += 1) {
      await cluster.#addBroker(`broker-${index}`);
    }
    const urls = cluster.#seats.map(({ front }) => front.endpoint);
    const proxy = await startProxy(config, urls, ['proxy.timeout.query=30s']);
    cluster.#stack.use(proxy);
    cluster.#proxyUrl = proxy.url;
    return cluster;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const { process } of this.#seats) await process[Symbol.asyncDispose]();
    await this.#stack[Symbol.asyncDispose]();
  }

  get entries(): readonly string[] {
    return [...this.#seats.map(({ name }) => name), 'proxy-0'];
  }

  get brokers(): readonly string[] {
    return this.#seats.map(({ name }) => name);
  }

  /** Deletions that the cleaners of all processes have logged, those that were killed included. */
  get removals(): readonly { readonly removed: Removed; readonly timeMs: number }[] {
    return this.#seats
      .flatMap(({ process, ended }) => [...ended, process])
      .flatMap(({ stderr }) =>
        stderr
          .split('\n')
          .filter((line) => line.endsWith('"msg":"deleted"}'))
          .map((line) => JSON.parse(line) as Removed & { readonly time: number })
          .map((removed) => ({ removed, timeMs: removed.time })),
      );
  }

  nowMs(): number {
    return systemClock.nowMs();
  }

  pause(delayMs: number): Promise<void> {
    return systemClock.sleep(delayMs);
  }

  expirationSince(): { readonly minMs: number; readonly maxMs: number } {
    return { minMs: lives.expirationMs, maxMs: lives.expirationMs };
  }

  sqlOf(rowCount: number, first: number, { isSlow }: { readonly isSlow: boolean }): string {
    const rows = `SELECT range AS n, 'row ' || range AS text FROM range(${first}, ${first + rowCount}) ORDER BY 1`;
    // About a second of work.
    return isSlow
      ? `${rows.replace('ORDER BY', 'WHERE (SELECT sum(hash(range)) FROM range(60000000)) > 0 ORDER BY')}`
      : rows;
  }

  async call(host: string, path: string, options: CallOptions): Promise<CallOutcome> {
    const { method = 'GET', as, body } = options;
    const startMs = this.nowMs();
    const outcome = await this.#send(`${this.#urlOf(host)}${path}`, { method, as, body });
    this.history.push({
      startMs,
      endMs: this.nowMs(),
      user: as,
      request: `${host} ${method} ${path} ${body === undefined ? '' : JSON.stringify(body)}`,
      outcome: outcome === undefined ? 'lost' : `${outcome.status} ${outcome.text}`,
    });
    return outcome;
  }

  /** Kills a broker and starts it again, while its address stays. */
  async restart(name: string, pauseMs: number): Promise<void> {
    const seat = this.#seatOf(name);
    await seat.process[Symbol.asyncDispose]();
    await this.pause(pauseMs);
    const { server, url } = await this.#startBroker();
    seat.ended.push(seat.process);
    seat.process = server;
    seat.front.targetPort = Number(new URL(url).port);
  }

  /** Suspends a broker, and resumes it after a pause. */
  async freeze(name: string, pauseMs: number): Promise<void> {
    const { pid } = this.#seatOf(name).process;
    kill(pid, 'SIGSTOP');
    try {
      await this.pause(pauseMs);
    } finally {
      kill(pid, 'SIGCONT');
    }
  }

  anyBroker(): string {
    return this.brokers[this.#random.integer(this.brokers.length)] ?? '';
  }

  /** Writes the history, a call in each line. */
  async save(path: string): Promise<void> {
    await appendFile(path, this.history.map((row) => `${JSON.stringify(row)}\n`).join(''));
  }

  async #addBroker(name: string): Promise<void> {
    const { server, url } = await this.#startBroker();
    const front = this.#stack.use(await FaultProxy.start(Number(new URL(url).port)));
    front.intercept = (request) => this.faults.broker(request);
    this.#seats.push({ name, front, process: server, ended: [] });
  }

  /**
   * Starts a broker, and starts it again, as a supervisor does, while the bucket does not answer
   * within the time limit of the settings. A busy machine exceeds the limit as well.
   */
  async #startBroker(): ReturnType<typeof startServer> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await startServer(['--config', this.#config]);
      } catch (error) {
        if (attempt === startsMax || !isOutage(String(error))) throw error;
      }
    }
  }

  #seatOf(name: string): Seat {
    const seat = this.#seats.find((each) => each.name === name);
    if (seat === undefined) throw new Error(`There is no ${name}.`);
    return seat;
  }

  #urlOf(host: string): string {
    return host.startsWith('proxy') ? this.#proxyUrl : this.#seatOf(host).front.endpoint;
  }

  async #send(
    url: string,
    { method, as, body }: { method: string; as: string; body: object | undefined },
  ): Promise<CallOutcome> {
    const headers = {
      authorization: `Basic ${Buffer.from(`${as}:ann-password`).toString('base64')}`,
      ...(body !== undefined && { 'content-type': 'application/json' }),
    };
    const signal = AbortSignal.timeout(answerTimeoutMs);
    try {
      const sent = body === undefined ? {} : { body: JSON.stringify(body) };
      const response = await fetch(url, { method, headers, signal, ...sent });
      const text = await response.text();
      return { status: response.status, text, json: <T>() => JSON.parse(text) as T };
    } catch {
      // Reset, refused, or too late: the client does not know the outcome.
      return undefined;
    }
  }
}

/** Reports whether a broker, or its first worker, ended because the bucket did not answer. */
function isOutage(error: string): boolean {
  return error.includes('pagination.s3') || error.includes('Opening s3://');
}

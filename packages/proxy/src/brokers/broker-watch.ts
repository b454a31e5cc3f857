import { routePatterns } from '@quire/api';
import { type BrokerHealth, parseBrokerHealth } from '@quire/client/wire';
import type { Clock } from '@quire/core';
import { Sleeper } from '@quire/core/wait';
import type { FastifyBaseLogger } from 'fastify';
import type { ProxyMetrics } from '../proxy-metrics.ts';
import type { ProxyOptions } from '../proxy-options.ts';
import type { BrokerSet } from './broker-set.ts';
import type { Broker } from './broker.ts';
import { callBroker } from './call-broker.ts';
import type { RouteCache } from './route-cache.ts';
import { WantedBrokers } from './wanted-brokers.ts';

export interface BrokerWatchParts {
  readonly options: ProxyOptions;
  readonly brokers: BrokerSet;
  readonly routes: RouteCache;
  readonly metrics: ProxyMetrics;
  readonly clock: Clock;
}

/**
 * Monitors the brokers in rounds: which ones exist, and the health of each. The checks of a round
 * run concurrently. One that hangs ends with its timeout, and delays the round but no call.
 */
export class BrokerWatch {
  readonly #parts: BrokerWatchParts;
  readonly #wanted: WantedBrokers;
  readonly #log: FastifyBaseLogger | undefined;
  readonly #stopping = new AbortController();
  readonly #pauses: Sleeper;
  #rounds: Promise<void> | undefined;

  constructor(parts: BrokerWatchParts) {
    this.#parts = parts;
    this.#log = parts.options.logger;
    this.#pauses = new Sleeper(parts.clock);
    this.#wanted = new WantedBrokers(parts.options, parts.clock);
  }

  /** Starts; resolves after the first round, when it is known which brokers are up. */
  async start(): Promise<void> {
    await this.#round();
    this.#rounds = this.#runRounds();
  }

  /** Starts the next round immediately, because current knowledge has proven outdated. */
  checkSoon(): void {
    this.#pauses.wake();
  }

  /** Records that a broker failed to answer a call. */
  recordFailure(broker: Broker, what: string): void {
    if (broker.recordFailedCall(this.#parts.options.failuresMax)) this.#eject(broker, what);
    this.checkSoon();
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    this.checkSoon();
    await this.#rounds;
  }

  async #runRounds(): Promise<void> {
    const { options } = this.#parts;
    while (!this.#stopping.signal.aborted) {
      await this.#pauses.sleep(options.healthIntervalMs);
      if (!this.#stopping.signal.aborted) await this.#round();
    }
  }

  async #round(): Promise<void> {
    const { brokers, options, clock, routes, metrics } = this.#parts;
    const { addresses, problem } = await this.#wanted.find(this.#stopping.signal);
    if (this.#stopping.signal.aborted) return;
    if (problem !== undefined) {
      this.#log?.warn(
        { problem },
        'the name of the brokers cannot be resolved: the known ones are kept',
      );
    }
    const { added, removed } = brokers.update(addresses);
    routes.deleteBrokers(removed);
    if (added.length > 0 || removed.length > 0) {
      const labelsOf = (some: readonly Broker[]): string[] => some.map(({ label }) => label);
      this.#log?.info({ added: labelsOf(added), removed: labelsOf(removed) }, 'brokers changed');
    }
    const check = async (broker: Broker): Promise<void> =>
      this.#heed(
        broker,
        await checkHealth(broker, clock, options.timeouts.healthMs, this.#stopping.signal),
      );
    await Promise.all(brokers.all.map(check));
    metrics.observeRound();
  }

  #heed(broker: Broker, check: HealthCheck): void {
    if (this.#stopping.signal.aborted) return;
    if (check.kind === 'failed') {
      if (broker.recordFailure(this.#parts.options.failuresMax)) {
        this.#eject(broker, 'the health check failed');
      }
    } else if (check.kind === 'leaving') {
      if (broker.recordDraining()) this.#eject(broker, 'it is shutting down');
    } else if (broker.recordHealthy(check.health)) {
      this.#log?.info({ broker: broker.label, origin: broker.address.origin }, 'broker is up');
    }
  }

  #eject(broker: Broker, what: string): void {
    this.#parts.metrics.observeEjection(broker.label);
    this.#log?.warn(
      { broker: broker.label, origin: broker.address.origin, what },
      'broker is down',
    );
  }
}

/** The outcome of a health check. */
export type HealthCheck =
  | { readonly kind: 'healthy'; readonly health: BrokerHealth }
  | { readonly kind: 'leaving' }
  | { readonly kind: 'failed' };

/** The maximum size of a health report. */
const reportBytesMax = 65_536;

/**
 * Requests the health of a broker. Only a valid report of a Quire broker counts as healthy; never
 * rejects.
 */
async function checkHealth(
  broker: Broker,
  clock: Clock,
  timeoutMs: number,
  signal: AbortSignal,
): Promise<HealthCheck> {
  try {
    const answer = await callBroker(broker, {
      path: routePatterns.health,
      clock,
      timeoutMs,
      signal,
      bodyBytesMax: reportBytesMax,
    });
    if (answer.status === 503) return { kind: 'leaving' };
    return answer.status === 200
      ? { kind: 'healthy', health: parseBrokerHealth(answer.text) }
      : { kind: 'failed' };
  } catch {
    return { kind: 'failed' }; // whatever the error: the next round checks again
  }
}

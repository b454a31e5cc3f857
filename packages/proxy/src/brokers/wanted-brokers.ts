import { type Clock, QuireError } from '@quire/core';
import { unlessAborted, withDeadline } from '@quire/core/wait';
import type { ProxyOptions } from '../proxy-options.ts';
import { addressOfMachine, type BrokerAddress, parseBrokerUrl } from './broker-address.ts';

/** The brokers that should exist. */
export interface Wanted {
  readonly addresses: readonly BrokerAddress[];
  /** The reason why names could not be resolved; the addresses are then the last known ones. */
  readonly problem?: string;
}

/**
 * Determines the brokers that should exist: those of the settings, and those that a name currently
 * resolves to.
 */
export class WantedBrokers {
  readonly #options: ProxyOptions;
  readonly #clock: Clock;
  #named: { readonly url: string; readonly addresses: readonly BrokerAddress[] } | undefined;
  #nextMs = 0;
  #lookup: { readonly host: string; readonly ips: Promise<readonly string[]> } | undefined;

  constructor(options: ProxyOptions, clock: Clock) {
    this.#options = options;
    this.#clock = clock;
  }

  /**
   * Finds the brokers. A name without addresses, or one that cannot be resolved, changes nothing:
   * an old answer is better than no broker. Neither does one that takes longer than a health check,
   * whose answer is used once it has arrived.
   */
  async find(signal?: AbortSignal): Promise<Wanted> {
    const { brokersName, brokers } = this.#options;
    const listed = brokers.map(parseBrokerUrl);
    if (brokersName === undefined) return { addresses: listed };
    const problem = await this.#resolve(brokersName, signal);
    return {
      addresses: [...listed, ...(this.#named?.addresses ?? [])],
      ...(problem !== undefined && { problem }),
    };
  }

  async #resolve(url: string, signal: AbortSignal | undefined): Promise<string | undefined> {
    const { resolveIntervalMs, timeouts } = this.#options;
    const nowMs = this.#clock.monotonicMs();
    if (this.#named?.url === url && nowMs < this.#nextMs) return undefined;
    if (this.#named?.url !== url) this.#named = undefined;
    try {
      const named = parseBrokerUrl(url);
      const limit = {
        clock: this.#clock,
        timeoutMs: timeouts.healthMs,
        signal,
        error: (timeoutMs: number) =>
          new QuireError(
            'BROKER_TIMED_OUT',
            `${named.host} was not resolved within ${timeoutMs} ms.`,
          ),
      };
      const ips = await withDeadline(limit, (ended) =>
        unlessAborted(this.#lookUp(named.host), ended),
      );
      if (ips.length === 0) return `${named.host} has no address`;
      // Sorted, because a name server shuffles its answer.
      this.#named = { url, addresses: ips.toSorted().map((ip) => addressOfMachine(named, ip)) };
      this.#nextMs = nowMs + resolveIntervalMs;
      return undefined;
    } catch (error) {
      return error instanceof Error ? error.message : String(error);
    }
  }

  /** Looks a name up, or joins a lookup that is still running, since each occupies a thread. */
  #lookUp(host: string): Promise<readonly string[]> {
    if (this.#lookup?.host === host) return this.#lookup.ips;
    const ips = this.#options.resolveName?.(host) ?? Promise.resolve([]);
    const lookup = { host, ips };
    this.#lookup = lookup;
    const end = (): void => {
      if (this.#lookup === lookup) this.#lookup = undefined;
    };
    ips.then(end, end);
    return ips;
  }
}

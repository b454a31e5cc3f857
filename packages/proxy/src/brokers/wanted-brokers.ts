import type { Clock } from '@quire/core';
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

  constructor(options: ProxyOptions, clock: Clock) {
    this.#options = options;
    this.#clock = clock;
  }

  /**
   * Finds the brokers. A name without addresses, or one that cannot be resolved, changes nothing:
   * an old answer is better than no broker.
   */
  async find(): Promise<Wanted> {
    const { brokersName, brokers } = this.#options;
    const listed = brokers.map(parseBrokerUrl);
    if (brokersName === undefined) return { addresses: listed };
    const problem = await this.#resolve(brokersName);
    return {
      addresses: [...listed, ...(this.#named?.addresses ?? [])],
      ...(problem !== undefined && { problem }),
    };
  }

  async #resolve(url: string): Promise<string | undefined> {
    const { resolveName, resolveIntervalMs } = this.#options;
    const nowMs = this.#clock.monotonicMs();
    if (this.#named?.url === url && nowMs < this.#nextMs) return undefined;
    if (this.#named?.url !== url) this.#named = undefined;
    try {
      const named = parseBrokerUrl(url);
      const ips = (await resolveName?.(named.host)) ?? [];
      if (ips.length === 0) return `${named.host} has no address`;
      // Sorted, because a name server shuffles its answer.
      this.#named = { url, addresses: ips.toSorted().map((ip) => addressOfMachine(named, ip)) };
      this.#nextMs = nowMs + resolveIntervalMs;
      return undefined;
    } catch (error) {
      return error instanceof Error ? error.message : String(error);
    }
  }
}

import type { Clock } from '@quire/core';
import type { ProxyOptions } from '../proxy-options.ts';
import { addressOfMachine, type BrokerAddress, parseBrokerUrl } from './broker-address.ts';

/** Which brokers there should be. */
export interface Wanted {
  readonly addresses: readonly BrokerAddress[];
  /** Why names could not be resolved; the addresses are then the last ones that were found. */
  readonly problem?: string;
}

/**
 * Finds out which brokers there should be: those of the settings, and those that a name stands for
 * at the moment.
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
   * A name that stands for nothing, or cannot be resolved now, changes nothing: better an old
   * answer than no broker.
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
      // In one order, whatever the order of the answer: a name server shuffles it.
      this.#named = { url, addresses: ips.toSorted().map((ip) => addressOfMachine(named, ip)) };
      this.#nextMs = nowMs + resolveIntervalMs;
      return undefined;
    } catch (error) {
      return error instanceof Error ? error.message : String(error);
    }
  }
}

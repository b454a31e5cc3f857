import type { BrokerAddress } from './broker-address.ts';
import { Broker, type BrokerOptions } from './broker.ts';

/** The brokers that the proxy may call: only those of the settings. */
export class BrokerSet {
  readonly #options: BrokerOptions;
  #brokers: readonly Broker[] = [];
  readonly #leaving = new Set<Broker>();
  #turn = 0;

  constructor(options: BrokerOptions) {
    this.#options = options;
  }

  /** All brokers, in the order of the settings. */
  get all(): readonly Broker[] {
    return this.#brokers;
  }

  /** True if any broker can serve every result, according to their health reports. */
  get isShared(): boolean {
    const known = this.#brokers.flatMap(({ health }) =>
      health === undefined ? [] : [health.isStoreShared],
    );
    return known.length > 0 && known.every((isShared) => isShared);
  }

  /**
   * Replaces the addresses: brokers that stay keep their connections, removed ones may finish their
   * calls.
   */
  update(addresses: readonly BrokerAddress[]): {
    readonly added: readonly Broker[];
    readonly removed: readonly Broker[];
  } {
    const kept = new Map(this.#brokers.map((broker) => [broker.address.origin, broker]));
    const wanted = new Map(addresses.map((address) => [address.origin, address]));
    const added: Broker[] = [];
    this.#brokers = [...wanted].map(([origin, address]) => {
      const broker = kept.get(origin) ?? new Broker(address, this.#options);
      if (!kept.has(origin)) added.push(broker);
      return broker;
    });
    const removed = [...kept.values()].filter(({ address }) => !wanted.has(address.origin));
    for (const broker of removed) this.#letGo(broker);
    return { added, removed };
  }

  /**
   * The brokers that may be called: those that are up or, if none is, all of them, because the
   * checks may be at fault.
   */
  get usable(): readonly Broker[] {
    const up = this.#brokers.filter(({ isUp }) => isUp);
    return up.length > 0 ? up : this.#brokers;
  }

  /**
   * Returns the brokers that may be called: least busy first, recently failed ones last, equal ones
   * in turn.
   */
  inOrder(): readonly Broker[] {
    const { usable } = this;
    this.#turn = (this.#turn + 1) % Math.max(1, usable.length);
    const rotated = [...usable.slice(this.#turn), ...usable.slice(0, this.#turn)];
    return rotated.toSorted(
      (one, other) =>
        Number(one.isSuspect) - Number(other.isSuspect) || one.callCount - other.callCount,
    );
  }

  /**
   * Returns the broker with an address, or with an id of that address; undefined if there is none.
   */
  find(host: string, port: number): Broker | undefined {
    const sameHost = host.toLowerCase();
    const configured = this.#brokers.find(
      ({ address }) => address.port === port && address.host === sameHost,
    );
    return (
      configured ?? this.#brokers.find(({ health }) => health?.brokerId === brokerIdOf(host, port))
    );
  }

  has(broker: Broker): boolean {
    return this.#brokers.includes(broker);
  }

  /** Ends all connections. */
  async close(): Promise<void> {
    await Promise.all([...this.#brokers, ...this.#leaving].map((broker) => broker.destroy()));
  }

  #letGo(broker: Broker): void {
    this.#leaving.add(broker);
    void broker.close().finally(() => this.#leaving.delete(broker));
  }
}

/** Returns the broker id for an address, by the rule of the brokers. */
function brokerIdOf(host: string, port: number): string {
  return `Broker_${host.replaceAll(/[^A-Za-z0-9.-]/g, '-')}_${port}`;
}

import type { BrokerAddress } from './broker-address.ts';
import { Broker, type BrokerOptions } from './broker.ts';

/** The brokers that the proxy may call, which are those of the settings and no others. */
export class BrokerSet {
  readonly #options: BrokerOptions;
  #brokers: readonly Broker[] = [];
  readonly #leaving = new Set<Broker>();
  #turn = 0;

  constructor(options: BrokerOptions) {
    this.#options = options;
  }

  /** All, in the order of the settings. */
  get all(): readonly Broker[] {
    return this.#brokers;
  }

  /** Whether any broker can serve every result, as far as they say. */
  get isShared(): boolean {
    const known = this.#brokers.flatMap(({ health }) =>
      health === undefined ? [] : [health.isStoreShared],
    );
    return known.length > 0 && known.every((isShared) => isShared);
  }

  /**
   * Takes over other addresses: those that stay keep their connections, those that go may end what
   * they do.
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
   * Those that may be called: the ones that are up or, when none is, all of them, since the checks
   * may be what fails.
   */
  get usable(): readonly Broker[] {
    const up = this.#brokers.filter(({ isUp }) => isUp);
    return up.length > 0 ? up : this.#brokers;
  }

  /**
   * Those that may be called, the least busy first, those that failed recently last; of equals each
   * in its turn.
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
   * The one that is called at an address, or that says it is reached there; undefined when there is
   * none.
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

/** The id of the broker that is reached at an address: as each makes its own. */
function brokerIdOf(host: string, port: number): string {
  return `Broker_${host.replaceAll(/[^A-Za-z0-9.-]/g, '-')}_${port}`;
}

import { type BrokerHealth, dispatcherTransport, type Transport } from '@quire/client/wire';
import { type ReleaseSlot, Slots } from '@quire/core/wait';
import { type buildConnector, Pool } from 'undici';
import type { BrokerAddress } from './broker-address.ts';

export interface BrokerOptions {
  /**
   * How many calls are passed on to it at once; further ones wait. One whose caller does not read
   * does not count.
   */
  readonly connectionsMax: number;
  /** How long it may take to connect. */
  readonly connectTimeoutMs: number;
  /** Connects to it in place of TCP and TLS. */
  readonly connector?: buildConnector.connector | undefined;
  /** Certificates of authorities, in PEM, to trust instead of those that Node knows. */
  readonly certificateAuthorities?: string | undefined;
}

/**
 * One broker as the proxy knows it: its connections, what it says of itself, and whether it is up.
 * It is down from the moment that it has failed too often in a row, and up again from the next good
 * check of its health.
 */
export class Broker {
  readonly address: BrokerAddress;
  /**
   * Its connections, one call at a time on each. What happens to be slow on one holds up no other.
   */
  readonly pool: Pool;
  readonly #slots: Slots;
  /** By which the proxy's own calls go. */
  readonly transport: Transport;
  #health: BrokerHealth | undefined;
  #isUp = false;
  #failureCount = 0;
  #callCount = 0;
  /** Good checks that are wanted before it is trusted like the others again. */
  #suspicion = 0;

  constructor(address: BrokerAddress, options: BrokerOptions) {
    const { certificateAuthorities: ca } = options;
    this.address = address;
    this.pool = new Pool(address.origin, {
      // Calls are limited by slots, which they give back while their callers have to be waited for:
      // a connection cannot be.
      connections: null,
      pipelining: 1,
      allowH2: false,
      // Time is watched call by call, by the clock that the proxy is given.
      headersTimeout: 0,
      bodyTimeout: 0,
      connect: options.connector ?? {
        timeout: options.connectTimeoutMs,
        ...(address.certificateName !== undefined && { servername: address.certificateName }),
        ...(ca !== undefined && { ca }),
      },
    });
    this.#slots = new Slots(options.connectionsMax);
    this.transport = dispatcherTransport(this.pool);
    // Failures to connect are told to the calls that wait; a listener that did not listen would end
    // the process.
    this.pool.on('connectionError', () => undefined);
  }

  /** How logs and metrics name it: its id, or its address before it has said its id. */
  get label(): string {
    return this.#health?.brokerId ?? `${this.address.host}:${this.address.port}`;
  }

  /** What it last said of itself; undefined when it never did. */
  get health(): BrokerHealth | undefined {
    return this.#health;
  }

  get isUp(): boolean {
    return this.#isUp;
  }

  /**
   * Whether it has failed a call recently, though it may be up: a broker can be in good health and
   * answer no query. Until as many checks as make it down have found it well, it gets new queries
   * only where no other is.
   */
  get isSuspect(): boolean {
    return this.#suspicion > 0;
  }

  /** Calls that it answers now. */
  get callCount(): number {
    return this.#callCount;
  }

  /**
   * Resolves when a call may be passed on, with the function that lets the next one. @throws
   * ABORTED
   */
  acquireSlot(signal: AbortSignal): Promise<ReleaseSlot> {
    return this.#slots.acquire(signal);
  }

  /** Counts a call in until the returned function is called. */
  beginCall(): () => void {
    this.#callCount += 1;
    return () => {
      this.#callCount -= 1;
    };
  }

  /** It answered a call as a broker does. */
  recordAnswer(): void {
    this.#failureCount = 0;
  }

  /**
   * It failed to answer a call, or what it answered was not an answer. Tells as `recordFailure`
   * does.
   */
  recordFailedCall(failuresMax: number): boolean {
    this.#suspicion = failuresMax;
    return this.recordFailure(failuresMax);
  }

  /** It failed to answer. Tells whether that was one too many: it was up, and is down now. */
  recordFailure(failuresMax: number): boolean {
    this.#failureCount += 1;
    const isEjected = this.#isUp && this.#failureCount >= failuresMax;
    if (isEjected) this.#isUp = false;
    return isEjected;
  }

  /** A check found it healthy. Tells whether it was down until now. */
  recordHealthy(health: BrokerHealth): boolean {
    const wasDown = !this.#isUp;
    this.#health = health;
    this.#failureCount = 0;
    this.#suspicion = Math.max(0, this.#suspicion - 1);
    this.#isUp = true;
    return wasDown;
  }

  /** It said that it shuts down. Tells whether it was up until now. */
  recordDraining(): boolean {
    const wasUp = this.#isUp;
    this.#isUp = false;
    return wasUp;
  }

  /** Lets calls under way end, then closes the connections. */
  async close(): Promise<void> {
    await this.pool.close();
  }

  /** Cuts off what is under way. */
  async destroy(): Promise<void> {
    await this.pool.destroy();
  }
}

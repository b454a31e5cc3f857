import { type BrokerHealth, dispatcherTransport, type Transport } from '@quire/client/wire';
import { type ReleaseSlot, Slots } from '@quire/core/wait';
import { type buildConnector, Pool } from 'undici';
import type { BrokerAddress } from './broker-address.ts';

export interface BrokerOptions {
  /**
   * The maximum number of concurrent calls forwarded to it; further ones wait. A call whose caller
   * does not read does not count.
   */
  readonly connectionsMax: number;
  /** The timeout for connecting. */
  readonly connectTimeoutMs: number;
  /** Connects to it, instead of TCP and TLS. */
  readonly connector?: buildConnector.connector | undefined;
  /** CA certificates in PEM to trust, instead of Node's. */
  readonly certificateAuthorities?: string | undefined;
}

/**
 * One broker: its connections, its health report, and its state, up or down. It is down after too
 * many consecutive failures, and up again after the next successful health check.
 */
export class Broker {
  readonly address: BrokerAddress;
  /** Its connections, each with one call at a time, so that a slow call does not block others. */
  readonly pool: Pool;
  readonly #slots: Slots;
  /** The transport of the proxy's own calls. */
  readonly transport: Transport;
  #health: BrokerHealth | undefined;
  #isUp = false;
  #failureCount = 0;
  #callCount = 0;
  /** The number of successful checks before it is fully trusted again. */
  #suspicion = 0;

  constructor(address: BrokerAddress, options: BrokerOptions) {
    const { certificateAuthorities: ca } = options;
    this.address = address;
    this.pool = new Pool(address.origin, {
      // Calls are limited by slots, which they release while they wait for their callers;
      // connections cannot be released.
      connections: null,
      pipelining: 1,
      allowH2: false,
      // Timeouts are watched for each call, with the injected clock.
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
    // Failures to connect are reported to the waiting calls; without a listener they would end the
    // process.
    this.pool.on('connectionError', () => undefined);
  }

  /** Its name in logs and metrics: its id, or its address until the id is known. */
  get label(): string {
    return this.#health?.brokerId ?? `${this.address.host}:${this.address.port}`;
  }

  /** Its last health report; undefined if there was none. */
  get health(): BrokerHealth | undefined {
    return this.#health;
  }

  get isUp(): boolean {
    return this.#isUp;
  }

  /**
   * True if it has recently failed a call although it may be up: a broker can be healthy and answer
   * no query. It receives new queries only as a last resort, until the number of successful checks
   * equals the number of failures that takes a broker down.
   */
  get isSuspect(): boolean {
    return this.#suspicion > 0;
  }

  /** The number of calls that it is answering. */
  get callCount(): number {
    return this.#callCount;
  }

  /**
   * Resolves when a call may be forwarded, with the function that releases its slot. @throws
   * ABORTED
   */
  acquireSlot(signal: AbortSignal): Promise<ReleaseSlot> {
    return this.#slots.acquire(signal);
  }

  /** Counts a call until the returned function is called. */
  beginCall(): () => void {
    this.#callCount += 1;
    return () => {
      this.#callCount -= 1;
    };
  }

  /** Records a valid answer to a call. */
  recordAnswer(): void {
    this.#failureCount = 0;
  }

  /** Records a failed or invalid answer to a call; returns as `recordFailure` does. */
  recordFailedCall(failuresMax: number): boolean {
    this.#suspicion = failuresMax;
    return this.recordFailure(failuresMax);
  }

  /** Records a failure. Returns true if this made the broker go down. */
  recordFailure(failuresMax: number): boolean {
    this.#failureCount += 1;
    const isEjected = this.#isUp && this.#failureCount >= failuresMax;
    if (isEjected) this.#isUp = false;
    return isEjected;
  }

  /** Records a successful health check. Returns true if the broker was down. */
  recordHealthy(health: BrokerHealth): boolean {
    const wasDown = !this.#isUp;
    this.#health = health;
    this.#failureCount = 0;
    this.#suspicion = Math.max(0, this.#suspicion - 1);
    this.#isUp = true;
    return wasDown;
  }

  /** Records that it is shutting down. Returns true if it was up. */
  recordDraining(): boolean {
    const wasUp = this.#isUp;
    this.#isUp = false;
    return wasUp;
  }

  /** Lets running calls finish, then closes the connections. */
  async close(): Promise<void> {
    await this.pool.close();
  }

  /** Aborts running calls and closes the connections. */
  async destroy(): Promise<void> {
    await this.pool.destroy();
  }
}

import { type AuthorizationProvider, sendAuthorized } from '@quire/auth';
import {
  brokerAnswerTooLong,
  brokerErrors,
  dispatcherTransport,
  Exchange,
  readWhole,
  type Transport,
} from '@quire/client/wire';
import type { Clock } from '@quire/core';
import { unlessAborted, withDeadline } from '@quire/core/wait';
import { Agent, type buildConnector } from 'undici';

export interface BrokerClientOptions {
  readonly authorization: AuthorizationProvider;
  readonly clock: Clock;
  /** How long a broker may take to answer one call, to its last byte. Asked at every call. */
  readonly timeoutMs: () => number;
  /** Certificates of authorities, in PEM, to trust instead of those that Node knows. */
  readonly certificateAuthorities?: string | undefined;
  /** Connects to brokers in place of TCP and TLS. */
  readonly connector?: buildConnector.connector | undefined;
}

export interface BrokerCall {
  readonly method: 'GET' | 'DELETE';
  /** With its query. */
  readonly path: string;
  /** The most that is read of the answer. */
  readonly bytesMax: number;
  readonly signal: AbortSignal;
  /** Whether the call goes out without Authorization. */
  readonly isPublic?: boolean;
}

export interface BrokerAnswer {
  readonly status: number;
  readonly text: string;
  /**
   * What the broker's clock says, as its Date header has it, in whole seconds; undefined when it
   * has none.
   */
  readonly dateMs: number | undefined;
}

/** Connections to one broker; more calls wait. */
const connectionsMax = 8;
/**
 * How long a connection may take to come about: after that a machine that is gone does not keep its
 * place among them.
 */
const connectTimeoutMs = 10_000;

/**
 * Calls brokers, each with its own connections and its own time: what one of them does costs no
 * other anything.
 */
export class BrokerClient implements AsyncDisposable {
  readonly #options: BrokerClientOptions;
  readonly #agent: Agent;
  readonly #transport: Transport;

  constructor(options: BrokerClientOptions) {
    const { certificateAuthorities: ca } = options;
    this.#options = options;
    // Time is watched call by call, by the clock that the controller is given.
    this.#agent = new Agent({
      connections: connectionsMax,
      pipelining: 1,
      headersTimeout: 0,
      bodyTimeout: 0,
      connect: options.connector ?? { timeout: connectTimeoutMs, ...(ca !== undefined && { ca }) },
    });
    this.#transport = dispatcherTransport(this.#agent);
  }

  /**
   * Calls the broker at `url`, once more with a token that was read again when it refuses the one
   * at hand. Redirections are not followed: a token goes nowhere but to the brokers of the
   * settings.
   *
   * @throws BROKER_TIMED_OUT when the answer is not whole in time
   * @throws BROKER_UNAVAILABLE when there is no connection
   * @throws BROKER_FAILED when the answer breaks off, is longer than it may be, or is not HTTP
   * @throws what the provider of the Authorization throws
   * @throws ABORTED when the signal is aborted
   */
  async call(url: string, call: BrokerCall): Promise<BrokerAnswer> {
    const { authorization: provider, clock, timeoutMs } = this.#options;
    const limit = {
      clock,
      timeoutMs: timeoutMs(),
      signal: call.signal,
      error: brokerErrors.silent,
    };
    const answered = async (signal: AbortSignal): Promise<BrokerAnswer> => {
      if (call.isPublic === true) return this.#send(url, call, undefined, signal);
      return sendAuthorized(
        provider,
        (authorization) => this.#send(url, call, authorization, signal),
        { statusOf: ({ status }) => status },
      );
    };
    // A provider that hangs is not a reason to wait longer.
    return withDeadline(limit, (signal) => unlessAborted(answered(signal), signal));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#agent.destroy();
  }

  async #send(
    url: string,
    call: BrokerCall,
    authorization: string | undefined,
    signal: AbortSignal,
  ): Promise<BrokerAnswer> {
    const exchange = new Exchange({
      transport: this.#transport,
      clock: this.#options.clock,
      errors: brokerErrors,
      // There is one time for all of the call.
      headersTimeoutMs: Infinity,
      idleTimeoutMs: Infinity,
      signal,
    });
    const { method, path, bytesMax } = call;
    const headers = {
      accept: 'application/json, text/plain',
      ...(authorization !== undefined && { authorization }),
    };
    const answer = await exchange.open(() => ({ method, url: `${url}${path}`, headers }));
    const text = new TextDecoder().decode(
      await readWhole(answer.chunks, bytesMax, brokerAnswerTooLong),
    );
    const dateMs = Date.parse(answer.headers.get('date') ?? '');
    return { status: answer.status, text, dateMs: Number.isNaN(dateMs) ? undefined : dateMs };
  }
}

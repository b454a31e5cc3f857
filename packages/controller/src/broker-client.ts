import { type AuthorizationProvider, sendAuthorized } from '@quire/auth';
import {
  brokerAnswerTooLong,
  brokerErrors,
  dispatcherTransport,
  Exchange,
  readWhole,
  type Transport,
} from '@quire/client/wire';
import { type Clock, isQuireError, QuireError } from '@quire/core';
import { unlessAborted, withDeadline } from '@quire/core/wait';
import { Agent, type buildConnector } from 'undici';

export interface BrokerClientOptions {
  readonly authorization: AuthorizationProvider;
  readonly clock: Clock;
  /** The timeout for the complete answer to one call. Evaluated for every call. */
  readonly timeoutMs: () => number;
  /** Certificates of authorities, in PEM, to trust instead of Node's own. */
  readonly certificateAuthorities?: string | undefined;
  /** Connects to brokers instead of TCP and TLS. */
  readonly connector?: buildConnector.connector | undefined;
}

export interface BrokerCall {
  readonly method: 'GET' | 'DELETE';
  /** The path including its query. */
  readonly path: string;
  /** The maximum number of bytes to read of the answer. */
  readonly bytesMax: number;
  readonly signal: AbortSignal;
  /** True if the call is sent without Authorization. */
  readonly isPublic?: boolean;
}

export interface BrokerAnswer {
  readonly status: number;
  readonly text: string;
  /** The broker's time according to its Date header, in whole seconds; undefined without one. */
  readonly dateMs: number | undefined;
}

/** The maximum number of connections to one broker; further calls wait. */
const connectionsMax = 8;
/**
 * The timeout of a connection attempt, after which an unreachable machine no longer occupies one of
 * the connections.
 */
const connectTimeoutMs = 10_000;

/** Calls brokers, each with its own connections and timeout, so that no broker affects another. */
export class BrokerClient implements AsyncDisposable {
  readonly #options: BrokerClientOptions;
  readonly #provider: AuthorizationProvider;
  readonly #agent: Agent;
  readonly #transport: Transport;

  constructor(options: BrokerClientOptions) {
    const { certificateAuthorities: ca } = options;
    this.#options = options;
    this.#provider = withCodes(options.authorization);
    // Timeouts are enforced per call, with the controller's clock.
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
   * Calls the broker at `url`. If it refuses the cached token, the token is read again and the call
   * is repeated once. Redirects are not followed: a token is sent to the configured brokers only.
   *
   * @throws BROKER_TIMED_OUT when the answer is not complete in time
   * @throws BROKER_UNAVAILABLE when there is no connection
   * @throws BROKER_FAILED when the answer is incomplete, too long, or not HTTP
   * @throws the errors of the Authorization provider; SERVER_UNREACHABLE for those without a code
   * @throws ABORTED when the signal is aborted
   */
  async call(url: string, call: BrokerCall): Promise<BrokerAnswer> {
    const { clock, timeoutMs } = this.#options;
    const limit = {
      clock,
      timeoutMs: timeoutMs(),
      signal: call.signal,
      error: brokerErrors.silent,
    };
    const answered = async (signal: AbortSignal): Promise<BrokerAnswer> => {
      if (call.isPublic === true) return this.#send(url, call, undefined, signal);
      return sendAuthorized(
        this.#provider,
        (authorization) => this.#send(url, call, authorization, signal),
        { statusOf: ({ status }) => status },
      );
    };
    // A provider that hangs does not extend the timeout.
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
      // One timeout covers the whole call.
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

/**
 * Wraps a provider, which may be a module of the operator, so that its failure is that of one call:
 * an error without a code is a defect of the controller, which ends its process.
 */
function withCodes(provider: AuthorizationProvider): AuthorizationProvider {
  return {
    authorization: async (options) => {
      try {
        return await provider.authorization(options);
      } catch (cause) {
        if (isQuireError(cause)) throw cause;
        const reason = cause instanceof Error ? cause.message : String(cause);
        throw new QuireError(
          'SERVER_UNREACHABLE',
          `The provider of the Authorization for brokers failed: ${reason}`,
          { cause },
        );
      }
    },
  };
}

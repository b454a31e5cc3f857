import type { AuthorizationProvider } from '@quire/auth';
import { abortError, type Clock, isQuireError, QuireError } from '@quire/core';
import { Agent, request } from 'undici';

export interface BrokerClientOptions {
  readonly authorization: AuthorizationProvider;
  readonly clock: Clock;
  /** How long a broker may take to answer one call, to its last byte. Asked at every call. */
  readonly timeoutMs: () => number;
  /** Certificates of authorities, in PEM, to trust instead of those that Node knows. */
  readonly certificateAuthorities?: string | undefined;
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
  /** What the broker's clock says, as its Date header has it, in whole seconds; undefined when it has none. */
  readonly dateMs: number | undefined;
}

/** Connections to one broker; more calls wait. */
const connectionsMax = 8;
/** How long a connection may take to come about: after that a machine that is gone does not keep its place among them. */
const connectTimeoutMs = 10_000;

/** Calls brokers, each with its own connections and its own time: what one of them does costs no other anything. */
export class BrokerClient implements AsyncDisposable {
  readonly #options: BrokerClientOptions;
  readonly #agent: Agent;

  constructor(options: BrokerClientOptions) {
    const { certificateAuthorities: ca } = options;
    this.#options = options;
    // Time is watched call by call, by the clock that the controller is given.
    this.#agent = new Agent({
      connections: connectionsMax,
      pipelining: 1,
      headersTimeout: 0,
      bodyTimeout: 0,
      connect: { timeout: connectTimeoutMs, ...(ca !== undefined && { ca }) },
    });
  }

  /**
   * Calls the broker at `url`, once more with a token that was read again when it refuses the one at hand. Redirections are not
   * followed: a token goes nowhere but to the brokers of the settings.
   *
   * @throws BROKER_TIMED_OUT when the answer is not whole in time
   * @throws BROKER_UNAVAILABLE when there is no connection
   * @throws BROKER_FAILED when the answer breaks off, is longer than it may be, or is not HTTP
   * @throws what the provider of the Authorization throws
   * @throws ABORTED when the signal is aborted
   */
  async call(url: string, call: BrokerCall): Promise<BrokerAnswer> {
    return this.#inTime(call.signal, async (signal) => {
      if (call.isPublic === true) return this.#send(url, call, undefined, signal);
      const { authorization: provider } = this.#options;
      const first = await provider.authorization();
      const answer = await this.#send(url, call, first, signal);
      if (answer.status !== 401) return answer;
      const second = await provider.authorization({ refused: first });
      return second === first ? answer : this.#send(url, call, second, signal);
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#agent.destroy();
  }

  async #inTime<T>(outer: AbortSignal, task: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const { clock, timeoutMs } = this.#options;
    const limitMs = timeoutMs();
    const [late, timer] = [new AbortController(), new AbortController()];
    const timeout = clock.sleep(limitMs, timer.signal).then(
      () => late.abort(new QuireError('BROKER_TIMED_OUT', `There was no complete answer within ${limitMs} ms.`)),
      () => undefined, // answered first
    );
    const signal = AbortSignal.any([outer, late.signal]);
    try {
      // A provider that hangs is not a reason to wait longer.
      return await Promise.race([task(signal), rejectionOf(signal)]);
    } catch (error) {
      throw signal.aborted ? abortError(signal) : error;
    } finally {
      timer.abort();
      await timeout;
    }
  }

  async #send(url: string, call: BrokerCall, authorization: string | undefined, signal: AbortSignal): Promise<BrokerAnswer> {
    try {
      const { statusCode, headers, body } = await request(`${url}${call.path}`, {
        method: call.method,
        dispatcher: this.#agent,
        signal,
        headers: { accept: 'application/json, text/plain', ...(authorization !== undefined && { authorization }) },
      });
      const chunks: Buffer[] = [];
      let bytes = 0;
      for await (const chunk of body as AsyncIterable<Buffer>) {
        bytes += chunk.byteLength;
        if (bytes > call.bytesMax) throw new QuireError('BROKER_FAILED', `The answer is longer than ${call.bytesMax} bytes.`);
        chunks.push(chunk);
      }
      const dateMs = typeof headers['date'] === 'string' ? Date.parse(headers['date']) : NaN;
      return {
        status: statusCode,
        text: Buffer.concat(chunks).toString('utf8'),
        dateMs: Number.isNaN(dateMs) ? undefined : dateMs,
      };
    } catch (error) {
      throw isQuireError(error) ? error : failureOf(error);
    }
  }
}

function rejectionOf(signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    if (signal.aborted) return reject(abortError(signal));
    signal.addEventListener('abort', () => reject(abortError(signal)), { once: true });
  });
}

const noConnectionCodes: readonly string[] = [
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ETIMEDOUT',
];

/** Says what went wrong in our own words: what a broken broker sends is in no message. */
function failureOf(error: unknown): QuireError {
  const code = error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : 'unknown error';
  if (noConnectionCodes.includes(code)) return new QuireError('BROKER_UNAVAILABLE', `There is no connection (${code}).`);
  if (/CERT|SSL|TLS|SIGNATURE|ISSUER/.test(code)) {
    return new QuireError('BROKER_UNAVAILABLE', `There is no connection that can be trusted (${code}).`);
  }
  return new QuireError('BROKER_FAILED', `The answer is not HTTP, or broke off (${code}).`);
}

import { Agent } from 'undici';
import type { SimulatedProcess } from './machine.ts';
import type { Network } from './network.ts';

/** The outcome of a call; undefined if no complete response arrived. */
export type CallOutcome =
  | { readonly status: number; readonly text: string; json<T>(): T }
  | undefined;

/** A call of a user. */
export interface CallOptions {
  readonly method?: string;
  /** The user's name. */
  readonly as: string;
  readonly body?: object;
  /** Sent as they are, instead of a body. */
  readonly bytes?: Uint8Array;
}

/** The timeout of a client for a complete response. */
const answerTimeoutMs = 100_000;

/** A caller outside of the cluster, with connections of its own. */
export class SimulatedClient {
  readonly #process: SimulatedProcess;
  readonly #agent: Agent;

  constructor(process: SimulatedProcess, network: Network) {
    this.#process = process;
    this.#agent = new Agent({
      connect: network.connectorOf(process),
      pipelining: 1,
      connections: 4,
      headersTimeout: 0,
      bodyTimeout: 0,
    });
  }

  async call(host: string, path: string, options: CallOptions): Promise<CallOutcome> {
    const { method = 'GET', as, body, bytes } = options;
    const given = new AbortController();
    const timeout = this.#process.scheduler.after(answerTimeoutMs, () => given.abort());
    try {
      const { statusCode: status, body: answer } = await this.#agent.request({
        origin: `http://${host}:8099`,
        path,
        method,
        headers: {
          authorization: `Bearer ${as}`,
          ...(body !== undefined && { 'content-type': 'application/json' }),
          ...(bytes !== undefined && { 'content-type': 'application/octet-stream' }),
        },
        body: bytes ?? (body === undefined ? null : JSON.stringify(body)),
        signal: given.signal,
      });
      const text = await answer.text();
      return { status, text, json: <T>() => JSON.parse(text) as T };
    } catch (error) {
      if (error instanceof SyntaxError || error instanceof TypeError) throw error;
      return undefined;
    } finally {
      timeout.cancel();
    }
  }
}

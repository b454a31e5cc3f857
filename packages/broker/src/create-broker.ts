import type { AddressInfo } from 'node:net';
import { QuireError, systemClock } from '@quire/core';
import type { FastifyInstance } from 'fastify';
import { BrokerMetrics } from './broker-metrics.ts';
import type { BrokerContext } from './broker-context.ts';
import type { BrokerOptions } from './broker-options.ts';
import { CallsUnderWay } from './calls-under-way.ts';
import { createServer } from './create-server.ts';
import { QueryQueue } from './query-queue.ts';

/** A broker that can be started once and closed once. */
export interface Broker extends AsyncDisposable {
  /** Starts to listen; resolves to the address, ready for calls. */
  listen(): Promise<BrokerAddress>;
  /** Where it listens; undefined before `listen`. */
  readonly address: BrokerAddress | undefined;
  /**
   * Stops: calls under way go on for the grace period, further ones get 503, then all connections are closed. Resolves when
   * nothing runs any more and nothing of unfinished calls is left in the store.
   */
  close(): Promise<void>;
}

export interface BrokerAddress {
  readonly host: string;
  readonly port: number;
  /** `http://host:port`. */
  readonly url: string;
}

/** Creates a broker: the HTTP service that runs queries, keeps their results and serves pages of them. */
export function createBroker(options: BrokerOptions): Broker {
  return new HttpBroker(options);
}

class HttpBroker implements Broker {
  readonly #context: BrokerContext;
  readonly #calls: CallsUnderWay;
  #server: FastifyInstance | undefined;
  #closing: Promise<void> | undefined;
  address: BrokerAddress | undefined;

  constructor(options: BrokerOptions) {
    const clock = options.clock ?? systemClock;
    const metrics = options.metrics ?? new BrokerMetrics();
    const queue = new QueryQueue({ runningMax: options.queriesRunningMax, queuedMax: options.queriesQueuedMax });
    this.#calls = new CallsUnderWay(clock);
    metrics.watchQueries(queue);
    this.#context = {
      options,
      engine: options.engine,
      results: options.results,
      clock,
      metrics,
      queue,
      calls: this.#calls,
      startMs: clock.monotonicMs(),
      advertised: () => this.#advertised(),
    };
  }

  async listen(): Promise<BrokerAddress> {
    if (this.#server !== undefined || this.#closing !== undefined) {
      throw new QuireError('INTERNAL', 'A broker can be started once.');
    }
    const { host, port } = this.#context.options;
    this.#server = await createServer(this.#context);
    await this.#server.listen({ host, port });
    const bound = this.#server.server.address() as AddressInfo;
    const shownHost = bound.family === 'IPv6' ? `[${bound.address}]` : bound.address;
    this.address = { host: bound.address, port: bound.port, url: `http://${shownHost}:${bound.port}` };
    return this.address;
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  async #close(): Promise<void> {
    await this.#calls.drain(this.#context.options.shutdownGraceMs);
    await this.#server?.close();
    await this.#calls.settled();
  }

  #advertised(): { readonly host: string; readonly port: number } | undefined {
    const { advertised, port } = this.#context.options;
    return advertised === undefined ? undefined : { host: advertised.host, port: advertised.port ?? this.address?.port ?? port };
  }
}

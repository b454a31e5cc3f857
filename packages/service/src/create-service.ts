import type { RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Server as TlsServer } from 'node:tls';
import { QuireError, systemClock } from '@quire/core';
import { listenError } from '@quire/core/process';
import type { FastifyInstance } from 'fastify';
import { CallsInProgress } from './calls-in-progress.ts';
import { createServer } from './create-server.ts';
import type { ServiceAddress, ServiceContext } from './service-context.ts';
import type { ServiceEndpoint, ServiceOptions } from './service-options.ts';
import { secureContextOf, type TlsCertificate } from './tls-certificate.ts';

/** An HTTP service that can be started once and closed once. */
export interface Service extends AsyncDisposable {
  /** Starts to listen; resolves to the address, ready for calls. */
  listen(): Promise<ServiceAddress>;
  /**
   * Returns the service as a request handler, instead of `listen`: for `createServer` of node:http,
   * or Express. The server of the caller handles TLS and slow clients. It must not read the body,
   * and must be closed after the service.
   */
  handler(): Promise<RequestListener>;
  /** The address; undefined before `listen`, and if the service is used as a handler. */
  readonly address: ServiceAddress | undefined;
  /**
   * Uses another certificate for new connections; existing connections continue.
   *
   * @throws INVALID_SETTING when certificate and key do not match; the old one then stays
   */
  replaceCertificate(certificate: TlsCertificate): void;
  /**
   * Stops the service: running calls may continue for the grace period, further ones get 503, then
   * all connections are closed. Resolves when nothing is running, including the work that
   * `ServiceContext.calls` follows.
   */
  close(): Promise<void>;
}

const stallTimeoutMsDefault = 60_000;

/**
 * Creates an HTTP service with the routes, authentication and limits of the options. It does not
 * listen yet.
 */
export function createService(options: ServiceOptions): Service {
  return new HttpService(options);
}

class HttpService implements Service {
  readonly #options: ServiceOptions;
  readonly #context: ServiceContext;
  #server: FastifyInstance | undefined;
  #starting: Promise<unknown> | undefined;
  #closing: Promise<void> | undefined;
  #endpoints: readonly ServiceEndpoint[] = [];
  address: ServiceAddress | undefined;

  constructor(options: ServiceOptions) {
    const { metrics, server } = options;
    const { clock = systemClock } = server;
    this.#options = options;
    this.#context = {
      clock,
      metrics,
      calls: new CallsInProgress(clock, server.stallTimeoutMs ?? stallTimeoutMsDefault),
      startMs: clock.monotonicMs(),
      address: () => this.address,
    };
  }

  async listen(): Promise<ServiceAddress> {
    return this.#startOnce(() => this.#listen());
  }

  async handler(): Promise<RequestListener> {
    return this.#startOnce(async () => {
      const server = await this.#open();
      return (request, response) => server.routing(request, response);
    });
  }

  async #listen(): Promise<ServiceAddress> {
    const { host, port, tls } = this.#options.server;
    const server = await this.#open();
    try {
      await server.listen({ host, port });
    } catch (error) {
      throw listenError(error, { host, port });
    }
    const bound = server.server.address() as AddressInfo;
    const shownHost = bound.family === 'IPv6' ? `[${bound.address}]` : bound.address;
    const scheme = tls === undefined ? 'http' : 'https';
    this.address = {
      host: bound.address,
      port: bound.port,
      url: `${scheme}://${shownHost}:${bound.port}`,
    };
    this.#endpoints = this.#options.endpoints?.(this.#context) ?? [];
    const endpointUrls = await Promise.all(this.#endpoints.map((endpoint) => endpoint.listen()));
    return { ...this.address, endpointUrls };
  }

  replaceCertificate(certificate: TlsCertificate): void {
    const server = this.#server?.server;
    const context = secureContextOf(certificate);
    if (server instanceof TlsServer) server.setSecureContext(context);
    for (const endpoint of this.#endpoints) endpoint.replaceCertificate(certificate);
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  #startOnce<T>(start: () => Promise<T>): Promise<T> {
    if (this.#starting !== undefined || this.#closing !== undefined) {
      throw new QuireError('INTERNAL', 'A service can be started only once.');
    }
    const starting = start();
    this.#starting = starting;
    return starting;
  }

  async #open(): Promise<FastifyInstance> {
    this.#server = await createServer(this.#options, this.#context);
    return this.#server;
  }

  async #close(): Promise<void> {
    const { calls } = this.#context;
    const { shutdownGraceMs, stopAtOnce } = this.#options.server;
    // A server that is still starting would listen afterwards. The caller of `listen` receives its
    // error.
    await this.#starting?.catch(() => undefined);
    await calls.drain(shutdownGraceMs, stopAtOnce);
    await Promise.all([
      this.#server?.close(),
      ...this.#endpoints.map((endpoint) => endpoint.close()),
    ]);
    await calls.settled();
  }
}

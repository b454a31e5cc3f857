import type { CallLimits, Principal } from '@quire/auth';
import type { Clock, Random } from '@quire/core';
import type { FastifyBaseLogger, RouteOptions } from 'fastify';
import type { Mounted } from './mounted.ts';
import type { ServiceContext } from './service-context.ts';
import type { ServiceMetrics } from './service-metrics.ts';
import type { TlsCertificate } from './tls-certificate.ts';

/** The limits of a service for connections and bodies, and its grace period for shutdown. */
export interface HttpLimits {
  /** The maximum size of a request body. */
  readonly bodyBytesMax: number;
  /** The maximum size of the request headers. */
  readonly headerBytesMax: number;
  /** The time in which a client must send a request. */
  readonly requestTimeoutMs: number;
  /** The time for which a connection may be idle between calls. */
  readonly idleTimeoutMs: number;
  /**
   * The time after which the connection of a client that receives nothing of a response is closed;
   * default 60 s. Infinity: never.
   */
  readonly stallTimeoutMs?: number;
  /** The time for which calls in progress may continue after `close`. */
  readonly shutdownGraceMs: number;
}

/** The options of the server of every service. */
export interface ServerOptions extends HttpLimits {
  /**
   * Returns the principal for the value of the Authorization header.
   *
   * @throws UNAUTHENTICATED when it is not valid
   */
  readonly authenticate: (header: string | undefined) => Promise<Principal>;
  /**
   * The limits for calls of each principal, and for wrong guesses from each address. Default: none.
   */
  readonly limits?: CallLimits | undefined;
  /**
   * Addresses, or networks such as `10.0.0.0/8`, whose `X-Forwarded-For` is trusted: the caller is
   * then the last address in it that is not one of these. Default: none, and the caller is the
   * connecting address.
   */
  readonly trustedProxies?: readonly string[] | undefined;
  /** The certificate for HTTPS; without it, the server uses HTTP. */
  readonly tls?: TlsCertificate | undefined;
  /** Aborted to end the calls in progress before the end of `shutdownGraceMs`. Default: never. */
  readonly stopAtOnce?: AbortSignal | undefined;
  /** The address to listen on. Port 0 means any free port. */
  readonly host: string;
  readonly port: number;
  /** Version of the server, as health and the API document show it. */
  readonly version: string;
  /** True if /metrics exists; default true. */
  readonly metricsEnabled?: boolean;
  /** True if /openapi.json and /docs exist; default true. */
  readonly docsEnabled?: boolean;
  /** True if /openapi.json and /docs can be read without credentials; default false. */
  readonly docsPublic?: boolean;
  /**
   * True if a 401 offers Basic, which makes browsers ask for a name and password and add them to
   * every later call; default true. Basic credentials are accepted in either case.
   */
  readonly basicOffered?: boolean;
  /**
   * Origins, such as `https://notebooks.example`, whose pages may call the service from a browser.
   * Default: only its own.
   */
  readonly corsOrigins?: readonly string[] | undefined;
  /** The log; a pino logger is one. Default: no log. */
  readonly logger?: FastifyBaseLogger | undefined;
  readonly clock?: Clock;
  readonly random?: Random;
}

/** The description of a service at the start of its API document. */
export interface ServiceDescription {
  readonly title: string;
  readonly description: string;
  /** The groups of its calls, in reading order. */
  readonly tags: readonly { readonly name: string; readonly description: string }[];
  /** Schemas with an `$id` that its calls reference, besides those of `@quire/api`. */
  readonly components?: readonly object[];
}

/** An endpoint for another protocol, on a separate port. */
export interface ServiceEndpoint {
  /** Starts to listen; resolves to the URL. */
  listen(): Promise<string>;
  /** As `Service.replaceCertificate`. */
  replaceCertificate(certificate: TlsCertificate): void;
  /** Closes all connections: calls have ended, or are no longer waited for. */
  close(): Promise<void>;
}

/** The parts of a service. */
export interface ServiceOptions {
  readonly server: ServerOptions;
  readonly about: ServiceDescription;
  /**
   * Returns the routes of its calls, besides those about the service itself (/metrics,
   * /openapi.json, /docs).
   */
  readonly routes: (service: ServiceContext) => readonly RouteOptions[];
  /**
   * The form in which routes receive a request body: JSON, checked against the schema of its call
   * (the default), or a stream. A stream is for routes that forward it: it is not inspected, and
   * the route limits its length.
   */
  readonly bodies?: 'json' | 'stream';
  /** The paths that another service answers. */
  readonly mounted?: Mounted | undefined;
  /** Endpoints for other protocols, which start and stop with the service. */
  readonly endpoints?: ((service: ServiceContext) => readonly ServiceEndpoint[]) | undefined;
  /** The metrics of the calls. */
  readonly metrics: ServiceMetrics;
}

import type { CallLimits, Principal } from '@quire/auth';
import type { Clock, Random } from '@quire/core';
import type { FastifyBaseLogger, RouteOptions } from 'fastify';
import type { Mounted } from './mounted.ts';
import type { ServiceContext } from './service-context.ts';
import type { ServiceMetrics } from './service-metrics.ts';
import type { TlsCertificate } from './tls-certificate.ts';

/**
 * How a service treats connections and bodies, and how long it waits for calls under way when it
 * stops.
 */
export interface HttpLimits {
  /** The largest request body. */
  readonly bodyBytesMax: number;
  /** The largest head of a request. */
  readonly headerBytesMax: number;
  /** How long a client may take to send a request. */
  readonly requestTimeoutMs: number;
  /** How long a connection may be idle between calls. */
  readonly idleTimeoutMs: number;
  /**
   * How long a client may take nothing of a response before its connection is closed; default 60 s.
   * Infinity: any time.
   */
  readonly stallTimeoutMs?: number;
  /** How long calls under way may go on after `close`. */
  readonly shutdownGraceMs: number;
}

/** What the server of every service is told, whatever it does. */
export interface ServerOptions extends HttpLimits {
  /**
   * Finds out who calls, from the value of the Authorization header.
   *
   * @throws UNAUTHENTICATED when it proves nobody
   */
  readonly authenticate: (header: string | undefined) => Promise<Principal>;
  /**
   * Bounds what each principal may ask, and guesses at credentials from each address. Default:
   * nothing does.
   */
  readonly limits?: CallLimits | undefined;
  /**
   * Addresses, or networks such as `10.0.0.0/8`, whose `X-Forwarded-For` is believed: the caller is
   * then the last address in it that is not one of these. Default: none, and the caller is the
   * address that connects.
   */
  readonly trustedProxies?: readonly string[] | undefined;
  /** Speaks HTTPS with this certificate; without it, HTTP. */
  readonly tls?: TlsCertificate | undefined;
  /** Where to listen. Port 0 takes any free one. */
  readonly host: string;
  readonly port: number;
  /** Version of the server, as health and the API document show it. */
  readonly version: string;
  /** Whether /metrics exists; default true. */
  readonly metricsEnabled?: boolean;
  /** Whether /openapi.json and /docs exist; default true. */
  readonly docsEnabled?: boolean;
  /** Whether /openapi.json and /docs can be read without credentials; default false. */
  readonly docsPublic?: boolean;
  /**
   * Whether a 401 offers Basic, upon which browsers ask for a name and password and add them to
   * every later call; default true. Basic credentials are accepted either way.
   */
  readonly basicOffered?: boolean;
  /**
   * Origins, such as `https://notebooks.example`, whose pages may call the service from a browser.
   * Default: none but its own.
   */
  readonly corsOrigins?: readonly string[] | undefined;
  /** Takes the log; a pino logger is one. Default: no log. */
  readonly logger?: FastifyBaseLogger | undefined;
  readonly clock?: Clock;
  readonly random?: Random;
}

/** What a service says of itself at the head of its API document. */
export interface ServiceDescription {
  readonly title: string;
  readonly description: string;
  /** The groups of its calls, in the order in which a reader wants them. */
  readonly tags: readonly { readonly name: string; readonly description: string }[];
  /** Schemas with an `$id` that its calls refer to, besides those of `@quire/api`. */
  readonly components?: readonly object[];
}

/** A way in by another protocol, on a port of its own. */
export interface ServiceDoor {
  /** Starts to listen; resolves to the URL. */
  listen(): Promise<string>;
  /** As `Service.replaceCertificate`. */
  replaceCertificate(certificate: TlsCertificate): void;
  /** Closes all connections: calls under way have ended, or are not waited for any more. */
  close(): Promise<void>;
}

/** What a service is made of. */
export interface ServiceOptions {
  readonly server: ServerOptions;
  readonly about: ServiceDescription;
  /**
   * The calls that it answers, besides those that tell about it (/metrics, /openapi.json, /docs).
   */
  readonly routes: (service: ServiceContext) => readonly RouteOptions[];
  /**
   * What routes get of a request body: JSON, checked against the schema of its call (the default),
   * or the stream as it comes. The stream is for those who pass it on: nothing looks into it, and
   * its length is theirs to bound.
   */
  readonly bodies?: 'json' | 'stream';
  /** What another service answers of its paths. */
  readonly mounted?: Mounted | undefined;
  /** Other ways in to what the service does, which listen and stop with it. */
  readonly doors?: ((service: ServiceContext) => readonly ServiceDoor[]) | undefined;
  /** Where calls are counted. */
  readonly metrics: ServiceMetrics;
}

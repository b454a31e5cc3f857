import type { HealthResponse } from '@quire/api';
import type { Principal } from '@quire/auth';
import type { Clock, LinkSigner, QueryEngine, Random } from '@quire/core';
import type { ResultStore } from '@quire/results';
import type { FastifyBaseLogger } from 'fastify';
import type { BrokerMetrics } from './broker-metrics.ts';

/**
 * What a broker is made of. It owns none of it: whoever made the engine and the store closes them, after the broker.
 *
 * `pageRowCount` and `queryTimeoutMs` are read at every call, so that a getter makes them live.
 */
export interface BrokerOptions {
  readonly engine: QueryEngine;
  readonly results: ResultStore;
  /**
   * Finds out who calls, from the value of the Authorization header.
   *
   * @throws UNAUTHENTICATED when it proves nobody
   */
  readonly authenticate: (header: string | undefined) => Promise<Principal>;

  /** Where to listen. Port 0 takes any free one. */
  readonly host: string;
  readonly port: number;
  /**
   * How others reach this broker, when it alone can serve its results (memory, local files); responses then say so. Without a
   * port, the one that is listened on. Absent when the store is shared: any broker can serve the results then.
   */
  readonly advertised?: { readonly host: string; readonly port?: number } | undefined;
  /** Where the results are, as the object store says it: `memory:`, `file:///var/lib/quire`. Shown to admins and owners. */
  readonly storeLocation: string;
  /** Gives signed links to data files, when it is there. */
  readonly links?: { readonly signer: LinkSigner; readonly lifetimeMs: number } | undefined;
  /** Version of the server, as health and the API document show it. */
  readonly version: string;

  /** Rows of a page when the caller does not say. */
  readonly pageRowCount: number;
  /** How long a query may take in all: waiting for its turn, running, storing. */
  readonly queryTimeoutMs: number;
  /** How many queries run at once. */
  readonly queriesRunningMax: number;
  /** How many more may wait; a further one is refused. */
  readonly queriesQueuedMax: number;

  /** The largest request body. */
  readonly bodyBytesMax: number;
  /** The largest head of a request. */
  readonly headerBytesMax: number;
  /** How long a client may take to send a request. */
  readonly requestTimeoutMs: number;
  /** How long a connection may lie idle between calls, and how long a client may take nothing of a response. */
  readonly idleTimeoutMs: number;
  /** How long calls under way may go on after `close`. */
  readonly shutdownGraceMs: number;

  /** Whether /metrics exists; default true. */
  readonly metricsEnabled?: boolean;
  /** Whether /openapi.json and /docs exist; default true. */
  readonly docsEnabled?: boolean;
  /** Counts what happens; pass one to count store calls with it as well. */
  readonly metrics?: BrokerMetrics | undefined;
  /** What health says beside the broker's own: of its cleaner, and of its settings. Asked at every call. */
  readonly surroundings?: (() => Pick<HealthResponse, 'cleaner' | 'settingsProblems'>) | undefined;
  /** Takes the log; a pino logger is one. Default: no log. */
  readonly logger?: FastifyBaseLogger | undefined;
  readonly clock?: Clock;
  readonly random?: Random;
}

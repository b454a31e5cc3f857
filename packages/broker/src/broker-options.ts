import type { HealthResponse, SettingsResponse, SweepPlanResponse } from '@quire/api';
import type { LinkSigner, QueryEngine, SqlDialect } from '@quire/core';
import type { ResultStore, StoringEngine } from '@quire/results';
import type { ServerOptions } from '@quire/service';
import type { BrokerMetrics } from './broker-metrics.ts';
import type { FlightOptions } from './flight-options.ts';
import type { QueryShares } from './query-queue.ts';
import type { ReusePolicy } from './result-reuse.ts';

/**
 * What a broker is made of. It owns none of it: the code that made the engine and the store closes
 * them, after the broker.
 *
 * `pageRowCount`, `queryTimeoutMs`, `rowsWaitMaxMs`, `pageStreamsMax` and `reuse` are read at every
 * call, so that a getter makes them live.
 */
export interface BrokerOptions extends ServerOptions {
  /** Runs queries: in this process, or, when it stores their answers itself, wherever it likes. */
  readonly engine: QueryEngine | StoringEngine;
  readonly results: ResultStore;

  /**
   * How others reach this broker, when it alone can serve its results (memory, local files);
   * responses then say so. Without a port, the one that is listened on. Absent when the store is
   * shared: any broker can serve the results then.
   */
  readonly advertised?: { readonly host: string; readonly port?: number } | undefined;
  /**
   * The name that others reach this broker by, whatever its store is; default: the one advertised,
   * or the address that it listens on.
   */
  readonly hostName?: string | undefined;
  /**
   * Where the results are, as the object store says it: `memory:`, `file:///var/lib/quire`. Shown
   * to admins and owners.
   */
  readonly storeLocation: string;
  /** Type of the store as SPECIFICATION.md section 2.8 names it: `fs`, or the `storeType` of its backend. */
  readonly storeType: string;
  /** Whether brokers on other machines reach the same results; false when absent. */
  readonly isStoreShared?: boolean;
  /** Gives signed links to data files, when it is there. */
  readonly links?: { readonly signer: LinkSigner; readonly lifetimeMs: number } | undefined;

  /**
   * Lists the names of the tables that queries may read now, for clients that discover them;
   * default: none is listed.
   */
  readonly listTables?: (() => Promise<readonly string[]>) | undefined;

  /**
   * The languages that queries may be written in, and that of a principal's queries that do not
   * name theirs. Left out: the engine has one language only.
   */
  readonly dialects?: {
    readonly known: readonly SqlDialect[];
    readonly defaultOf: (principalName: string) => SqlDialect;
  };

  /** Rows of a page when the caller does not say. */
  readonly pageRowCount: number;
  /** How long a query may take in all: waiting for its turn, running, storing. */
  readonly queryTimeoutMs: number;
  /** How long a call may wait at most for rows of a query that runs; default 10 s. */
  readonly rowsWaitMaxMs?: number;
  /**
   * The most pages that one principal may read at the same time; those that are sent in one piece
   * do not count. Default 128.
   */
  readonly pageStreamsMax?: number;
  /**
   * Answers the same query by the same result as long as its data is the same. Left out: every
   * query runs.
   */
  readonly reuse?: ReusePolicy | undefined;
  /** How many queries run at once. */
  readonly queriesRunningMax: number;
  /**
   * How many more may wait; beyond it, only those of principals with less than an equal share of
   * the queue, and of admins.
   */
  readonly queriesQueuedMax: number;
  /**
   * How principals share both. Default: while others wait, half of the queries that run are of one
   * principal, and 32 of one wait; one slot is for admins, where there are three or more.
   */
  readonly queryShares?: Partial<QueryShares> | undefined;

  /**
   * Says what the cleaner would delete now. Left out: the broker has no cleaner, and no such call.
   */
  readonly planSweep?: (() => Promise<SweepPlanResponse>) | undefined;

  /** Says with which settings the broker runs. Left out: it has no such call. */
  readonly settingsInForce?: (() => SettingsResponse) | undefined;

  /** Answers Arrow Flight SQL as well, on a port of its own. Left out: HTTP only. */
  readonly flight?: FlightOptions | undefined;

  /** Counts what happens; pass one to count store calls with it as well. */
  readonly metrics?: BrokerMetrics | undefined;
  /**
   * What health says beside the broker's own: of its engine, its cleaner, its workers, and its settings. Asked
   * at every call.
   */
  readonly healthDetails?:
    | (() => Promise<Pick<HealthResponse, 'engine' | 'cleaner' | 'workers' | 'settingsProblems'>>)
    | undefined;
}

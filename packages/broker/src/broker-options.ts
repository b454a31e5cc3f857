import type {
  HealthResponse,
  SettingsResponse,
  SweepPlanResponse,
  UsageResponse,
} from '@quire/api';
import type { LinkSigner, QueryEngine, SqlDialect } from '@quire/core';
import type { ResultStore, StoringEngine } from '@quire/results';
import type { ServerOptions } from '@quire/service';
import type { BrokerMetrics } from './broker-metrics.ts';
import type { FlightOptions } from './flight-options.ts';
import type { QueryShares } from './query-queue.ts';
import type { ReusePolicy } from './result-reuse.ts';

/** A table whose rows are files that the settings name, and its size. */
export interface FileTableSize {
  readonly tableName: string;
  /** Its rows when the broker started. */
  readonly rowCount: number;
  readonly sizeBytes: number;
  readonly fileCount: number;
}

/**
 * The options of a broker. It owns none of its parts: the code that created the engine and the
 * store closes them, after the broker.
 *
 * `pageRowCount`, `queryTimeoutMs`, `rowsWaitMaxMs`, `pageStreamsMax` and `reuse` are read at every
 * call, so that a getter makes them live.
 */
export interface BrokerOptions extends ServerOptions {
  /**
   * The engine of queries: one in this process, or one that also stores the answers, in any
   * process.
   */
  readonly engine: QueryEngine | StoringEngine;
  readonly results: ResultStore;

  /**
   * The address of this broker in responses, if it alone can serve its results (memory, local
   * files). Without a port, the one that it listens on. Absent if the store is shared, because any
   * broker can then serve the results.
   */
  readonly advertised?: { readonly host: string; readonly port?: number } | undefined;
  /**
   * The name by which others reach this broker, whatever its store is; default: the advertised one,
   * or the address that it listens on.
   */
  readonly hostName?: string | undefined;
  /**
   * The location of the results in the object store: `memory:`, `file:///var/lib/quire`. Shown to
   * admins and owners.
   */
  readonly storeLocation: string;
  /**
   * The type of the store in responses (SPECIFICATION.md section 2.8): `fs`, or the `storeType` of
   * its backend.
   */
  readonly storeType: string;
  /** True if brokers on other machines can access the same results; default: false. */
  readonly isStoreShared?: boolean;
  /** The signer of links to data files; absent: links are disabled. */
  readonly links?: { readonly signer: LinkSigner; readonly lifetimeMs: number } | undefined;

  /**
   * Lists the current names of the tables that queries may read, for clients that discover them;
   * default: none.
   */
  readonly listTables?: (() => Promise<readonly string[]>) | undefined;

  /**
   * Lists those tables whose rows are files that the settings name, with their rows and sizes;
   * default: none.
   */
  readonly listFileTables?: (() => Promise<readonly FileTableSize[]>) | undefined;

  /**
   * The query languages, and the default for each principal. Omitted: the engine has only one
   * language.
   */
  readonly dialects?: {
    readonly known: readonly SqlDialect[];
    readonly defaultOf: (principalName: string) => SqlDialect;
  };

  /** The default number of rows in a page. */
  readonly pageRowCount: number;
  /** The timeout of a query: waiting for its turn, running, storing. */
  readonly queryTimeoutMs: number;
  /** The maximum time that a call may wait for rows of a running query; default 10 s. */
  readonly rowsWaitMaxMs?: number;
  /**
   * The maximum number of pages that one principal may read concurrently, without those that are
   * sent in one piece. Default 128.
   */
  readonly pageStreamsMax?: number;
  /**
   * The policy for answering an identical query with the same result while its data is unchanged.
   * Omitted: every query runs.
   */
  readonly reuse?: ReusePolicy | undefined;
  /** The number of concurrent queries. */
  readonly queriesRunningMax: number;
  /**
   * The number of waiting queries; beyond it, only those of admins wait, and those of principals
   * with less than an equal share of the queue.
   */
  readonly queriesQueuedMax: number;
  /**
   * The shares of principals in the running and the waiting queries. Default: while others wait,
   * half of the running queries are of one principal, and 32 of the waiting ones; one slot is for
   * admins, if there are three or more.
   */
  readonly queryShares?: Partial<QueryShares> | undefined;

  /**
   * Returns the deletions that the cleaner would make now. Omitted: the broker has no cleaner, and
   * no such call.
   */
  readonly planSweep?: (() => Promise<SweepPlanResponse>) | undefined;

  /**
   * Returns the storage that a principal uses and may use, from a count in memory. Omitted: the
   * broker has no such call.
   */
  readonly usageOf?: ((principalName: string) => UsageResponse) | undefined;

  /** Returns the settings of the broker. Omitted: it has no such call. */
  readonly settingsInForce?: (() => SettingsResponse) | undefined;

  /** The options of Arrow Flight SQL on a separate port. Omitted: HTTP only. */
  readonly flight?: FlightOptions | undefined;

  /** The metrics; pass an instance to count store calls with it as well. */
  readonly metrics?: BrokerMetrics | undefined;
  /**
   * Returns additional members of the health report: of its engine, its cleaner, its workers, and
   * its settings. Called for every report.
   */
  readonly healthDetails?:
    | (() => Promise<Pick<HealthResponse, 'engine' | 'cleaner' | 'workers' | 'settingsProblems'>>)
    | undefined;
}

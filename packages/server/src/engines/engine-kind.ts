import type { BrokerOptions } from '@quire/broker';
import type { Clock, EngineSettings, QueryEngine, Random, SqlDialect } from '@quire/core';
import type { TableEngine } from '@quire/core/table-engine';
import type { Settings } from '@quire/settings';
import type { Logger } from 'pino';
import type { Environment } from '../environment.ts';
import type { LiveSettings } from '../live-settings.ts';
import type { WorkerHost } from '../workers/worker-kind.ts';
import type { CallHandlers } from '../workers/worker-process.ts';

/**
 * The settings for queries. They contain no secrets except those of a cluster that answers queries.
 */
export type QuerySettings = Pick<
  Settings,
  'engine' | 'engines' | 'tls' | 'store' | 'tables' | 'tableServer' | 'query'
>;

/**
 * A kind of engine: it opens the engines for queries and for tables according to the settings.
 * `engine-kinds.ts` lists all of them; other code uses the kind in the settings.
 *
 * Every process of a server loads the kinds; each loads its engine only on use.
 */
export interface EngineKind extends EngineSettings {
  /** True if queries can reference stored results: see `QueryEngine.readsResults`. */
  readonly readsResults: boolean;
  /** The supported query languages. */
  readonly dialects: readonly SqlDialect[];
  /** The role that opens the table engine. */
  readonly tablesRole: 'server' | 'controller';
  /**
   * Opens an engine in a separate process.
   *
   * @throws INVALID_SETTING when a table, a limit or the cluster cannot be used
   */
  openQueryEngine(settings: QuerySettings, opening: QueryEngineOpening): Promise<OpenQueryEngine>;
  /** Returns environment variables for the processes that open query engines. */
  variables?(settings: QuerySettings): Readonly<Record<string, string>>;
  /** Runs a dummy query, so that everything is loaded and compiled before the first real query. */
  warmUp?(engine: QueryEngine): Promise<void>;
  /** Creates the handlers for calls of query engines to their parent process. */
  openHandlers?(): Promise<CallHandlers>;
  /**
   * Returns `QueryEngine.dataVersion` for the process that serves calls, so that a check needs no
   * query process. Absent if the engine has no versions.
   */
  dataVersions?(
    settings: QuerySettings,
    findings: unknown,
  ): NonNullable<QueryEngine['dataVersion']>;
  /**
   * Returns a function that lists the tables whose rows are files of the settings, with their rows
   * and sizes. Absent for an engine that has none.
   */
  fileTables?(findings: unknown): NonNullable<BrokerOptions['listFileTables']>;
  /**
   * Returns a function that lists the raw names of the tables that queries may read. Absent for an
   * engine whose probe lists them.
   */
  listTables?(settings: QuerySettings): () => Promise<readonly string[]>;
  /**
   * Opens the health probe of the engine's cluster. Absent if the engine is a part of this server.
   */
  openProbe?(
    settings: QuerySettings,
    opening: Pick<QueryEngineOpening, 'clock' | 'random'>,
  ): Promise<EngineProbe>;
  /** Describes the tables in a phrase, for the operator who starts a server. */
  describeTables(settings: QuerySettings): string;
  /**
   * Opens the tables; undefined if the settings do not enable that.
   *
   * @throws INVALID_SETTING when they cannot be opened with these settings
   */
  openTableEngine(live: LiveSettings, context: TablesContext): Promise<OpenTables | undefined>;
}

/**
 * Checks that every address of a cluster responds, and is of the kind that its setting requires.
 */
export interface EngineProbe extends AsyncDisposable {
  probe(options: {
    readonly signal: AbortSignal;
    /** The timeout for an answer of one address. */
    readonly timeoutMs: number;
  }): Promise<EngineReport>;
  /**
   * Lists the raw names of the cluster's tables that queries may read.
   *
   * @throws ENGINE_UNAVAILABLE when it does not answer
   */
  listTables(): Promise<readonly string[]>;
}

/** The outcome of a check of a cluster. */
export interface EngineReport {
  /** True if queries can be answered. */
  readonly isUsable: boolean;
  /** The unusable addresses. The text of a problem contains neither the address nor its setting. */
  readonly problems: readonly {
    readonly setting: string;
    readonly url: string;
    readonly problem: string;
  }[];
}

/** The options for opening a query engine, besides the settings. */
export interface QueryEngineOpening extends Pick<WorkerHost, 'call'> {
  readonly clock: Clock;
  readonly random: Random;
  /** The findings of the first engine; undefined for that one. */
  readonly findings: unknown;
}

/** An engine in a query process. */
export interface OpenQueryEngine {
  readonly engine: QueryEngine;
  /** Resolves once all cleanup after failed queries has ended. */
  readonly settled: () => Promise<void>;
  /** Its findings about the tables, as plain data, which other processes reuse. */
  readonly findings?: unknown;
  /** Directories that only this engine uses. */
  readonly directories: readonly string[];
}

/** The options for opening a table engine, besides the settings. */
export interface TablesContext {
  readonly environment: Environment;
  readonly logger: Logger;
}

/** An open table engine; disposing closes it. */
export interface OpenTables extends AsyncDisposable {
  readonly engine: TableEngine;
  /** The directory of its records. */
  readonly directory: string;
}

import type { Clock, EngineSettings, QueryEngine, Random, SqlDialect } from '@quire/core';
import type { TableEngine } from '@quire/core/table-engine';
import type { Settings } from '@quire/settings';
import type { Logger } from 'pino';
import type { Environment } from '../environment.ts';
import type { LiveSettings } from '../live-settings.ts';
import type { WorkerHost } from '../workers/worker-kind.ts';
import type { CallHandlers } from '../workers/worker-process.ts';

/** The settings that queries run by. No secrets but those of a cluster that answers queries. */
export type QuerySettings = Pick<
  Settings,
  'engine' | 'engines' | 'tls' | 'store' | 'tables' | 'tableServer' | 'query'
>;

/**
 * A kind of engine: how the settings open the engines that it has for queries and for tables. The
 * list of all is `engine-kinds.ts`; everything else asks the kind that the settings name.
 *
 * Every process of a server loads the kinds; what one needs of its engine, it loads when asked.
 */
export interface EngineKind extends EngineSettings {
  /** Whether queries can name stored results, as `QueryEngine.readsResults` says. */
  readonly readsResults: boolean;
  /** The languages that queries may be written in. */
  readonly dialects: readonly SqlDialect[];
  /** The role that opens the table engine. */
  readonly tablesRole: 'server' | 'controller';
  /**
   * Opens an engine, in a process of its own.
   *
   * @throws INVALID_SETTING when a table, a limit or the cluster cannot be used
   */
  openQueryEngine(settings: QuerySettings, opening: QueryEngineOpening): Promise<OpenQueryEngine>;
  /** Runs a query of no use, so that the first query finds everything loaded and compiled. */
  warmUp?(engine: QueryEngine): Promise<void>;
  /** Makes the handlers of what query engines ask of the process that they work for. */
  openHandlers?(): Promise<CallHandlers>;
  /**
   * Returns `QueryEngine.dataVersion` for the process that answers calls, so that a look takes no
   * process of queries. Absent where the engine cannot tell.
   */
  dataVersions?(
    settings: QuerySettings,
    findings: unknown,
  ): NonNullable<QueryEngine['dataVersion']>;
  /**
   * Returns a function that lists the tables that queries may read, by their raw names. Absent for
   * an engine whose probe lists them.
   */
  listTables?(settings: QuerySettings): () => Promise<readonly string[]>;
  /**
   * Opens what tells whether the cluster of the engine answers. Absent where the engine is a part of
   * this server.
   */
  openProbe?(
    settings: QuerySettings,
    opening: Pick<QueryEngineOpening, 'clock' | 'random'>,
  ): Promise<EngineProbe>;
  /** Describes the tables in a phrase, for the operator who starts a server. */
  describeTables(settings: QuerySettings): string;
  /**
   * Opens the tables. Undefined where the settings leave them alone.
   *
   * @throws INVALID_SETTING when they cannot be opened as the settings say
   */
  openTableEngine(live: LiveSettings, context: TablesContext): Promise<OpenTables | undefined>;
}

/** Asks every address of a cluster whether it is there, and is what its setting says. */
export interface EngineProbe extends AsyncDisposable {
  probe(options: {
    readonly signal: AbortSignal;
    /** How long one address may take to answer. */
    readonly timeoutMs: number;
  }): Promise<EngineReport>;
  /**
   * Lists the tables of the cluster that queries may read, by their raw names.
   *
   * @throws ENGINE_UNAVAILABLE when it does not answer
   */
  listTables(): Promise<readonly string[]>;
}

/** What a look at a cluster has shown. */
export interface EngineReport {
  /** Whether queries can be answered. */
  readonly isUsable: boolean;
  /** The addresses that cannot be used, each with its setting, and what is wrong without either. */
  readonly problems: readonly {
    readonly setting: string;
    readonly url: string;
    readonly problem: string;
  }[];
}

/** What a query engine is opened with, beside the settings. */
export interface QueryEngineOpening extends Pick<WorkerHost, 'call'> {
  readonly clock: Clock;
  readonly random: Random;
  /** The findings of the first engine that was opened; undefined for that one. */
  readonly findings: unknown;
}

/** An engine in a process of queries. */
export interface OpenQueryEngine {
  readonly engine: QueryEngine;
  /** Resolves once nothing runs any more for queries that have failed. */
  readonly settled: () => Promise<void>;
  /** What it found out about the tables, and other processes need not: data. */
  readonly findings?: unknown;
  /** Directories that are this engine's alone. */
  readonly directories: readonly string[];
}

/** What a table engine is opened with, beside the settings. */
export interface TablesContext {
  readonly environment: Environment;
  readonly logger: Logger;
}

/** A table engine that is open; disposing closes it. */
export interface OpenTables extends AsyncDisposable {
  readonly engine: TableEngine;
  /** Where its records are. */
  readonly directory: string;
}

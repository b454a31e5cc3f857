import type { ControllerHealthResponse, SettingsResponse } from '@quire/api';
import type { AuthorizationProvider } from '@quire/auth';
import type { ScheduleOptions } from '@quire/cleaner';
import type { SqlDialect } from '@quire/core';
import type { TableEngine } from '@quire/core/table-engine';
import type { Restreams } from './restream/restreams.ts';
import type { ServerOptions, Service } from '@quire/service';
import type { buildConnector } from 'undici';
import type { ControllerConsole } from './console-files.ts';
import type { ControllerMetrics } from './controller-metrics.ts';
import type { ControllerPreviewOptions } from './preview-options.ts';

/** What keeps tables, and the jobs that work on them. */
export interface ControllerTables {
  readonly engine: TableEngine;
  readonly restreams: Restreams;
}

/**
 * What a controller is made of. `brokers`, `brokerTimeoutMs` and `schedule` are read at every use,
 * so that a getter makes them live; `Controller.settingsChanged` makes the expiry job look at once.
 */
export interface ControllerOptions extends ServerOptions {
  /** The URLs of the brokers that it looks after: `http://host:port`. */
  readonly brokers: readonly string[];
  /** How long a broker may take to answer one call. */
  readonly brokerTimeoutMs: number;
  /** When expired results are deleted. */
  readonly schedule: ScheduleOptions;
  /** Gives the Authorization of the calls to brokers. */
  readonly authorization: AuthorizationProvider;
  /**
   * Certificates of authorities, in PEM, that brokers must have theirs from, instead of those that
   * Node knows.
   */
  readonly certificateAuthorities?: string | undefined;
  /** What previews of tables may do. Left out: they take rows of their requests, and no files. */
  /**
   * The language of a principal's queries that do not name theirs, by its name; told where tables
   * are listed.
   */
  readonly dialectOf?: ((principalName: string) => SqlDialect) | undefined;
  /** Connects to brokers in place of TCP and TLS. */
  readonly connector?: buildConnector.connector | undefined;
  readonly preview?: ControllerPreviewOptions | undefined;
  /**
   * What keeps tables, and the jobs that work on them. Left out: only the tables of brokers can be
   * read, and other calls about tables are answered with 501. Not closed.
   */
  readonly tables?: ControllerTables | undefined;
  /** Most bytes of a file that is sent to be loaded; default 1 GiB. */
  readonly uploadBytesMax?: number | undefined;
  /** The console, to be served at `/console`. Left out: there is none. */
  readonly console?: ControllerConsole | undefined;
  /**
   * Answers the calls under `/query`, which the console makes: a proxy in front of the brokers. It
   * finds out who calls by itself. Closed with the controller. Left out: the controller has no such
   * calls.
   */
  readonly queries?: Pick<Service, 'handler' | 'close'> | undefined;
  /** The settings that the process runs with, secrets hidden. Asked at every call. */
  readonly settingsInForce?: (() => SettingsResponse) | undefined;
  /** Counts what happens. */
  readonly metrics?: ControllerMetrics | undefined;
  /**
   * What health says beside the controller's own: of its settings, and the processes of its
   * previews. Asked at every call.
   */
  readonly healthDetails?:
    | (() => Promise<Pick<ControllerHealthResponse, 'engine' | 'settingsProblems' | 'workers'>>)
    | undefined;
}

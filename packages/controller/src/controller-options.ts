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

/** A table engine, and the jobs that work on its tables. */
export interface ControllerTables {
  readonly engine: TableEngine;
  readonly restreams: Restreams;
}

/**
 * The options of a controller. `brokers`, `brokerTimeoutMs` and `schedule` are read at every use,
 * so a getter makes them live; `Controller.settingsChanged` makes the expiry job, and previews that
 * wait, apply them at once.
 */
export interface ControllerOptions extends ServerOptions {
  /** The URLs of its brokers: `http://host:port`. */
  readonly brokers: readonly string[];
  /** The timeout of one call to a broker. */
  readonly brokerTimeoutMs: number;
  /** The schedule of the deletion of expired results. */
  readonly schedule: ScheduleOptions;
  /** Provides the Authorization of calls to brokers. */
  readonly authorization: AuthorizationProvider;
  /**
   * Certificates of authorities, in PEM, that must have signed those of brokers, instead of Node's
   * own.
   */
  readonly certificateAuthorities?: string | undefined;
  /**
   * Returns the default dialect of a principal, by the principal's name. Lists of tables report it.
   */
  readonly dialectOf?: ((principalName: string) => SqlDialect) | undefined;
  /** Connects to brokers instead of TCP and TLS. */
  readonly connector?: buildConnector.connector | undefined;
  /**
   * The options of previews. By default, previews use the rows in their requests, and read no
   * files.
   */
  readonly preview?: ControllerPreviewOptions | undefined;
  /**
   * The table engine, and the jobs that work on its tables. Without it, only the tables of brokers
   * can be read, and other calls about tables are answered with 501. Not closed.
   */
  readonly tables?: ControllerTables | undefined;
  /** The maximum number of bytes of an uploaded file; 1 GiB by default. */
  readonly uploadBytesMax?: number | undefined;
  /** The console, served at `/console`; absent by default. */
  readonly console?: ControllerConsole | undefined;
  /**
   * Answers the calls below `/query` that the console makes: a proxy in front of the brokers. It
   * authenticates callers itself. Closed with the controller. Without it, the controller has no
   * such calls.
   */
  readonly queries?: Pick<Service, 'handler' | 'close'> | undefined;
  /** Returns the settings of the process, with secrets hidden. Evaluated for every call. */
  readonly settingsInForce?: (() => SettingsResponse) | undefined;
  /** The metrics of the controller. */
  readonly metrics?: ControllerMetrics | undefined;
  /**
   * Returns parts of the health report: settings, and the processes of previews. Evaluated for
   * every call.
   */
  readonly healthDetails?:
    | (() => Promise<Pick<ControllerHealthResponse, 'engine' | 'settingsProblems' | 'workers'>>)
    | undefined;
}

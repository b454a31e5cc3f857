import type { ServerOptions } from '@quire/service';
import type { ProxyHealthResponse } from '@quire/api';
import type { buildConnector } from 'undici';
import type { ProxyMetrics } from './proxy-metrics.ts';

/** The timeouts of the proxy. */
export interface ProxyTimeouts {
  /** For connecting to a broker. */
  readonly connectMs: number;
  /** For the start of a broker's answer to a query: longer than any query may run. */
  readonly queryMs: number;
  /** For the start of any other answer, and between two pieces of any answer. */
  readonly answerMs: number;
  /**
   * For a whole health report, for a broker's answer whether it has a result, and for the lookup of
   * the brokers' name.
   */
  readonly healthMs: number;
}

/**
 * The options of a proxy. Members other than those of `ServerOptions`, `connectionsMax` and
 * `certificateAuthorities` are read at each use, so that getters make them live; changed brokers
 * take effect with the next round of health checks.
 */
export interface ProxyOptions extends ServerOptions {
  /** URLs of the brokers: `http://host:port`. */
  readonly brokers: readonly string[];
  /** A URL whose host is a name for brokers, one for each address, all with the port of the URL. */
  readonly brokersName?: string | undefined;
  /** Resolves the addresses of a name. Required with `brokersName`. */
  readonly resolveName?: (name: string) => Promise<readonly string[]>;
  /** The interval at which names are resolved again. */
  readonly resolveIntervalMs: number;
  /**
   * True if any broker can serve every result; `auto` uses the brokers' reports about their stores.
   */
  readonly isStoreShared: boolean | 'auto';
  /**
   * `pass`: brokers check the callers' credentials, and `authenticate` is called only for the
   * proxy's own endpoints. `check`: `authenticate` must accept callers before any broker is called.
   */
  readonly authMode: 'pass' | 'check';
  /** The number of results whose broker is cached. */
  readonly routesMax: number;
  /**
   * The maximum number of concurrent calls forwarded to one broker, without answers whose callers
   * do not read; further ones wait.
   */
  readonly connectionsMax: number;
  readonly timeouts: ProxyTimeouts;
  /** The interval of health checks of each broker. */
  readonly healthIntervalMs: number;
  /** The number of consecutive failures, of calls and checks, after which a broker is down. */
  readonly failuresMax: number;
  /** CA certificates in PEM for the brokers' certificates, if they are not public ones. */
  readonly certificateAuthorities?: string | undefined;

  /**
   * Connects to brokers instead of TCP and TLS; `connectMs` and certificates then have no effect.
   */
  readonly connector?: buildConnector.connector | undefined;

  readonly metrics?: ProxyMetrics | undefined;
  /** Returns additional members of the health report; called for every report. */
  readonly healthDetails?: (() => Pick<ProxyHealthResponse, 'settingsProblems'>) | undefined;
}

import type { ServerOptions } from '@quire/service';
import type { ProxyHealthResponse } from '@quire/api';
import type { buildConnector } from 'undici';
import type { ProxyMetrics } from './proxy-metrics.ts';

/** How long the proxy waits for what. */
export interface ProxyTimeouts {
  /** Until a connection to a broker stands. */
  readonly connectMs: number;
  /** Until a broker begins its answer to a query: longer than any query may run. */
  readonly queryMs: number;
  /** Until a broker begins any other answer, and between two pieces of any answer. */
  readonly answerMs: number;
  /** For a whole health report, and for a broker to say whether it has a result. */
  readonly healthMs: number;
}

/**
 * What a proxy is made of. Members other than those of `ServerOptions`, `connectionsMax` and
 * `certificateAuthorities` are read at each use, so that getters make them live; other brokers are
 * taken over at the next round of health checks.
 */
export interface ProxyOptions extends ServerOptions {
  /** URLs of the brokers: `http://host:port`. */
  readonly brokers: readonly string[];
  /**
   * A URL whose host is a name that stands for brokers, one per address, all with the port of the
   * URL.
   */
  readonly brokersName?: string | undefined;
  /** Finds the addresses of a name. Needed where there is a `brokersName`. */
  readonly resolveName?: (name: string) => Promise<readonly string[]>;
  /** How often names are resolved again. */
  readonly resolveIntervalMs: number;
  /**
   * Whether any broker can serve every result; `auto` follows what the brokers say of their stores.
   */
  readonly isStoreShared: boolean | 'auto';
  /**
   * `pass`: brokers check the credentials that callers present; `authenticate` is asked only for
   * what the proxy tells of itself. `check`: callers have to convince `authenticate` before any
   * broker is called.
   */
  readonly authMode: 'pass' | 'check';
  /** Of how many results the proxy remembers where they are. */
  readonly routesMax: number;
  /**
   * Calls that are passed on to one broker at once, but for answers whose callers do not read;
   * further ones wait.
   */
  readonly connectionsMax: number;
  readonly timeouts: ProxyTimeouts;
  /** How often each broker is asked for its health. */
  readonly healthIntervalMs: number;
  /** After how many failures in a row, of calls and checks, a broker is down. */
  readonly failuresMax: number;
  /**
   * PEM of the authorities that sign the brokers' certificates, where they are not those that
   * everybody knows.
   */
  readonly certificateAuthorities?: string | undefined;

  /** Connects to brokers in place of TCP and TLS; `connectMs` and authorities are then its own. */
  readonly connector?: buildConnector.connector | undefined;

  readonly metrics?: ProxyMetrics | undefined;
  /** What health says beside the proxy's own. Asked at every call. */
  readonly healthDetails?: (() => Pick<ProxyHealthResponse, 'settingsProblems'>) | undefined;
}

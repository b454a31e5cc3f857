import type { HealthResponse } from '@quire/api';
import { type Clock, QuireError } from '@quire/core';
import { RecentValue } from '@quire/core/wait';
import type { Logger } from 'pino';
import type { Environment } from '../environment.ts';
import type { EngineProbe, EngineReport, QuerySettings } from './engine-kind.ts';
import { engineKindOf } from './engine-kinds.ts';

/** The health of the engine; it contains neither hosts nor settings, because anyone may read it. */
export type EngineHealth = NonNullable<HealthResponse['engine']>;

/** The maximum age of a cached state, and the maximum time that health waits for a new one. */
const limits = { ageMaxMs: 5_000, waitMaxMs: 1_000 };
/** The timeout for an answer of one address. */
const probeTimeoutMs = 5_000;

/**
 * Monitors the cluster of an engine: at the start, and later when health is read. Logs the start
 * and the end of each problem, with the address and its setting.
 */
export class EngineMonitor implements AsyncDisposable {
  readonly #probe: EngineProbe;
  readonly #clock: Clock;
  readonly #logger: Logger;
  readonly #recent: RecentValue<EngineHealth>;
  readonly #ending = new AbortController();
  #reported: ReadonlyMap<string, EngineReport['problems'][number]> = new Map();

  /**
   * Creates a monitor.
   *
   * @param probe disposed with the monitor
   */
  constructor(probe: EngineProbe, clock: Clock, logger: Logger) {
    this.#probe = probe;
    this.#clock = clock;
    this.#logger = logger;
    this.#recent = new RecentValue(() => this.#look(), clock, limits);
  }

  /**
   * Opens the monitor of the engine in the settings, and starts its first check. Undefined for an
   * engine without a cluster.
   */
  static async open(
    settings: QuerySettings,
    { environment, logger }: { readonly environment: Environment; readonly logger: Logger },
  ): Promise<EngineMonitor | undefined> {
    const { clock, random } = environment;
    const probe = await engineKindOf(settings).openProbe?.(settings, { clock, random });
    if (probe === undefined) return undefined;
    const monitor = new EngineMonitor(probe, clock, logger);
    // A cluster that does not answer must not delay the start.
    monitor
      .read()
      .catch((error: unknown) => logger.error({ err: error }, 'engine could not be probed'));
    return monitor;
  }

  /** Returns the state of the engine, which is at most a few seconds old. */
  async read(): Promise<EngineHealth> {
    return (await this.#recent.read()) ?? { state: 'unknown', checkedAt: null, problem: null };
  }

  /** Lists the tables of the cluster. @throws as `EngineProbe.listTables` */
  listTables(): Promise<readonly string[]> {
    return this.#probe.listTables();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#ending.abort(new QuireError('SHUTTING_DOWN', 'The server is shutting down.'));
    await this.#recent.settled();
    await this.#probe[Symbol.asyncDispose]();
  }

  async #look(): Promise<EngineHealth | undefined> {
    let report: EngineReport;
    try {
      report = await this.#probe.probe({
        signal: this.#ending.signal,
        timeoutMs: probeTimeoutMs,
      });
    } catch (error) {
      if (this.#ending.signal.aborted) return undefined;
      throw error;
    }
    const { isUsable, problems } = report;
    this.#log(problems);
    return {
      state: !isUsable ? 'unavailable' : problems.length === 0 ? 'ok' : 'degraded',
      checkedAt: new Date(this.#clock.nowMs()).toISOString(),
      problem:
        problems.length === 0
          ? null
          : [...new Set(problems.map(({ problem }) => problem))].join(' '),
    };
  }

  /** Logs each problem when it is new, and when it has ended. */
  #log(problems: EngineReport['problems']): void {
    const current = new Map(problems.map((each) => [`${each.setting} ${each.url}`, each]));
    for (const [key, { setting, url, problem }] of current) {
      if (this.#reported.get(key)?.problem === problem) continue;
      this.#logger.warn({ setting, address: url, problem }, 'engine: an address is not usable');
    }
    for (const [key, { setting, url }] of this.#reported) {
      if (current.has(key)) continue;
      this.#logger.info({ setting, address: url }, 'engine: an address is usable again');
    }
    this.#reported = current;
  }
}

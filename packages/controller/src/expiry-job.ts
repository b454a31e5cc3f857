import { firstDelayMs, nextDelayMs, type ScheduleOptions } from '@quire/cleaner';
import { type Clock, isQuireError, type QuireError, type Random } from '@quire/core';
import { Sleeper } from '@quire/core/wait';

/** The log of the job; a pino logger fits. */
export interface ExpiryLog {
  info(members: object, message: string): void;
  warn(members: object, message: string): void;
}

export interface ExpiryJobOptions {
  /** Makes one broker delete its expired results, and returns their number. */
  readonly deleteExpired: (url: string, signal: AbortSignal) => Promise<number>;
  /** Read before every wait. */
  readonly schedule: () => ScheduleOptions;
  readonly clock: Clock;
  readonly random: Random;
  readonly log?: ExpiryLog | undefined;
  /** Called at the end of each run on each broker. */
  readonly onRun?: (run: { readonly deletedCount: number; readonly isGood: boolean }) => void;
}

/** The state of the job for one broker. */
export interface CleaningStatus {
  /** The start of the last run, and of the last successful one; undefined before the first. */
  readonly lastRunMs: number | undefined;
  readonly lastGoodRunMs: number | undefined;
  readonly deletedCount: number;
  /** The error of the last run; undefined if it succeeded. */
  readonly error: QuireError | undefined;
}

const noRun: CleaningStatus = {
  lastRunMs: undefined,
  lastGoodRunMs: undefined,
  deletedCount: 0,
  error: undefined,
};

/**
 * Makes every broker delete its expired results, by schedule. Each broker has its own schedule and
 * jitter, so that a broker that is slow, hangs or fails delays no other. Runs on one broker never
 * overlap.
 */
export class ExpiryJob implements AsyncDisposable {
  readonly #options: ExpiryJobOptions;
  readonly #brokers = new Map<string, BrokerExpiry>();
  /** Jobs of removed brokers, until they have stopped. */
  readonly #leaving = new Set<Promise<void>>();

  constructor(options: ExpiryJobOptions) {
    this.#options = options;
  }

  /**
   * Starts the jobs of brokers that are new in the list, and stops those of brokers that are no
   * longer in it.
   */
  update(urls: readonly string[]): void {
    for (const [url, broker] of this.#brokers) {
      if (urls.includes(url)) continue;
      this.#brokers.delete(url);
      const stopped = broker.stop();
      this.#leaving.add(stopped);
      void stopped.finally(() => this.#leaving.delete(stopped));
    }
    for (const url of urls) {
      if (!this.#brokers.has(url)) this.#brokers.set(url, new BrokerExpiry(url, this.#options));
    }
  }

  /** Starts a run on every broker without one, and follows the current schedule from then on. */
  reschedule(): void {
    for (const broker of this.#brokers.values()) broker.wake();
  }

  statusOf(url: string): CleaningStatus {
    return this.#brokers.get(url)?.status ?? noRun;
  }

  /** Aborts running work; resolves once everything has ended. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.update([]);
    await Promise.all(this.#leaving);
  }
}

class BrokerExpiry {
  readonly #url: string;
  readonly #options: ExpiryJobOptions;
  readonly #stopping = new AbortController();
  readonly #running: Promise<void>;
  readonly #pauses: Sleeper;
  #status = noRun;

  constructor(url: string, options: ExpiryJobOptions) {
    this.#url = url;
    this.#options = options;
    this.#pauses = new Sleeper(options.clock);
    this.#running = this.#run();
  }

  get status(): CleaningStatus {
    return this.#status;
  }

  /** Starts a run soon, unless one is running. */
  wake(): void {
    if (this.#pauses.isAsleep) this.#pauses.wake();
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    this.#pauses.wake();
    await this.#running;
  }

  async #run(): Promise<void> {
    const { clock, random, schedule } = this.#options;
    await this.#pauses.sleep(firstDelayMs(schedule(), random));
    while (!this.#stopping.signal.aborted) {
      const startMs = clock.monotonicMs();
      await this.#runOnce();
      await this.#pauses.sleep(this.#nextDelayMs(clock.monotonicMs() - startMs));
    }
  }

  async #runOnce(): Promise<void> {
    const { deleteExpired, clock, log, onRun } = this.#options;
    const [lastRunMs, startMs] = [clock.nowMs(), clock.monotonicMs()];
    const broker = this.#url;
    try {
      const deletedCount = await deleteExpired(broker, this.#stopping.signal);
      this.#status = { lastRunMs, lastGoodRunMs: lastRunMs, deletedCount, error: undefined };
      onRun?.({ deletedCount, isGood: true });
      log?.info(
        { broker, deletedCount, durationMs: Math.round(clock.monotonicMs() - startMs) },
        'expired results deleted',
      );
    } catch (error) {
      if (!isQuireError(error)) throw error;
      if (this.#stopping.signal.aborted) return;
      this.#status = { ...this.#status, lastRunMs, deletedCount: 0, error };
      onRun?.({ deletedCount: 0, isGood: false });
      log?.warn(
        { broker, code: error.code, reason: error.message },
        'expired results could not be deleted',
      );
    }
  }

  #nextDelayMs(elapsedMs: number): number {
    const { clock, random, schedule } = this.#options;
    try {
      return nextDelayMs(schedule(), elapsedMs, clock, random);
    } catch (error) {
      if (!isQuireError(error)) throw error;
      // The cron expression matches no later time, so the period applies.
      return nextDelayMs({ ...schedule(), cron: undefined }, elapsedMs, clock, random);
    }
  }
}

import { type Clock, isQuireError, type ObjectStore, type Random, StoreLease } from '@quire/core';
import { Sleeper, Slots } from '@quire/core/wait';
import type { CleanerMetrics } from './cleaner-metrics.ts';
import { type CleanerSettings, SettingsReader } from './cleaner-settings.ts';
import type { PassReport, Removal, SweepReport, SweepTrigger } from './sweep-report.ts';
import { firstDelayMs, nextDelayMs } from './sweep-schedule.ts';
import { StoreSweeper } from './sweep-store.ts';
import type { SweepTarget } from './sweep-target.ts';

/** The log of a cleaner; a pino logger is one. */
export interface CleanerLog {
  info(members: object, message: string): void;
  warn(members: object, message: string): void;
  error(members: object, message: string): void;
}

/** The target of a `Cleaner`, its settings and its callbacks. */
export interface CleanerOptions {
  readonly target: SweepTarget;
  /**
   * Returns the settings, once at the start of every sweep, so that a sweep never sees a mixture.
   * If it throws, or returns invalid settings, the last valid ones stay in force; log and status
   * give the reason.
   */
  readonly settings: () => CleanerSettings;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: CleanerLog;
  readonly metrics?: CleanerMetrics | undefined;
  /**
   * The lease by which cleaners of one store take turns, to save work. Two at once do no harm,
   * because deletions are idempotent.
   */
  readonly lease?: StoreLease | undefined;
}

/** The status of a cleaner. */
export interface CleanerStatus {
  readonly lastSweep: SweepReport | undefined;
  /** The time at which the last fully successful sweep ended. */
  readonly lastGoodSweepMs: number | undefined;
  /** The reason why the last sweep could not list the store; undefined if it could. */
  readonly lastError: string | undefined;
  /**
   * The problem of the settings that were read last, which are not in force; undefined if there is
   * none.
   */
  readonly settingsProblem: string | undefined;
}

/** The options of one sweep. */
export interface SweepRequest {
  readonly isDryRun?: boolean;
  /**
   * Decides about orphans by the wall clock, which is the only way for a cleaner that runs once.
   */
  readonly usesWallClock?: boolean;
  /** Called for every deletion, in addition to the log. */
  readonly onRemoval?: (removal: Removal) => void;
}

/**
 * A key next to the brokers' folders. The keys of their objects have three segments, so that none
 * can equal it.
 */
export const leaseKey = 'quire-cleaner/lease.json';

/**
 * Returns a lease that never prevents a cleaner from working: freeing space needs no successful
 * write.
 */
export function cleanerLease(options: {
  readonly store: ObjectStore;
  readonly clock: Clock;
  readonly random: Random;
  readonly durationMs: number;
}): StoreLease {
  return new StoreLease({ ...options, key: leaseKey, isOptional: true });
}

/** The delay before the next attempt while another cleaner holds the lease. */
const othersTurnMs = 5000;

/**
 * Sweeps a target by schedule and on demand, one sweep at a time. A failed sweep does not stop
 * later ones.
 */
export class Cleaner implements AsyncDisposable {
  readonly #options: CleanerOptions;
  readonly #sweeper: StoreSweeper;
  readonly #stopping = new AbortController();
  readonly #settings: SettingsReader;
  #status: Omit<CleanerStatus, 'settingsProblem'> = {
    lastSweep: undefined,
    lastGoodSweepMs: undefined,
    lastError: undefined,
  };
  #requested: SweepTrigger | undefined;
  readonly #pauses: Sleeper;
  #running: Promise<void> | undefined;
  readonly #sweeps = new Slots(1);

  /**
   * Creates a cleaner.
   *
   * @throws INVALID_SETTING, and any error of `settings`, when the first settings are not valid
   */
  constructor(options: CleanerOptions) {
    this.#options = options;
    this.#pauses = new Sleeper(options.clock);
    this.#settings = new SettingsReader(options.settings, (problem, err) =>
      options.log.error(
        { reason: problem, err },
        'the settings of the cleaner are not valid: the last valid ones stay in force',
      ),
    );
    this.#sweeper = new StoreSweeper(options.target, options.clock);
    const { admission } = options.target;
    if (admission !== undefined) {
      admission.policy = this.#settings.current().policy;
      admission.attach({
        onCritical: () => this.requestSweep('critical'),
        onChanged: (requestId) => this.#sweeper.forget(requestId),
        sweep: () =>
          this.#sweeps.run(async () =>
            admission.queue.waitingCount === 0 ? undefined : this.#sweep('critical', {}),
          ),
      });
    }
  }

  get status(): CleanerStatus {
    return { ...this.#status, settingsProblem: this.#settings.problem };
  }

  /** Starts to sweep by schedule, until `stop`. */
  start(): void {
    this.#running ??= this.#run();
  }

  /**
   * Requests a sweep as soon as the current one, if any, has ended; further requests until then are
   * merged.
   */
  requestSweep(trigger: SweepTrigger): void {
    this.#requested ??= trigger;
    this.#pauses.wake();
  }

  /**
   * Sweeps once the current sweep, if any, has ended; returns undefined while another cleaner holds
   * the lease.
   *
   * @throws any error of the listing
   */
  sweep(trigger: SweepTrigger, request: SweepRequest = {}): Promise<SweepReport | undefined> {
    return this.#sweeps.run(() => this.#sweep(trigger, request));
  }

  /** Stops between two deletions; resolves when nothing is running. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    this.#pauses.wake();
    await this.#running;
    await this.#sweeps.run(async () => undefined);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
  }

  async #run(): Promise<void> {
    const { clock, random } = this.#options;
    await this.#measure();
    await this.#pauses.sleep(firstDelayMs(this.#settings.current().settings, random));
    while (!this.#stopping.signal.aborted) {
      const trigger = this.#requested ?? 'schedule';
      this.#requested = undefined;
      const startMs = clock.monotonicMs();
      let delayMaxMs = Number.POSITIVE_INFINITY;
      try {
        // The lease may belong to a cleaner that died: try again soon.
        if ((await this.sweep(trigger)) === undefined) delayMaxMs = othersTurnMs;
      } catch {
        // The sweep itself has reported the error in log and status. Results must continue to
        // expire.
      }
      const delayMs = Math.min(delayMaxMs, this.#nextDelayMs(clock.monotonicMs() - startMs));
      await this.#pauses.sleep(delayMs);
    }
  }

  /** Measures the store after a start, so that stored results count before the first sweep. */
  async #measure(): Promise<void> {
    const { admission } = this.#options.target;
    if (admission?.policy === undefined) return;
    try {
      // Runs in turn with sweeps: the admission tracks changes during one listing at a time.
      await this.#sweeps.run(() => this.#sweeper.measure(this.#stopping.signal));
      const { storedBytes } = admission.usage;
      if (storedBytes > admission.policy.criticalBytes) this.requestSweep('critical');
    } catch (error) {
      if (this.#stopping.signal.aborted) return;
      this.#options.log.error(
        { err: error },
        'the store could not be measured: the first sweep will try again',
      );
    }
  }

  #nextDelayMs(elapsedMs: number): number {
    const { clock, random, log } = this.#options;
    const { settings } = this.#settings.current();
    try {
      return nextDelayMs(settings, elapsedMs, clock, random);
    } catch (error) {
      if (!isQuireError(error)) throw error;
      log.error(
        { reason: error.message },
        'the schedule of the cleaner cannot be followed: sweeping by the period',
      );
      return nextDelayMs({ ...settings, cron: undefined }, elapsedMs, clock, random);
    }
  }

  async #sweep(trigger: SweepTrigger, request: SweepRequest): Promise<SweepReport | undefined> {
    const { lease, log, metrics } = this.#options;
    try {
      const run = (): Promise<SweepReport> => this.#sweepTarget(trigger, request);
      const report =
        lease === undefined || request.isDryRun === true ? await run() : await lease.runInTurn(run);
      if (report === undefined) log.info({ trigger }, 'sweep skipped: another cleaner is sweeping');
      else this.#note(report);
      return report;
    } catch (error) {
      if (this.#stopping.signal.aborted) throw error;
      this.#status = {
        ...this.#status,
        lastError: error instanceof Error ? error.message : String(error),
      };
      metrics?.observeError(trigger);
      log.error({ trigger, err: error }, 'sweep failed: the next one will try again');
      throw error;
    }
  }

  #sweepTarget(trigger: SweepTrigger, request: SweepRequest): Promise<SweepReport> {
    const { target, log } = this.#options;
    const { settings, policy } = this.#settings.current();
    const { graceMs, concurrencyMax } = settings;
    if (target.admission !== undefined) target.admission.policy = policy;
    const { isDryRun = false, usesWallClock = false } = request;
    return this.#sweeper.sweep({
      trigger,
      policy,
      graceMs,
      concurrencyMax,
      isDryRun,
      usesWallClock,
      signal: this.#stopping.signal,
      onRemoval: (removal) => {
        request.onRemoval?.(removal);
        if (!isDryRun) log.info({ ...removal }, 'deleted');
      },
      onFailure: (removal, error) => log.warn({ ...removal, err: error }, 'could not be deleted'),
    });
  }

  #note(report: SweepReport): void {
    if (report.isDryRun) return;
    const { log, metrics, clock } = this.#options;
    this.#status = {
      lastSweep: report,
      lastGoodSweepMs: report.isGood ? clock.nowMs() : this.#status.lastGoodSweepMs,
      lastError: undefined,
    };
    metrics?.observe(report);
    for (const { brokerId, quota, quotaBytes, usageEndBytes, sparedBytes } of report.brokers) {
      if (quota.freed.bytes >= quota.wanted.bytes) continue;
      const wantedBytes = quota.wanted.bytes;
      const amounts = {
        wantedBytes,
        freedBytes: quota.freed.bytes,
        failedBytes: quota.failed.bytes,
        sparedBytes,
      };
      log.warn(
        { brokerId, quotaBytes, usageBytes: usageEndBytes, ...amounts },
        'the quota pass could not reach its target',
      );
    }
    log.info(
      { trigger: report.trigger, durationMs: Math.round(report.durationMs), ...totalsOf(report) },
      'sweep ended',
    );
  }
}

function totalsOf(report: SweepReport): object {
  const all: PassReport[] = [
    ...report.brokers.flatMap(({ expiry, quota, orphans }) => [expiry, quota, orphans]),
    report.leftovers,
  ];
  const sum = (read: (pass: PassReport) => number): number =>
    all.reduce((total, pass) => total + read(pass), 0);
  return {
    freedCount: sum(({ freed }) => freed.count),
    freedBytes: sum(({ freed }) => freed.bytes),
    failedCount: sum(({ failed }) => failed.count),
    skippedCount: sum(({ skipped }) => skipped.count),
    isGood: report.isGood,
  };
}

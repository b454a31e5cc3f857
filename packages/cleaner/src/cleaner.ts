import { type Clock, isQuireError, type ObjectStore, type Random, StoreLease } from '@quire/core';
import { Sleeper, Slots } from '@quire/core/wait';
import type { CleanerMetrics } from './cleaner-metrics.ts';
import { type CleanerSettings, SettingsReader } from './cleaner-settings.ts';
import type { PassReport, Removal, SweepReport, SweepTrigger } from './sweep-report.ts';
import { firstDelayMs, nextDelayMs } from './sweep-schedule.ts';
import { StoreSweeper } from './sweep-store.ts';
import type { SweepTarget } from './sweep-target.ts';

/** Where a cleaner says what it does; a pino logger is one. */
export interface CleanerLog {
  info(members: object, message: string): void;
  warn(members: object, message: string): void;
  error(members: object, message: string): void;
}

/** What a `Cleaner` works on, and what it is told by. */
export interface CleanerOptions {
  readonly target: SweepTarget;
  /**
   * Read at the beginning of every sweep, as one object: a sweep never sees a mixture. When this
   * throws, or gives what no cleaner can work with, the last good settings stay in force; log and
   * status say why.
   */
  readonly settings: () => CleanerSettings;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: CleanerLog;
  readonly metrics?: CleanerMetrics | undefined;
  /**
   * By which cleaners on one store take turns, to save work: two at once do no harm, because
   * deletions are idempotent.
   */
  readonly lease?: StoreLease | undefined;
}

/** What a cleaner tells of itself. */
export interface CleanerStatus {
  readonly lastSweep: SweepReport | undefined;
  /** When the last sweep ended that did all that it wanted. */
  readonly lastGoodSweepMs: number | undefined;
  /** Why the last sweep found out nothing; undefined when it did. */
  readonly lastError: string | undefined;
  /**
   * What is wrong with the settings that were read last, so that older ones are in force; undefined
   * when nothing is.
   */
  readonly settingsProblem: string | undefined;
}

/** How one sweep is to run. */
export interface SweepRequest {
  readonly isDryRun?: boolean;
  /** Judges orphans by the wall clock, which a cleaner that runs once has to. */
  readonly usesWallClock?: boolean;
  /** Told of every deletion, beside the log. */
  readonly onRemoval?: (removal: Removal) => void;
}

/** Lies beside the brokers' folders; no broker's object has a name of two segments. */
export const leaseKey = 'quire-cleaner/lease.json';

/** A lease that never keeps a cleaner from its work: freeing needs no successful write. */
export function cleanerLease(options: {
  readonly store: ObjectStore;
  readonly clock: Clock;
  readonly random: Random;
  readonly durationMs: number;
}): StoreLease {
  return new StoreLease({ ...options, key: leaseKey, isOptional: true });
}

/** How long to wait when it is another cleaner's turn. */
const othersTurnMs = 5000;

/**
 * Sweeps a target by schedule and on demand, one sweep at a time; after a failed one it just goes
 * on with the next.
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
   * @throws INVALID_SETTING, and whatever `settings` throws, when the first settings are not good
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

  /** Begins to sweep by schedule, until `stop`. */
  start(): void {
    this.#running ??= this.#run();
  }

  /**
   * Asks for a sweep as soon as the present one, if any, has ended; requests made meanwhile are
   * one.
   */
  requestSweep(trigger: SweepTrigger): void {
    this.#requested ??= trigger;
    this.#pauses.wake();
  }

  /**
   * Sweeps now, once a sweep under way has ended; undefined when it is another cleaner's turn.
   *
   * @throws what the listing throws
   */
  sweep(trigger: SweepTrigger, request: SweepRequest = {}): Promise<SweepReport | undefined> {
    return this.#sweeps.run(() => this.#sweep(trigger, request));
  }

  /** Stops between two deletions; resolves when nothing runs any more. */
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
        // A lease may be that of a cleaner that died: look again before long.
        if ((await this.sweep(trigger)) === undefined) delayMaxMs = othersTurnMs;
      } catch {
        // Said by the sweep itself, in log and status. Whatever it was: results must go on
        // expiring.
      }
      const delayMs = Math.min(delayMaxMs, this.#nextDelayMs(clock.monotonicMs() - startMs));
      await this.#pauses.sleep(delayMs);
    }
  }

  /**
   * After a restart, what is stored counts from the beginning, not only from the first sweep on.
   */
  async #measure(): Promise<void> {
    const { admission } = this.#options.target;
    if (admission?.policy === undefined) return;
    try {
      // In its turn: the admission takes what changes meanwhile into account for one listing at a
      // time.
      await this.#sweeps.run(() => this.#sweeper.measure(this.#stopping.signal));
      const { storedBytes } = admission.usage;
      if (storedBytes > admission.policy.criticalBytes) this.requestSweep('critical');
    } catch (error) {
      if (!isQuireError(error)) throw error;
      if (this.#stopping.signal.aborted) return;
      this.#options.log.error(
        { err: error },
        'what is stored could not be measured: the first sweep will try again',
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
      this.#status = {
        ...this.#status,
        lastError: error instanceof Error ? error.message : String(error),
      };
      metrics?.observeError(trigger);
      log.error({ trigger, err: error }, 'sweep failed: the next one tries again');
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

import {
  type CallOptions,
  type Clock,
  createRequestId,
  isQuireError,
  type ObjectStore,
  QuireError,
  type Random,
  StoreLease,
  throwIfAborted,
} from '@quire/core';
import type { TableProblem } from '@quire/core/table-engine';
import { continueTrace, traced, traceHeaders } from '@quire/core/trace';
import { FairSlots, Sleeper, type SlotClaim, sleepUnlessAborted } from '@quire/core/wait';
import type { RestreamEngine } from './restream-engine.ts';
import { failedJob, type RestreamSettings } from './decide.ts';
import { driveJob, type RestreamLog } from './drive-job.ts';
import { JobRecords, leaseKeyOf } from './job-records.ts';
import { isRetryable } from './retry-timeout.ts';
import { perform } from './perform.ts';
import { hasDropFailed, isFinal, newJob, type RestreamJob, withProblem } from './restream-job.ts';
import { checkStart, type RestreamRequest } from './start-job.ts';

/** The dependencies of `Restreams`. */
export interface RestreamsOptions {
  readonly engine: RestreamEngine;
  /**
   * The store of records and leases; controllers that share it drive each other's jobs. Not closed.
   */
  readonly store: ObjectStore;
  readonly clock: Clock;
  readonly random: Random;
  /** Read at each use. */
  readonly settings: () => RestreamSettings;
  /** The time after which the jobs of a controller that died are driven by another one. */
  readonly leaseMs: number;
  readonly log?: RestreamLog | undefined;
  /** Called with every record that is written here. */
  readonly onWritten?: ((job: RestreamJob) => void) | undefined;
}

/** The options of the start of a job. */
export interface StartOptions extends CallOptions {
  readonly claim?: SlotClaim;
}

const oneAtATime = {
  slotCount: 1,
  principalPercentMax: 100,
  isShareStrict: false,
  adminSlotCount: 0,
  waitingMax: Infinity,
  principalWaitingMax: Infinity,
};
/** The number of settled jobs that are kept, as of finished tasks. */
const settledMax = 100;
const anonymous: SlotClaim = { principal: '', isAdmin: false };

/**
 * The restream jobs of a controller: starts, lists, cancels and resumes them, and drives them,
 * including those that another controller left behind. A job rebuilds a real-time table from its
 * stream into a new table while the old one serves queries; the source is never changed.
 */
export class Restreams implements AsyncDisposable {
  readonly #options: RestreamsOptions;
  readonly #records: JobRecords;
  readonly #drivers = new Map<
    string,
    { readonly wake: () => void; readonly ended: Promise<void> }
  >();
  /** The jobs whose destinations are being created here; they are driven afterwards. */
  readonly #makingIds = new Set<string>();
  readonly #stop = new AbortController();
  /**
   * Runs starts sequentially, so that the second of two starts for the same table detects the
   * first. Principals take turns.
   */
  readonly #turns = new FairSlots(
    oneAtATime,
    () => new QuireError('INTERNAL', 'Any number of starts may wait.'),
  );
  readonly #starting = new Set<Promise<unknown>>();
  /** The jobs that will never have work again, whose records a scan does not read. */
  readonly #settledIds = new Set<string>();
  #scanning: Promise<void> | undefined;

  constructor(options: RestreamsOptions) {
    this.#options = options;
    this.#records = new JobRecords(options.store);
  }

  /** Starts to drive jobs, and to look for those that other controllers left behind. */
  run(): void {
    this.#scanning ??= this.#scan();
  }

  /**
   * Starts a job: checks everything, then creates the destination. If it rejects, nothing was
   * created.
   *
   * @throws as `checkStart`; JOB_EXISTS when a job works with one of the tables, with its id;
   *   SHUTTING_DOWN when the controller closes before its turn
   * @param claim the principal of the start; principals take turns
   * @throws TABLE_INVALID when the config does not fit the destination, with all findings
   */
  async start(
    request: RestreamRequest,
    { claim = anonymous, ...options }: StartOptions = {},
  ): Promise<RestreamJob> {
    const starting = this.#turns.run(claim, () => this.#start(request, options), options.signal);
    this.#starting.add(starting);
    try {
      return await starting;
    } finally {
      this.#starting.delete(starting);
    }
  }

  /** @throws JOB_NOT_FOUND */
  async read(jobId: string, options: CallOptions = {}): Promise<RestreamJob> {
    return this.#records.read(jobId, options);
  }

  /** Returns the jobs that are set aside because their record is damaged. */
  async listProblems(options: CallOptions = {}): Promise<readonly TableProblem[]> {
    return this.#records.listProblems(options);
  }

  /** Returns all jobs, newest first, except those that are set aside. */
  async list(options: CallOptions = {}): Promise<readonly RestreamJob[]> {
    return this.#records.list(options);
  }

  /**
   * Returns the running job of a source table, or otherwise the latest one. @throws JOB_NOT_FOUND
   * when it never had one
   */
  async readOfTable(tableNameWithType: string, options: CallOptions = {}): Promise<RestreamJob> {
    const jobs = (await this.list(options)).filter(
      ({ config }) => config.tableNameWithType === tableNameWithType,
    );
    const job = jobs.find(({ status }) => !isFinal(status)) ?? jobs[0];
    if (job !== undefined) return job;
    throw new QuireError('JOB_NOT_FOUND', `The table ${tableNameWithType} has no restream job.`);
  }

  /** Returns the running job that has a table as its source or its destination. */
  async findActive(
    tableNameWithType: string,
    options: CallOptions = {},
  ): Promise<RestreamJob | undefined> {
    const jobs = await this.list(options);
    return jobs.find(({ status, config }) => !isFinal(status) && uses(config, tableNameWithType));
  }

  /**
   * Cancels a job, or drops the destination of one that failed or was cancelled. Resolves once the
   * request is durable. A destination that was dropped is not dropped again; one whose drop failed
   * is.
   *
   * @throws JOB_NOT_FOUND; CONFLICT when the job has ended and there is nothing to cancel
   */
  async cancel(
    jobId: string,
    { dropDestination }: { readonly dropDestination: boolean },
  ): Promise<RestreamJob> {
    const job = await this.#records.read(jobId);
    if (isFinal(job.status) && (job.status === 'DONE' || !dropDestination)) {
      throw new QuireError(
        'CONFLICT',
        `The restream job ${jobId} has ended as ${job.status}; there is nothing to cancel.`,
      );
    }
    // A request could arrive after the record of a settled job was removed, and would remain.
    if (isSettled(job)) return job;
    await this.#records.requestCancel(jobId, { dropDestination });
    this.#wake(jobId);
    return job;
  }

  /**
   * Resumes a job that was paused at its start. @throws JOB_NOT_FOUND; CONFLICT when it does not
   * wait
   */
  async resume(jobId: string): Promise<RestreamJob> {
    const job = await this.#records.read(jobId);
    if (job.status !== 'INIT' || !job.init.isHeld) {
      throw new QuireError(
        'CONFLICT',
        `The restream job ${jobId} is ${job.status} and not paused at its start; there is nothing to resume.`,
      );
    }
    await this.#records.requestResume(jobId);
    this.#wake(jobId);
    return job;
  }

  /** Stops driving jobs; they remain for the next controller. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort(new QuireError('SHUTTING_DOWN', 'The controller is shutting down.'));
    await Promise.allSettled(this.#starting);
    await this.#scanning;
    await Promise.all([...this.#drivers.values()].map(({ ended }) => ended));
  }

  async #start(request: RestreamRequest, options: CallOptions): Promise<RestreamJob> {
    const { engine, clock, random } = this.#options;
    throwIfAborted(this.#stop.signal);
    for (const name of [request.tableNameWithType, request.destTableNameWithType]) {
      const active = await this.findActive(name, options);
      if (active !== undefined) throw inUse(name, active);
    }
    const start = await checkStart(engine, request, createRequestId(clock, random), options);
    const job = newJob(start, clock.nowMs(), traceHeaders());
    const { jobId } = job;
    this.#makingIds.add(jobId);
    let made: RestreamJob | undefined;
    try {
      made = await this.#leaseOf(jobId).runInTurn((lost) => this.#make(job, lost));
    } finally {
      this.#makingIds.delete(jobId);
    }
    return this.#begin(made ?? job);
  }

  /** Creates the destination, so that the caller receives the findings of an invalid config. */
  async #make(job: RestreamJob, lost: AbortSignal): Promise<RestreamJob> {
    const { engine, clock, log } = this.#options;
    await this.#write(job);
    try {
      const made = await traced('restream.make', () =>
        perform('make', engine, job, clock.nowMs(), {}),
      );
      return await this.#writeOutcome(made, lost);
    } catch (thrown) {
      const error = isQuireError(thrown)
        ? thrown
        : new QuireError('INTERNAL', 'The destination could not be created.', { cause: thrown });
      // If the engine may or may not have created it, the driver tries again; any other error ends
      // the job here.
      if (isRetryable(error)) {
        return this.#writeOutcome(withProblem(job, error, clock.nowMs()), lost);
      }
      const failed = failedJob(job, error, clock.nowMs());
      const written = await this.#writeOutcome(failed, lost);
      if (written !== failed) return written;
      try {
        await perform('drop', engine, failed, clock.nowMs(), {});
        await this.#records.remove(job.jobId);
      } catch (problem) {
        log?.warn(
          { jobId: job.jobId, err: problem },
          'the tables of a failed restream job will be dropped later',
        );
      }
      throw error;
    }
  }

  /**
   * Writes the outcome of the creation, and returns it. If another controller has taken the lease
   * and drives the job, nothing is written, and its record is returned. A renewal that is slower
   * than the lease overwrites that of the other one without noticing it, but the record shows it.
   */
  async #writeOutcome(job: RestreamJob, lost: AbortSignal): Promise<RestreamJob> {
    const latest = await this.#records.read(job.jobId);
    if (lost.aborted || latest.status !== 'INIT' || latest.init.isMade) return latest;
    await this.#write(job);
    return job;
  }

  #leaseOf(jobId: string): StoreLease {
    const { store, clock, random, leaseMs } = this.#options;
    return new StoreLease({ store, key: leaseKeyOf(jobId), clock, random, durationMs: leaseMs });
  }

  #begin(job: RestreamJob): RestreamJob {
    if (this.#scanning !== undefined) this.#drive(job.jobId);
    return job;
  }

  async #write(job: RestreamJob): Promise<void> {
    await this.#records.write(job);
    this.#options.onWritten?.(job);
  }

  #wake(jobId: string): void {
    const driver = this.#drivers.get(jobId);
    if (driver !== undefined) driver.wake();
    else if (this.#scanning !== undefined) this.#drive(jobId);
  }

  async #scan(): Promise<void> {
    const { clock, leaseMs, log } = this.#options;
    while (!this.#stop.signal.aborted) {
      try {
        const { signal } = this.#stop;
        for (const job of await this.#records.list({ signal }, this.#settledIds)) {
          if (isSettled(job)) this.#settledIds.add(job.jobId);
          else if (await this.#hasWork(job)) this.#drive(job.jobId);
        }
        await this.#removeOldest();
      } catch (error) {
        if (!this.#stop.signal.aborted) {
          log?.warn({ err: error }, 'the scan of restream jobs failed; trying again');
        }
      }
      await sleepUnlessAborted(clock, leaseMs, this.#stop.signal);
    }
  }

  /** Removes settled jobs but the latest. Ids are in the order of their creation. */
  async #removeOldest(): Promise<void> {
    for (const jobId of [...this.#settledIds].toSorted().slice(0, -settledMax)) {
      await this.#records.remove(jobId);
      this.#settledIds.delete(jobId);
    }
  }

  async #hasWork(job: RestreamJob): Promise<boolean> {
    if (!isFinal(job.status)) return true;
    if (job.cleanup?.isDone === false) return true;
    return (await this.#records.readRequests(job.jobId)).cancel?.dropDestination === true;
  }

  /** Drives a job here, unless it is driven already or is still being started. */
  #drive(jobId: string): void {
    if (this.#drivers.has(jobId) || this.#makingIds.has(jobId)) return;
    if (this.#stop.signal.aborted) return;
    const pauses = new Sleeper(this.#options.clock);
    // The driver outlives the call that starts it.
    const driving = continueTrace(null, () =>
      this.#driveInTurn(jobId, (delayMs, signal) => pauses.sleep(delayMs, signal)),
    );
    const ended = driving.finally(() => {
      this.#drivers.delete(jobId);
      // A request may have arrived at the moment when it ended.
      if (pauses.isWoken) this.#drive(jobId);
    });
    this.#drivers.set(jobId, { wake: () => pauses.wake(), ended });
  }

  async #driveInTurn(
    jobId: string,
    wait: (delayMs: number, signal: AbortSignal) => Promise<void>,
  ): Promise<void> {
    const { engine, clock, settings, log, onWritten } = this.#options;
    try {
      await this.#leaseOf(jobId).runInTurn(async (lost) => {
        const signal = AbortSignal.any([this.#stop.signal, lost]);
        const records = this.#records;
        await driveJob(
          { engine, records, clock, settings, log, wait, onWritten: (job) => onWritten?.(job) },
          jobId,
          signal,
        );
      });
    } catch (error) {
      // The next scan resumes it.
      if (!this.#stop.signal.aborted) log?.warn({ jobId, err: error }, 'restream job is postponed');
    }
  }
}

/** Returns whether a job has ended, and no request can give it work again. */
function isSettled({ status, cleanup }: RestreamJob): boolean {
  if (!isFinal(status) || cleanup?.isDone === false) return false;
  return status === 'DONE' || (cleanup?.kind === 'DROP' && !hasDropFailed({ cleanup }));
}

function uses(
  { tableNameWithType, destTableNameWithType }: RestreamJob['config'],
  name: string,
): boolean {
  return tableNameWithType === name || destTableNameWithType === name;
}

function inUse(name: string, { jobId, status }: RestreamJob): QuireError {
  return new QuireError(
    'JOB_EXISTS',
    `The restream job ${jobId}, which is ${status}, uses ${name}. Wait until it has ended, or cancel it.`,
  );
}

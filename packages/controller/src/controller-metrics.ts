import { type RestreamJob, restreamStatuses } from './restream/restream-job.ts';
import { taskStates } from '@quire/core/table-engine';
import type { FairSlots } from '@quire/core/wait';
import { ServiceMetrics } from '@quire/service';
import type { TablesStatus } from './table-watch.ts';

const partitionStates = [
  'STARTING',
  'CONSUMING',
  'COMMITTING',
  'PAUSED',
  'RETRYING',
  'STOPPED',
] as const;

/**
 * Metrics of a controller besides its calls: runs of the expiry job, and the results that they
 * deleted.
 */
export class ControllerMetrics extends ServiceMetrics {
  readonly #runs = this.counter(
    'quire_controller_expiry_runs_total',
    'Runs of the expiry job on a broker, by outcome.',
    ['outcome'],
  );
  readonly #deleted = this.counter(
    'quire_controller_expired_results_deleted_total',
    'Results deleted by the expiry job.',
    [],
  );

  readonly #killedWorkers = this.counter(
    'quire_controller_workers_killed_total',
    'Processes that were terminated with their preview.',
    ['reason'],
  );
  readonly #restreams = new Map<string, RestreamJob>();

  constructor() {
    super();
    // Prometheus does not count the first value of a series as an increase.
    this.#runs.inc({ outcome: 'failed' }, 0);
    const jobs = (): readonly RestreamJob[] => [...this.#restreams.values()];
    for (const status of restreamStatuses) {
      const name = `quire_controller_restream_jobs_${status.toLowerCase()}`;
      this.gauge(
        name,
        `Restream jobs that are ${status}.`,
        () => jobs().filter((job) => job.status === status).length,
      );
    }
    const lagOf = ({ status, stream }: RestreamJob): number =>
      status === 'TABLE_STREAM' ? (stream?.lagMessages ?? 0) : 0;
    const help =
      'Lag, in messages, of the partition that is furthest behind, over all restream jobs that are streaming.';
    this.gauge('quire_controller_restream_lag_messages', help, () =>
      Math.max(0, ...jobs().map(lagOf)),
    );
  }

  /** Counts a finished run on one broker. */
  observeRun({
    deletedCount,
    isGood,
  }: {
    readonly deletedCount: number;
    readonly isGood: boolean;
  }): void {
    this.#runs.inc({ outcome: isGood ? 'ok' : 'failed' });
    this.#deleted.inc(deletedCount);
  }

  /** Shows the numbers of running and waiting previews, read at each scrape. */
  watchPreviews(slots: Pick<FairSlots, 'takenCount' | 'waitingCount' | 'principals'>): void {
    this.slotGauges('quire_controller_previews', 'Previews', slots);
  }

  /** Shows the processes that previews run in. */
  watchWorkers(workers: () => { readonly count: number; readonly busyCount: number }): void {
    this.gauge(
      'quire_controller_workers',
      'Processes for previews, busy or idle.',
      () => workers().count,
    );
    this.gauge(
      'quire_controller_workers_busy',
      'Processes that run a preview.',
      () => workers().busyCount,
    );
  }

  /** Shows the state of tables: of streams, and of tasks. */
  watchTables(
    read: () => Promise<TablesStatus | undefined>,
    countProblems: () => Promise<number | undefined>,
  ): void {
    const help =
      'Tables, tasks, jobs and records that are damaged and set aside, and unknown files that are kept.';
    this.gauge(
      'quire_controller_table_problems',
      help,
      async () => (await countProblems()) ?? Number.NaN,
    );
    const gauge = (name: string, help: string, of: (status: TablesStatus) => number): void =>
      this.gauge(`quire_controller_${name}`, help, async () => {
        const status = await read();
        return status === undefined ? Number.NaN : of(status);
      });
    gauge('tables', 'Tables, counting each half.', ({ tableCount }) => tableCount);
    for (const state of partitionStates) {
      const help = `Partitions of the streams of tables that are ${state}.`;
      gauge(
        `stream_partitions_${state.toLowerCase()}`,
        help,
        ({ partitions }) => partitions[state],
      );
    }
    gauge(
      'stream_lag_messages',
      'Messages in streams that are not in tables yet.',
      ({ lagMessages }) => lagMessages,
    );
    gauge(
      'stream_lag_seconds',
      'The age of the oldest message that is not in a table yet.',
      ({ lagMsMax }) => lagMsMax / 1000,
    );
    gauge(
      'stream_messages_skipped',
      'Messages that were skipped since the engine started.',
      ({ skippedCount }) => skippedCount,
    );
    for (const state of taskStates) {
      gauge(
        `tasks_${state.toLowerCase()}`,
        `Known tasks that are ${state}.`,
        ({ tasks }) => tasks[state],
      );
    }
    gauge(
      'task_subtasks_failed',
      'Subtasks of known tasks that failed or took too long.',
      ({ failedSubtaskCount }) => failedSubtaskCount,
    );
  }

  /** Counts a process that ended with its preview: `time`, `memory` or `crash`. */
  observeKilledWorker(reason: string): void {
    this.#killedWorkers.inc({ reason });
  }

  /** Records the state of a restream job. */
  observeRestream(job: RestreamJob): void {
    this.#restreams.set(job.jobId, job);
  }
}

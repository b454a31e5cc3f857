import { type RestreamJob, restreamStatuses } from '@quire/restream';
import { ServiceMetrics } from '@quire/service';

/** What a controller counts beside its calls: runs of the expiry job, and what they deleted. */
export class ControllerMetrics extends ServiceMetrics {
  readonly #runs = this.counter('quire_controller_expiry_runs_total', 'Runs of the expiry job on a broker, by outcome.', [
    'outcome',
  ]);
  readonly #deleted = this.counter('quire_controller_expired_results_deleted_total', 'Results deleted by the expiry job.', []);

  readonly #killedWorkers = this.counter('quire_controller_workers_killed_total', 'Processes that ended with their preview.', [
    'reason',
  ]);
  readonly #restreams = new Map<string, RestreamJob>();

  constructor() {
    super();
    const jobs = (): readonly RestreamJob[] => [...this.#restreams.values()];
    for (const status of restreamStatuses) {
      const name = `quire_controller_restream_jobs_${status.toLowerCase()}`;
      this.gauge(name, `Restream jobs that are ${status}.`, () => jobs().filter((job) => job.status === status).length);
    }
    const lagOf = ({ status, stream }: RestreamJob): number => (status === 'TABLE_STREAM' ? (stream?.lagMessages ?? 0) : 0);
    const help = 'Messages by which the partition that is furthest behind lags, of the restream jobs that stream.';
    this.gauge('quire_controller_restream_lag_messages', help, () => Math.max(0, ...jobs().map(lagOf)));
  }

  /** Counts a run on one broker that has ended. */
  observeRun({ deletedCount, isGood }: { readonly deletedCount: number; readonly isGood: boolean }): void {
    this.#runs.inc({ outcome: isGood ? 'ok' : 'failed' });
    this.#deleted.inc(deletedCount);
  }

  /** Shows the processes that previews run in. */
  watchWorkers(workers: () => { readonly count: number; readonly busyCount: number }): void {
    this.gauge('quire_controller_workers', 'Processes for previews, with or without one.', () => workers().count);
    this.gauge('quire_controller_workers_busy', 'Processes that run a preview.', () => workers().busyCount);
  }

  /** Counts a process that ended with its preview: `time`, `memory` or `crash`. */
  observeKilledWorker(reason: string): void {
    this.#killedWorkers.inc({ reason });
  }

  /** Takes over what has become of a restream job. */
  observeRestream(job: RestreamJob): void {
    this.#restreams.set(job.jobId, job);
  }
}

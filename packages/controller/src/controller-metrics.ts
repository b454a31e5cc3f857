import { type RestreamJob, restreamStatuses } from '@quire/restream';
import { ServiceMetrics } from '@quire/service';

/** What a controller counts beside its calls: runs of the expiry job, and what they deleted. */
export class ControllerMetrics extends ServiceMetrics {
  readonly #runs = this.counter('quire_controller_expiry_runs_total', 'Runs of the expiry job on a broker, by outcome.', [
    'outcome',
  ]);
  readonly #deleted = this.counter('quire_controller_expired_results_deleted_total', 'Results deleted by the expiry job.', []);

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

  /** Takes over what has become of a restream job. */
  observeRestream(job: RestreamJob): void {
    this.#restreams.set(job.jobId, job);
  }
}

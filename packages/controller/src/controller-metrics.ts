import { ServiceMetrics } from '@quire/service';

/** What a controller counts beside its calls: runs of the expiry job, and what they deleted. */
export class ControllerMetrics extends ServiceMetrics {
  readonly #runs = this.counter('quire_controller_expiry_runs_total', 'Runs of the expiry job on a broker, by outcome.', [
    'outcome',
  ]);
  readonly #deleted = this.counter('quire_controller_expired_results_deleted_total', 'Results deleted by the expiry job.', []);

  /** Counts a run on one broker that has ended. */
  observeRun({ deletedCount, isGood }: { readonly deletedCount: number; readonly isGood: boolean }): void {
    this.#runs.inc({ outcome: isGood ? 'ok' : 'failed' });
    this.#deleted.inc(deletedCount);
  }
}

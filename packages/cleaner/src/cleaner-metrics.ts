import { Counter, Gauge, type Registry } from 'prom-client';
import type { StorageAdmission } from './admission.ts';
import type { PassReport, SweepReport } from './sweep-report.ts';

const passes = ['expiry', 'quota', 'orphans'] as const;
const amounts = ['wanted', 'freed', 'failed', 'skipped'] as const;

/** The metrics of a cleaner, by Prometheus conventions, sufficient for alerts. */
export class CleanerMetrics {
  readonly #sweeps: Counter<'outcome' | 'trigger'>;
  readonly #objects: Counter<'pass' | 'outcome'>;
  readonly #bytes: Counter<'pass' | 'outcome'>;
  readonly #usage: Gauge<'broker'>;
  readonly #quota: Gauge<'broker'>;
  readonly #results: Gauge<'broker'>;
  readonly #oldest: Gauge<'broker'>;
  readonly #principalUsage: Gauge<'broker' | 'principal'>;
  readonly #principalShare: Gauge<'broker' | 'principal'>;
  readonly #nameOf: (ownerTag: number) => string | undefined;
  readonly #lastGood: Gauge;
  readonly #duration: Gauge;

  /**
   * Registers the metrics; without an admission, there are none about writes, because other
   * processes write.
   *
   * @param nameOf the names of owners that get a label of their own; all others count as
   *   `(others)`, so that labels stay few
   */
  constructor(
    registry: Registry,
    admission?: StorageAdmission,
    nameOf: (ownerTag: number) => string | undefined = () => undefined,
  ) {
    const registers = [registry];
    this.#nameOf = nameOf;
    const name = (rest: string): string => `quire_cleaner_${rest}`;
    if (admission !== undefined) registerWrites(registry, admission);
    this.#sweeps = new Counter({
      name: name('sweeps_total'),
      help: 'Sweeps, by trigger and outcome: good, bad (a deletion failed, or a quota was not met), stopped or error (no listing).',
      labelNames: ['outcome', 'trigger'],
      registers,
    });
    this.#objects = new Counter({
      name: name('objects_total'),
      help: 'Results and orphans that a pass selected for deletion, and the outcome of each.',
      labelNames: ['pass', 'outcome'],
      registers,
    });
    this.#bytes = new Counter({
      name: name('bytes_total'),
      help: 'Bytes of the results and orphans that a pass selected for deletion; for the quota pass, the bytes above the target.',
      labelNames: ['pass', 'outcome'],
      registers,
    });
    this.#usage = new Gauge({
      name: name('usage_bytes'),
      help: 'Bytes after the last sweep.',
      labelNames: ['broker'],
      registers,
    });
    this.#quota = new Gauge({
      name: name('quota_bytes'),
      help: 'The quota, if one is enforced.',
      labelNames: ['broker'],
      registers,
    });
    this.#results = new Gauge({
      name: name('results'),
      help: 'Results after the last sweep.',
      labelNames: ['broker'],
      registers,
    });
    this.#oldest = new Gauge({
      name: name('oldest_result_timestamp_seconds'),
      help: 'Time at which the oldest live result was stored.',
      labelNames: ['broker'],
      registers,
    });
    this.#principalUsage = new Gauge({
      name: name('principal_usage_bytes'),
      help: 'Bytes of the results of one principal after the last sweep; (others) is the sum of all principals that the settings do not name.',
      labelNames: ['broker', 'principal'],
      registers,
    });
    this.#principalShare = new Gauge({
      name: name('principal_share_bytes'),
      help: 'The share of the quota of one principal, if it is less than the whole quota; (others) is the share of each other principal.',
      labelNames: ['broker', 'principal'],
      registers,
    });
    this.#lastGood = new Gauge({
      name: name('last_good_sweep_timestamp_seconds'),
      help: 'Time at which the last fully successful sweep ended; 0 before the first.',
      registers,
    });
    this.#duration = new Gauge({
      name: name('last_sweep_duration_seconds'),
      help: 'Duration of the last sweep.',
      registers,
    });
  }

  observe(report: SweepReport): void {
    const outcome = report.isGood ? 'good' : report.isStopped ? 'stopped' : 'bad';
    this.#sweeps.inc({ outcome, trigger: report.trigger });
    this.#duration.set(report.durationMs / 1000);
    if (report.isGood) this.#lastGood.set((report.startTimeMs + report.durationMs) / 1000);
    for (const gauge of [this.#usage, this.#quota, this.#results, this.#oldest]) gauge.reset();
    for (const gauge of [this.#principalUsage, this.#principalShare]) gauge.reset();
    for (const broker of report.brokers) {
      const labels = { broker: broker.brokerId };
      this.#usage.set(labels, broker.usageEndBytes);
      if (broker.quotaBytes !== undefined) this.#quota.set(labels, broker.quotaBytes);
      this.#results.set(labels, broker.resultCount);
      if (broker.oldestLiveMs !== undefined) this.#oldest.set(labels, broker.oldestLiveMs / 1000);
      for (const { ownerTag, endBytes, shareBytes } of broker.owners) {
        const principal =
          (ownerTag === undefined ? undefined : this.#nameOf(ownerTag)) ?? '(others)';
        this.#principalUsage.inc({ ...labels, principal }, endBytes);
        if (shareBytes !== undefined) {
          this.#principalShare.set({ ...labels, principal }, shareBytes);
        }
      }
      for (const pass of passes) this.#count(pass, broker[pass]);
    }
    this.#count('leftovers', report.leftovers);
  }

  /** Counts a sweep whose listing failed. */
  observeError(trigger: string): void {
    this.#sweeps.inc({ outcome: 'error', trigger });
  }

  #count(pass: string, report: PassReport): void {
    for (const outcome of amounts) {
      this.#objects.inc({ pass, outcome }, report[outcome].count);
      this.#bytes.inc({ pass, outcome }, report[outcome].bytes);
    }
  }
}

/** Registers the metrics about writes, which read the admission at each scrape. */
function registerWrites(registry: Registry, admission: StorageAdmission): void {
  const registers = [registry];
  const waiting: Gauge = new Gauge({
    name: 'quire_cleaner_writes_waiting',
    help: 'Results that wait for space.',
    registers,
    collect() {
      waiting.set(admission.queue.waitingCount);
    },
  });
  const refused: Counter = new Counter({
    name: 'quire_cleaner_writes_refused_total',
    help: 'Results refused because there was no space, or because they exceed the largest size.',
    registers,
    collect() {
      refused.reset();
      refused.inc(admission.queue.refusedCount);
    },
  });
  const refusedByShare: Counter = new Counter({
    name: 'quire_cleaner_writes_refused_by_share_total',
    help: 'Results refused because their principal had used up its share of the quota.',
    registers,
    collect() {
      refusedByShare.reset();
      refusedByShare.inc(admission.queue.refusedByShareCount);
    },
  });
}

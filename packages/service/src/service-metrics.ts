import type { FairSlots, PrincipalShare } from '@quire/core/wait';
import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';

/** The maximum number of principals with their own label, so that a scrape has few series. */
const principalsShownMax = 20;
/** Buckets from a cached page to a long query, in seconds. */
const durationBuckets = [
  0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300,
];

/**
 * The metrics of every service, in a separate registry, by Prometheus conventions. Labels never
 * contain ids or SQL, and principals only in metrics for admins. A service with more metrics
 * extends this class.
 */
export class ServiceMetrics {
  /** The registry for metrics of components beside the service. */
  readonly registry = new Registry();
  /** The metrics whose labels name principals. */
  readonly #ofPrincipals = new Registry();
  readonly #calls: Histogram<'method' | 'route' | 'status'>;
  readonly #stalled: Counter<'route'>;

  constructor() {
    collectDefaultMetrics({ register: this.registry });
    this.#calls = this.histogram(
      'quire_http_request_duration_seconds',
      'Calls, by their duration.',
      ['method', 'route', 'status'],
    );
    this.#stalled = this.counter(
      'quire_http_responses_stalled_total',
      'Connections closed because their clients received nothing of a response for too long.',
      ['route'],
    );
  }

  /** The media type of `render`. */
  get contentType(): string {
    return this.registry.contentType;
  }

  /**
   * Returns all metrics in the text format of Prometheus; those that name principals only for
   * admins.
   */
  async render({ isAdmin }: { readonly isAdmin: boolean }): Promise<string> {
    const shown = isAdmin ? [this.registry, this.#ofPrincipals] : [this.registry];
    return (await Promise.all(shown.map((registry) => registry.metrics()))).join('');
  }

  /** Counts a call that has ended; `route` is its pattern, so that there are few of them. */
  observeCall(call: { method: string; route: string; status: number; durationMs: number }): void {
    this.#calls.observe(
      { method: call.method, route: call.route, status: call.status },
      call.durationMs / 1000,
    );
  }

  /** Counts a response that was aborted because its client received nothing of it. */
  observeStalled(route: string): void {
    this.#stalled.inc({ route });
  }

  /** Creates a histogram of durations, in seconds. */
  protected histogram<T extends string>(
    name: string,
    help: string,
    labelNames: readonly T[],
  ): Histogram<T> {
    return new Histogram({
      name,
      help,
      labelNames,
      buckets: durationBuckets,
      registers: [this.registry],
    });
  }

  protected counter<T extends string>(
    name: string,
    help: string,
    labelNames: readonly T[],
  ): Counter<T> {
    return new Counter({ name, help, labelNames, registers: [this.registry] });
  }

  /** Creates a gauge whose value is read at each scrape. */
  protected gauge(name: string, help: string, read: () => number | Promise<number>): void {
    const collect = async (): Promise<void> => gauge.set(await read());
    const gauge: Gauge = new Gauge({ name, help, registers: [this.registry], collect });
  }

  /**
   * Creates gauges of running and waiting work in shared slots, read at each scrape:
   * `<name>_running` and `<name>_queued`, and for admins the same by principal. The busiest
   * principals have their own labels; all others share one.
   */
  protected slotGauges(
    name: string,
    work: string,
    slots: Pick<FairSlots, 'takenCount' | 'waitingCount' | 'principals'>,
  ): void {
    this.gauge(`${name}_running`, `${work} that run.`, () => slots.takenCount);
    this.gauge(`${name}_queued`, `${work} that wait to start.`, () => slots.waitingCount);
    const byPrincipal = (
      suffix: string,
      help: string,
      countOf: (share: PrincipalShare) => number,
    ): void => {
      const collect = (): void => {
        gauge.reset();
        const counted = slots.principals.map((share) => ({
          principal: share.principal,
          count: countOf(share),
        }));
        const ordered = counted
          .filter(({ count }) => count > 0)
          .toSorted((left, right) => right.count - left.count);
        for (const { principal, count } of ordered.slice(0, principalsShownMax)) {
          gauge.set({ principal }, count);
        }
        const others = ordered.slice(principalsShownMax).reduce((sum, { count }) => sum + count, 0);
        if (others > 0) gauge.set({ principal: 'all others' }, others);
      };
      const gauge: Gauge<'principal'> = new Gauge({
        name: `${name}_${suffix}_by_principal`,
        help,
        labelNames: ['principal'],
        registers: [this.#ofPrincipals],
        collect,
      });
    };
    byPrincipal('running', `${work} that run, by principal.`, ({ takenCount }) => takenCount);
    byPrincipal(
      'queued',
      `${work} that wait to start, by principal.`,
      ({ waitingCount }) => waitingCount,
    );
  }
}

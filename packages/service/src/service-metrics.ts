import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';

/** From a page in memory to a long query, in seconds. */
const durationBuckets = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300];

/**
 * What every service counts, in a registry of its own, by the conventions of Prometheus. Labels never hold ids, names or SQL. A service that counts more extends it.
 */
export class ServiceMetrics {
  /** Where others that work beside the service count, to be shown with it. */
  readonly registry = new Registry();
  readonly #calls: Histogram<'method' | 'route' | 'status'>;
  readonly #stalled: Counter<'route'>;

  constructor() {
    collectDefaultMetrics({ register: this.registry });
    this.#calls = this.histogram('quire_http_request_duration_seconds', 'Calls, by their duration.', [
      'method',
      'route',
      'status',
    ]);
    this.#stalled = this.counter(
      'quire_http_responses_stalled_total',
      'Connections closed because their clients took nothing of a response for too long.',
      ['route'],
    );
  }

  /** The media type of `render`. */
  get contentType(): string {
    return this.registry.contentType;
  }

  /** All metrics in the text format of Prometheus. */
  render(): Promise<string> {
    return this.registry.metrics();
  }

  /** Counts a call that has ended; `route` is its pattern, so that there are few of them. */
  observeCall(call: { method: string; route: string; status: number; durationMs: number }): void {
    this.#calls.observe({ method: call.method, route: call.route, status: call.status }, call.durationMs / 1000);
  }

  /** Counts a response that was given up because its client took nothing of it. */
  observeStalled(route: string): void {
    this.#stalled.inc({ route });
  }

  /** A histogram of durations, in seconds. */
  protected histogram<T extends string>(name: string, help: string, labelNames: readonly T[]): Histogram<T> {
    return new Histogram({ name, help, labelNames, buckets: durationBuckets, registers: [this.registry] });
  }

  protected counter<T extends string>(name: string, help: string, labelNames: readonly T[]): Counter<T> {
    return new Counter({ name, help, labelNames, registers: [this.registry] });
  }

  /** A gauge whose value is asked for at each scrape. */
  protected gauge(name: string, help: string, read: () => number | Promise<number>): void {
    const collect = async (): Promise<void> => gauge.set(await read());
    const gauge: Gauge = new Gauge({ name, help, registers: [this.registry], collect });
  }
}

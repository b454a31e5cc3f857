import { ServiceMetrics } from '@quire/service';

/** The method by which the broker of a call was found. */
export type RouteSource = 'query' | 'forward' | 'learnt' | 'shared' | 'named' | 'asked' | 'any';

/**
 * The metrics of a proxy in addition to its calls: calls to each broker, and their health. Brokers
 * are few, so they are labels.
 */
export class ProxyMetrics extends ServiceMetrics {
  readonly #brokerCalls = this.histogram(
    'quire_proxy_broker_call_duration_seconds',
    'Forwarded calls, by broker and outcome: the class of the status, or the kind of failure.',
    ['broker', 'outcome'],
  );
  readonly #routes = this.counter(
    'quire_proxy_routed_total',
    'Calls, by the method by which their broker was found.',
    ['by'],
  );
  readonly #ejections = this.counter(
    'quire_proxy_broker_ejections_total',
    'Number of times that a broker became unavailable.',
    ['broker'],
  );
  readonly #rounds = this.counter(
    'quire_proxy_health_rounds_total',
    'Completed rounds of health checks.',
    [],
  );
  readonly #retries = this.counter(
    'quire_proxy_retries_total',
    'Calls that were sent to a second broker.',
    ['broker'],
  );

  /** Counts a finished call to a broker: with `2xx` or the like, or the kind of failure. */
  observeBrokerCall(broker: string, outcome: string, durationMs: number): void {
    this.#brokerCalls.observe({ broker, outcome }, durationMs / 1000);
  }

  observeRoute(by: RouteSource): void {
    this.#routes.inc({ by });
  }

  observeEjection(broker: string): void {
    this.#ejections.inc({ broker });
  }

  observeRound(): void {
    this.#rounds.inc();
  }

  observeRetry(broker: string): void {
    this.#retries.inc({ broker });
  }

  /** Registers the gauges of the brokers, read at each scrape. */
  watchBrokers(
    brokers: { readonly all: readonly { readonly isUp: boolean }[] },
    routes: { readonly count: number },
  ): void {
    this.gauge(
      'quire_proxy_brokers_up',
      'Brokers that receive calls.',
      () => brokers.all.filter(({ isUp }) => isUp).length,
    );
    this.gauge(
      'quire_proxy_brokers_down',
      'Brokers that receive no calls.',
      () => brokers.all.filter(({ isUp }) => !isUp).length,
    );
    this.gauge(
      'quire_proxy_routes',
      'Results whose broker the proxy has cached.',
      () => routes.count,
    );
  }
}

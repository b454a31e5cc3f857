import { ServiceMetrics } from '@quire/service';

/** How the broker of a call was found. */
export type RouteSource = 'query' | 'forward' | 'learnt' | 'shared' | 'named' | 'asked' | 'any';

/**
 * What a proxy counts beside its calls: calls to each broker, and what it knows of them. Brokers
 * are few, so they are labels.
 */
export class ProxyMetrics extends ServiceMetrics {
  readonly #brokerCalls = this.histogram(
    'quire_proxy_broker_call_duration_seconds',
    'Calls passed on, by broker and outcome: the class of the status, or how the call failed.',
    ['broker', 'outcome'],
  );
  readonly #routes = this.counter(
    'quire_proxy_routed_total',
    'Calls, by how their broker was found.',
    ['by'],
  );
  readonly #ejections = this.counter(
    'quire_proxy_broker_ejections_total',
    'How often a broker went down.',
    ['broker'],
  );
  readonly #rounds = this.counter(
    'quire_proxy_health_rounds_total',
    'Rounds of health checks that have ended.',
    [],
  );
  readonly #retries = this.counter(
    'quire_proxy_retries_total',
    'Calls that were sent to a second broker.',
    ['broker'],
  );

  /**
   * Counts a call to a broker that has ended: with `2xx` or the like, or the way in which it
   * failed.
   */
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

  /** Shows what is known now, asked at each scrape. */
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
      'Results of which the proxy knows where they are.',
      () => routes.count,
    );
  }
}

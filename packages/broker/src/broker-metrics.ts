import type { StoreCall } from '@quire/core';
import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';

/** From a page in memory to a long query, in seconds. */
const durationBuckets = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300];

/** What a broker counts, in a registry of its own, by the conventions of Prometheus. Labels never hold ids, names or SQL. */
export class BrokerMetrics {
  readonly #registry = new Registry();
  readonly #calls = this.#histogram('quire_http_request_duration_seconds', 'Calls, by their duration.', [
    'method',
    'route',
    'status',
  ]);
  readonly #queries = this.#histogram(
    'quire_query_duration_seconds',
    'Queries, by duration from acceptance to the stored answer.',
    ['outcome'],
  );
  readonly #rows = this.#counter('quire_rows_served_total', 'Rows served, by format.', ['format']);
  readonly #bytes = this.#counter('quire_bytes_served_total', 'Bytes of rows served, before compression, by format.', ['format']);
  readonly #storeCalls = this.#histogram('quire_store_call_duration_seconds', 'Calls to the object store, by duration.', [
    'op',
    'outcome',
  ]);
  readonly #storeBytes = this.#counter('quire_store_bytes_total', 'Bytes that went to or came from the object store.', ['op']);

  constructor() {
    collectDefaultMetrics({ register: this.#registry });
  }

  /** Where others that work beside the broker count, to be shown with it. */
  get registry(): Registry {
    return this.#registry;
  }

  /** The media type of `render`. */
  get contentType(): string {
    return this.#registry.contentType;
  }

  /** All metrics in the text format of Prometheus. */
  render(): Promise<string> {
    return this.#registry.metrics();
  }

  /** Counts a call that has ended; `route` is its pattern, so that there are few of them. */
  observeCall(call: { method: string; route: string; status: number; durationMs: number }): void {
    this.#calls.observe({ method: call.method, route: call.route, status: call.status }, call.durationMs / 1000);
  }

  /** Counts a query that has ended: `ok`, or the code of what ended it. */
  observeQuery(outcome: string, durationMs: number): void {
    this.#queries.observe({ outcome }, durationMs / 1000);
  }

  /** Counts rows that were served whole. */
  observeRows(format: string, rowCount: number): void {
    this.#rows.inc({ format }, rowCount);
  }

  observeBytes(format: string, bytes: number): void {
    this.#bytes.inc({ format }, bytes);
  }

  /** Counts a call to the object store; meant for `withObserver` of `@quire/core`. */
  readonly observeStoreCall = (call: StoreCall): void => {
    this.#storeCalls.observe({ op: call.op, outcome: call.outcome }, call.durationMs / 1000);
    this.#storeBytes.inc({ op: call.op }, call.bytes);
  };

  /** Shows how many queries run and wait, asked at each scrape. */
  watchQueries(queue: { readonly runningCount: number; readonly queuedCount: number }): void {
    this.#gauge('quire_queries_running', 'Queries that run.', () => queue.runningCount);
    this.#gauge('quire_queries_queued', 'Queries that wait for their turn.', () => queue.queuedCount);
  }

  #histogram<T extends string>(name: string, help: string, labelNames: readonly T[]): Histogram<T> {
    return new Histogram({ name, help, labelNames, buckets: durationBuckets, registers: [this.#registry] });
  }

  #counter<T extends string>(name: string, help: string, labelNames: readonly T[]): Counter<T> {
    return new Counter({ name, help, labelNames, registers: [this.#registry] });
  }

  #gauge(name: string, help: string, read: () => number): void {
    const gauge: Gauge = new Gauge({ name, help, registers: [this.#registry], collect: () => gauge.set(read()) });
  }
}

import type { StoreCall } from '@quire/core';
import type { FairSlots } from '@quire/core/wait';
import type { PageThreadsStatus } from '@quire/results';
import { ServiceMetrics } from '@quire/service';

/**
 * The metrics of a broker in addition to its calls: queries, rows and calls to the object store.
 */
export class BrokerMetrics extends ServiceMetrics {
  readonly #queries = this.histogram(
    'quire_query_duration_seconds',
    'Queries, by duration from acceptance to the stored answer.',
    ['outcome'],
  );
  readonly #firstRows = this.histogram(
    'quire_query_first_rows_seconds',
    'Queries with async=true, by duration from acceptance to the answer with the rows so far of the first page.',
    [],
  );
  readonly #reused = this.counter(
    'quire_results_reused_total',
    'Queries that were answered with the result of another one.',
    [],
  );
  readonly #rows = this.counter('quire_rows_served_total', 'Rows served, by format.', ['format']);
  readonly #bytes = this.counter(
    'quire_bytes_served_total',
    'Bytes of rows served, before compression, by format.',
    ['format'],
  );
  readonly #storeCalls = this.histogram(
    'quire_store_call_duration_seconds',
    'Calls to the object store, by duration.',
    ['op', 'outcome'],
  );
  readonly #storeBytes = this.counter(
    'quire_store_bytes_total',
    'Bytes sent to or received from the object store.',
    ['op'],
  );

  readonly #killedWorkers = this.counter(
    'quire_workers_killed_total',
    'Processes that were terminated with their query, by reason.',
    ['reason'],
  );

  /** Counts a first page that was sent before its query had ended. */
  observeFirstRows(durationMs: number): void {
    this.#firstRows.observe({}, durationMs / 1000);
  }

  /** Counts a query that was answered with an existing result. */
  observeReused(): void {
    this.#reused.inc({}, 1);
  }

  /** Counts a query that has ended: `ok`, or the error code. */
  observeQuery(outcome: string, durationMs: number): void {
    this.#queries.observe({ outcome }, durationMs / 1000);
  }

  /** Counts rows that were sent completely. */
  observeRows(format: string, rowCount: number): void {
    this.#rows.inc({ format }, rowCount);
  }

  observeBytes(format: string, bytes: number): void {
    this.#bytes.inc({ format }, bytes);
  }

  /** Counts a call to the object store; for `withObserver` of `@quire/core`. */
  readonly observeStoreCall = (call: StoreCall): void => {
    this.#storeCalls.observe({ op: call.op, outcome: call.outcome }, call.durationMs / 1000);
    this.#storeBytes.inc({ op: call.op }, call.bytes);
  };

  /** Registers gauges of running and waiting queries, read at each scrape. */
  watchQueries(queue: Pick<FairSlots, 'takenCount' | 'waitingCount' | 'principals'>): void {
    this.slotGauges('quire_queries', 'Queries', queue);
  }

  /** Registers a gauge of results that can be read while they grow, read at each scrape. */
  watchGrowing(count: () => number): void {
    this.gauge('quire_results_growing', 'Results that can be read while their query runs.', count);
  }

  /** Registers a gauge of pages being read, read at each scrape. */
  watchPageStreams(count: () => number): void {
    this.gauge(
      'quire_page_streams',
      'Pages that are being sent, except those sent in one piece.',
      count,
    );
  }

  /** Registers gauges of the threads that encode pages, read at each scrape. */
  watchPageThreads(threads: () => PageThreadsStatus): void {
    this.gauge('quire_page_threads', 'Threads that encode pages.', () => threads().count);
    this.gauge(
      'quire_page_threads_busy',
      'Threads that are encoding a page.',
      () => threads().busyCount,
    );
  }

  /** Registers gauges of the query processes, read at each scrape. */
  watchWorkers(workers: () => { readonly count: number; readonly busyCount: number }): void {
    this.gauge('quire_workers', 'Processes for queries, busy or idle.', () => workers().count);
    this.gauge(
      'quire_workers_busy',
      'Processes that are running a query.',
      () => workers().busyCount,
    );
  }

  /** Counts a process that ended with its query: `time`, `memory` or `crash`. */
  observeKilledWorker(reason: string): void {
    this.#killedWorkers.inc({ reason });
  }
}

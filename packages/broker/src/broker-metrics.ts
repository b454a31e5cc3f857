import type { StoreCall } from '@quire/core';
import type { FairSlots } from '@quire/core/wait';
import { ServiceMetrics } from '@quire/service';

/** What a broker counts beside its calls: queries, rows and calls to the object store. */
export class BrokerMetrics extends ServiceMetrics {
  readonly #queries = this.histogram(
    'quire_query_duration_seconds',
    'Queries, by duration from acceptance to the stored answer.',
    ['outcome'],
  );
  readonly #firstRows = this.histogram(
    'quire_query_first_rows_seconds',
    'Queries with async=true, by duration from acceptance to the answer with what is there of the first page.',
    [],
  );
  readonly #reused = this.counter(
    'quire_results_reused_total',
    'Queries that were answered by the result of another one.',
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
    'Bytes that went to or came from the object store.',
    ['op'],
  );

  readonly #killedWorkers = this.counter(
    'quire_workers_killed_total',
    'Processes that ended with their query, by reason.',
    ['reason'],
  );

  /** Counts a first page that came before its query had ended. */
  observeFirstRows(durationMs: number): void {
    this.#firstRows.observe({}, durationMs / 1000);
  }

  /** Counts a query that was answered by a result that stood. */
  observeReused(): void {
    this.#reused.inc({}, 1);
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
  watchQueries(queue: Pick<FairSlots, 'takenCount' | 'waitingCount' | 'principals'>): void {
    this.slotGauges('quire_queries', 'Queries', queue);
  }

  /** Shows how many results can be read while they grow, asked at each scrape. */
  watchGrowing(count: () => number): void {
    this.gauge('quire_results_growing', 'Results that can be read while their query runs.', count);
  }

  /** Shows how many pages are being read, asked at each scrape. */
  watchPageStreams(count: () => number): void {
    this.gauge(
      'quire_page_streams',
      'Pages that are being sent, but for those sent in one piece.',
      count,
    );
  }

  /** Shows the processes that queries run in, asked at each scrape. */
  watchWorkers(workers: () => { readonly count: number; readonly busyCount: number }): void {
    this.gauge(
      'quire_workers',
      'Processes for queries, with or without one.',
      () => workers().count,
    );
    this.gauge('quire_workers_busy', 'Processes that run a query.', () => workers().busyCount);
  }

  /** Counts a process that ended with its query: `time`, `memory` or `crash`. */
  observeKilledWorker(reason: string): void {
    this.#killedWorkers.inc({ reason });
  }
}

import {
  type CallOptions,
  type Clock,
  createRequestId,
  isQuireError,
  type Query,
  type QueryDescription,
  type QueryEngine,
  type QueryExecution,
  QuireError,
  type Random,
  throwIfAborted,
} from '@quire/core';
import type { AnswerPart } from '../answer/read-answer.ts';
import { BrokerDirectory, type BrokerDirectoryOptions } from '../http/broker-directory.ts';
import { Controller, isAtLeast } from '../http/controller.ts';
import { PinotHttp, type PinotHttpOptions } from '../http/pinot-http.ts';
import { type ClusterProbe, probeCluster } from '../http/probe-cluster.ts';
import { BrokerQueries, type Statement } from './broker-queries.ts';
import { PinotExecution } from './pinot-execution.ts';
import { QueryStop, unlessStopped } from './query-stop.ts';
import { planSelection } from './plan-selection.ts';
import { hasUpserts, readSegments } from './read-segments.ts';
import { assertQuery, sqlTokens, withoutRowLimit, withoutRows, wordsOf } from './sql-tokens.ts';

/** The cluster of a `PinotEngine`, and the options of calls to it. */
export interface PinotEngineOptions extends PinotHttpOptions, BrokerDirectoryOptions {
  readonly random: Random;
  /** Controllers of the cluster, at least one. */
  readonly controllerUrls: readonly string[];
  /**
   * True if a paginated query without LIMIT requests all rows; otherwise the cluster's default of
   * 10 rows applies.
   */
  readonly isUnlimited: boolean;
  /** True if a plain selection of all rows is requested segment by segment (`planSelection`). */
  readonly isSegmentBySegment: boolean;
  /** The number of segments that such a selection requests concurrently; default 1. */
  readonly segmentsMax?: number | undefined;
}

/** Lists of BYTES are hexadecimal from this release on, and base64 before. */
const hexadecimalRelease = [1, 6] as const;

/**
 * Answers SQL on the brokers of an Apache Pinot cluster. An answer is read as it arrives, in
 * constant memory; the cluster's broker buffers all of it, unless it is requested segment by
 * segment.
 */
export class PinotEngine implements QueryEngine {
  readonly #options: PinotEngineOptions;
  readonly #clock: Clock;
  readonly #http: PinotHttp;
  readonly #controller: Controller;
  readonly #directory: BrokerDirectory;
  readonly #brokers: BrokerQueries;
  readonly #running = new Set<QueryStop>();
  #isClosed = false;

  constructor(options: PinotEngineOptions) {
    this.#options = options;
    this.#clock = options.clock;
    this.#http = new PinotHttp(options);
    this.#controller = new Controller(this.#http, options.controllerUrls);
    this.#directory = new BrokerDirectory(this.#controller, options);
    this.#brokers = new BrokerQueries(this.#http, this.#directory);
  }

  /** Resolves once abandoned queries are cancelled in the cluster, or it is unreachable. */
  async settled(): Promise<void> {
    await this.#brokers.settled();
  }

  /**
   * Probes every controller and broker, and checks its role.
   *
   * @throws ABORTED when the signal is aborted
   */
  probe(options: CallOptions & { readonly timeoutMs: number }): Promise<ClusterProbe> {
    return probeCluster({
      ...options,
      http: this.#http,
      controllerUrls: this.#controller.urls,
      directory: this.#directory,
    });
  }

  /**
   * Returns the raw names of the tables that queries may read.
   *
   * @throws ENGINE_UNAVAILABLE when no controller answers
   */
  listTables({ signal }: CallOptions = {}): Promise<readonly string[]> {
    return this.#controller.tableNames(signal);
  }

  /**
   * Returns the schema of the answer to a query. The cluster plans it with LIMIT 0 and reads no
   * row; if it refuses that, the query itself is sent, for the rows that the cluster returns
   * without a LIMIT.
   */
  async describe(
    query: Query,
    options: Parameters<QueryEngine['execute']>[1],
  ): Promise<QueryDescription> {
    const sql = withoutRows(query.sql, sqlTokens(query.sql));
    const described = sql === undefined ? undefined : await this.#plan({ ...query, sql }, options);
    if (described !== undefined) return described;
    await using execution = await this.execute({ ...query, isPaginated: false }, options);
    return { schema: execution.schema };
  }

  async execute(
    query: Query,
    { signal, limits, onProgress }: Parameters<QueryEngine['execute']>[1],
  ): Promise<QueryExecution> {
    const startedAtMs = this.#clock.monotonicMs();
    throwIfAborted(signal);
    if (this.#isClosed) throw shuttingDown();
    if (query.parameters !== undefined && Object.keys(query.parameters).length > 0) {
      throw new QuireError(
        'QUERY_INVALID',
        'Apache Pinot binds no parameters: write the values into the SQL as literals.',
      );
    }
    assertQuery(query.sql, sqlTokens(query.sql));
    const stop = new QueryStop(this.#clock, { signal, timeoutMs: limits.timeoutMs });
    this.#running.add(stop);
    const onClosed = (): void => {
      stop.end();
      this.#running.delete(stop);
    };
    try {
      const release = await unlessStopped(this.#controller.release(), stop);
      const bytesText = isAtLeast(release, hexadecimalRelease) ? 'hex' : 'base64';
      const answer = await this.#answer(query, { limits, onProgress }, stop);
      return await PinotExecution.open({
        answer,
        stop,
        clock: this.#clock,
        startedAtMs,
        bytesText,
        onClosed,
      });
    } catch (error) {
      // Closes the connection of an answer that will not be read.
      stop.stop(new QuireError('ABORTED', 'The query did not start.'));
      onClosed();
      throw error;
    }
  }

  /** Stops the running queries with SHUTTING_DOWN, in the cluster as well. */
  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    for (const stop of this.#running) stop.stop(shuttingDown());
    await this.settled();
    await this.#http[Symbol.asyncDispose]();
  }

  /**
   * Plans a query; undefined if the cluster refuses it: the single-stage engine refuses DISTINCT
   * with LIMIT 0.
   */
  async #plan(
    query: Query,
    options: Parameters<QueryEngine['execute']>[1],
  ): Promise<QueryDescription | undefined> {
    try {
      await using execution = await this.execute({ ...query, isPaginated: false }, options);
      // The exceptions of an answer follow its columns.
      for await (const _ of execution.batches);
      return { schema: execution.schema };
    } catch (error) {
      if (isQuireError(error) && error.kind === 'invalid') return undefined;
      throw error;
    }
  }

  async #answer(
    query: Query,
    { limits, onProgress }: Pick<Parameters<QueryEngine['execute']>[1], 'limits' | 'onProgress'>,
    stop: QueryStop,
  ): Promise<AsyncGenerator<AnswerPart>> {
    const { random, isUnlimited, isSegmentBySegment } = this.#options;
    const tokens = sqlTokens(query.sql);
    const isWhole = isUnlimited && query.isPaginated === true;
    const statement: Statement = {
      sql: isWhole ? withoutRowLimit(query.sql, tokens) : query.sql,
      words: wordsOf(tokens),
      options: query.options ?? {},
      timeoutMs: limits.timeoutMs,
      newId: () => `quire-${createRequestId(this.#clock, random)}`,
    };
    const selection = isWhole && isSegmentBySegment ? planSelection(query.sql, tokens) : undefined;
    const { signal } = stop;
    const controller = this.#controller;
    if (selection === undefined || (await hasUpserts(selection, { controller, signal }))) {
      return this.#brokers.ask(statement, stop);
    }
    return readSegments(selection, {
      controller,
      concurrencyMax: this.#options.segmentsMax ?? 1,
      signal,
      ask: (sql) => this.#brokers.ask({ ...statement, sql }, stop),
      onProgress,
    });
  }
}

function shuttingDown(): QuireError {
  return new QuireError('SHUTTING_DOWN', 'The query engine is shutting down.');
}

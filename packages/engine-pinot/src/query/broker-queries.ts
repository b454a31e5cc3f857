import { isQuireError, QuireError } from '@quire/core';
import { ByteCursor } from '../answer/byte-cursor.ts';
import { type AnswerPart, readAnswer } from '../answer/read-answer.ts';
import { at } from '../http/call-failure.ts';
import type { BrokerDirectory } from '../http/broker-directory.ts';
import { drain } from '../http/controller.ts';
import { withoutInstances } from '../http/instance-names.ts';
import type { PinotAnswer, PinotHttp } from '../http/pinot-http.ts';
import { type QueryStop, unlessStopped } from './query-stop.ts';

/** A query to send to a broker. */
export interface Statement {
  readonly sql: string;
  /** Its words in lower case, including the tables. */
  readonly words: ReadonlySet<string>;
  readonly options: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
  /** Returns an id with which the query can be cancelled in the cluster. */
  readonly newId: () => string;
}

/** The cluster's time limit is a second longer than Quire's, so that Quire's error is reported. */
const clusterGraceMs = 1_000;
const cancelTimeoutMs = 5_000;
const failureBytesMax = 4_000;
/** Statuses of a broker that is shutting down, or of a load balancer without a broker. */
const unavailableStatuses: ReadonlySet<number> = new Set([502, 503, 504]);

/**
 * Sends queries to brokers, tries another broker if the first does not answer, and cancels
 * abandoned queries.
 */
export class BrokerQueries {
  readonly #http: PinotHttp;
  readonly #directory: BrokerDirectory;
  readonly #cancelling = new Set<Promise<void>>();

  constructor(http: PinotHttp, directory: BrokerDirectory) {
    this.#http = http;
    this.#directory = directory;
  }

  async settled(): Promise<void> {
    await Promise.all(this.#cancelling);
  }

  /**
   * Resolves once a broker starts to answer.
   *
   * @throws ENGINE_UNAVAILABLE when none does; QUERY_FAILED with its message when it refuses
   */
  async ask(statement: Statement, stop: QueryStop): Promise<AsyncGenerator<AnswerPart>> {
    const brokers = await unlessStopped(this.#directory.brokersFor(statement.words), stop);
    for (const [index, broker] of brokers.entries()) {
      try {
        return await this.#askBroker(broker, statement, stop);
      } catch (error) {
        if (stop.reason !== undefined) throw stop.reason;
        // A query only reads, so it may be repeated, except if the credentials were refused.
        if (!isQuireError(error, 'ENGINE_UNAVAILABLE') || error.exceptionNumber === 180) {
          throw error;
        }
        this.#directory.avoid(broker);
        if (index === brokers.length - 1) throw error;
      }
    }
    throw new QuireError('ENGINE_UNAVAILABLE', 'Apache Pinot has no broker.');
  }

  async #askBroker(
    broker: string,
    statement: Statement,
    stop: QueryStop,
  ): Promise<AsyncGenerator<AnswerPart>> {
    const id = statement.newId();
    const body = JSON.stringify({
      sql: statement.sql,
      queryOptions: queryOptionsOf(statement, id),
    });
    // At the stop itself, so that `settled` waits for it.
    const onStop = (): void => this.#cancel(broker, id);
    stop.signal.addEventListener('abort', onStop, { once: true });
    const call = { method: 'POST', url: `${broker}/query/sql`, body, signal: stop.signal } as const;
    // Once a broker answers, the query has ended in the cluster.
    const answer = await this.#http
      .call(call)
      .finally(() => stop.signal.removeEventListener('abort', onStop));
    if (answer.status === 200) return readAnswer(new ByteCursor(answer.body));
    throw await refusalOf(broker, answer);
  }

  /** Cancels a query. Clusters that cannot cancel queries end it at its time limit. */
  #cancel(broker: string, id: string): void {
    const [late, answered] = [new AbortController(), new AbortController()];
    this.#http.clock.sleep(cancelTimeoutMs, answered.signal).then(
      () => late.abort(),
      () => undefined, // it was in time
    );
    const cancelling = this.#http
      .call({ method: 'DELETE', url: `${broker}/query/${id}?client=true`, signal: late.signal })
      .then(drain)
      .catch(() => undefined)
      .finally(() => {
        answered.abort();
        this.#cancelling.delete(cancelling);
      });
    this.#cancelling.add(cancelling);
  }
}

/** @throws QUERY_INVALID for an option that cannot be written */
function queryOptionsOf({ options, timeoutMs }: Statement, id: string): string {
  const all = {
    ...options,
    timeoutMs: String(Math.ceil(timeoutMs) + clusterGraceMs),
    clientQueryId: id,
  };
  return Object.entries(all)
    .map(([key, value]) => {
      if (!/[;=]/.test(`${key}${value}`)) return `${key}=${value}`;
      throw new QuireError(
        'QUERY_INVALID',
        `The query option ${key} is '${value}'; ';' and '=' cannot be part of an option.`,
      );
    })
    .join(';');
}

async function refusalOf(broker: string, { status, body }: PinotAnswer): Promise<QuireError> {
  let text = '';
  const decoder = new TextDecoder(); // a character may be divided between two chunks
  for await (const chunk of body) {
    text += decoder.decode(chunk, { stream: true });
    if (text.length > failureBytesMax) break;
  }
  const code = unavailableStatuses.has(status) ? 'ENGINE_UNAVAILABLE' : 'QUERY_FAILED';
  return new QuireError(
    code,
    `Apache Pinot answers with HTTP ${status}: ${withoutInstances(text.slice(0, failureBytesMax))}`,
    {
      cause: at(broker, `HTTP ${status}: ${text.slice(0, failureBytesMax)}`),
    },
  );
}

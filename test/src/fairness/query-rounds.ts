import type { HealthResponse, RunningQueryList } from '@quire/api';
import type { BrokerOptions } from '@quire/broker';
import { TestBroker } from '../testkit/broker-server.ts';
import { until } from '../testkit/until.ts';

type Name = 'ann' | 'bob' | 'root';

/**
 * A broker whose queries run for exactly one round each: all running ones end together when a round
 * is over.
 */
export class QueryRounds implements AsyncDisposable {
  readonly broker: TestBroker;
  /** Calls that wait for the end of their query. */
  readonly #calls = new Set<Promise<unknown>>();
  readonly #hangUp = new AbortController();
  #askedCount = 0;

  private constructor(broker: TestBroker) {
    this.broker = broker;
  }

  static async open(options: Partial<BrokerOptions> = {}): Promise<QueryRounds> {
    return new QueryRounds(
      await TestBroker.start({ queriesRunningMax: 4, queriesQueuedMax: 64, ...options }),
    );
  }

  /** Starts queries one after the other and returns their ids; undefined where one was refused. */
  async start(as: Name, count: number): Promise<readonly (string | undefined)[]> {
    const ids: (string | undefined)[] = [];
    for (let index = 0; index < count; index += 1) {
      const answer = await this.broker.query(this.#sql(), '?doPaginate=true&async=true&wait=0s', {
        as,
      });
      ids.push(answer.status === 429 ? undefined : answer.json().requestId);
    }
    return ids;
  }

  /**
   * Starts queries concurrently, each with a call that lasts until its query has ended. Resolves
   * once each is running, queued or refused.
   */
  async flood(as: Name, count: number, sql = () => this.#sql()): Promise<void> {
    const before = await this.#countOf(as);
    let refusedCount = 0;
    let endedCount = 0;
    for (let index = 0; index < count; index += 1) {
      const call = this.broker
        .query(sql(), '?doPaginate=true', { as, signal: this.#hangUp.signal })
        .then(
          ({ status }) => {
            if (status === 429) refusedCount += 1;
            else endedCount += 1;
          },
          () => (endedCount += 1),
        );
      this.#calls.add(call);
      void call.finally(() => this.#calls.delete(call));
    }
    await until(
      async () => (await this.#countOf(as)) + refusedCount + endedCount >= before + count,
      `${count} queries of ${as} are under way`,
    );
  }

  /** Ends exactly the queries that run now; resolves once the next ones have reached the engine. */
  async endRound(): Promise<void> {
    const { engine } = this.broker;
    // Ended one by one, the oldest first: the order in which they release their slots is then the
    // same in every run.
    for (let count = engine.openCount; count > 0; count -= 1) {
      engine.resume();
      await this.settled();
    }
  }

  /** Resolves once every query that has a slot has reached the engine, and runs there. */
  async settled(): Promise<void> {
    const { engine } = this.broker;
    await until(async () => {
      const { queriesRunning } = (
        await this.broker.call('/health', { as: undefined })
      ).json<HealthResponse>();
      return engine.waitingCount === queriesRunning && engine.openCount === queriesRunning;
    }, 'queries with a slot run');
  }

  /**
   * Returns the rounds until each of these queries has ended, each of which must have been
   * admitted.
   */
  async roundsUntilEnded(
    as: Name,
    ids: readonly (string | undefined)[],
  ): Promise<readonly number[]> {
    const rounds = new Map<string, number>();
    for (const id of ids) {
      if (id === undefined) throw new Error(`A query of ${as} was refused.`);
      rounds.set(id, 0);
    }
    const left = new Set(rounds.keys());
    await this.settled();
    for (let round = 1; left.size > 0; round += 1) {
      if (round > 1000) {
        throw new Error(`${left.size} queries of ${as} have not ended after ${round} rounds.`);
      }
      await this.endRound();
      const inProgress = new Set((await this.list(as)).map(({ requestId }) => requestId));
      for (const id of left) {
        if (inProgress.has(id)) continue;
        rounds.set(id, round);
        left.delete(id);
      }
    }
    return [...rounds.values()];
  }

  async list(as: Name): Promise<RunningQueryList['queries']> {
    const { queries } = (await this.broker.call('/queries', { as })).json<RunningQueryList>();
    return queries.filter(({ owner }) => owner === as);
  }

  async cancelAll(as: Name): Promise<void> {
    const cancelled = (await this.list(as)).map(({ requestId }) =>
      this.broker.call(`/query/${requestId}`, { as, method: 'DELETE' }),
    );
    await Promise.all(cancelled);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#hangUp.abort();
    await Promise.all(this.#calls);
    await this.broker[Symbol.asyncDispose]();
  }

  /** Each requests another number of rows, so that no two are identical. */
  #sql(): string {
    this.#askedCount += 1;
    return `rows ${this.#askedCount} then wait`;
  }

  async #countOf(as: Name): Promise<number> {
    return (await this.list(as)).length;
  }
}

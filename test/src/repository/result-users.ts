import { systemClock } from '@quire/core';
import { until } from '../testkit/until.ts';

/** A result that a server has confirmed. Row `n` of it is `n * factor`. */
interface KnownResult {
  readonly id: string;
  readonly factor: number;
}

const rowCount = 5000;
const pageRowCount = 40;
const pagesPerResult = 20;
/** Users without pauses take the processor from the servers that start. */
const pauseMs = 50;

/**
 * Users that run queries and read pages of all results so far, at any of several addresses, and
 * record each wrong answer.
 */
export class ResultUsers {
  readonly failures: string[] = [];
  readonly #authorization: string;
  readonly #addresses: Set<string>;
  readonly #results: KnownResult[] = [];
  /** Rounds that each user has finished. */
  readonly #rounds: number[] = [0, 0, 0];
  /** The number of calls in progress, by address. */
  readonly #calls = new Map<string, number>();
  #pageCount = 0;
  #resentCount = 0;
  #turn = 0;
  #isStopped = false;
  #running: Promise<unknown> = Promise.resolve();

  private constructor(authorization: string, addresses: readonly string[]) {
    this.#authorization = authorization;
    this.#addresses = new Set(addresses);
  }

  /** Starts one user that stores results and two that read pages of them. */
  static start(authorization: string, addresses: readonly string[]): ResultUsers {
    const users = new ResultUsers(authorization, addresses);
    users.#running = Promise.all([
      users.#repeat(0, () => users.#store()),
      users.#repeat(1, () => users.#readAny()),
      users.#repeat(2, () => users.#readAny()),
    ]);
    return users;
  }

  get counts(): { readonly results: number; readonly pages: number; readonly resent: number } {
    return {
      results: this.#results.length,
      pages: this.#pageCount,
      resent: this.#resentCount,
    };
  }

  /** Resolves once each user has finished two more rounds, one of which started after the call. */
  async progress(): Promise<void> {
    const goals = this.#rounds.map((rounds) => rounds + 2);
    const isReached = (): boolean =>
      this.#rounds.every((rounds, index) => rounds >= (goals[index] ?? 0));
    await until(() => isReached() || this.failures.length > 0, 'all users have made further calls');
  }

  /** Sends no more calls to an address; resolves once those in progress have ended. */
  async leave(address: string): Promise<void> {
    this.#addresses.delete(address);
    await until(() => (this.#calls.get(address) ?? 0) === 0, `no call is under way at ${address}`);
  }

  /** Sends calls to an address. */
  join(address: string): void {
    this.#addresses.add(address);
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    await this.#running;
  }

  /** Reads a page of the first and of the last result at an address; returns the problems. */
  async misreadOf(address: string): Promise<readonly string[]> {
    const results = [this.#results.at(0), this.#results.at(-1)].filter(
      (result) => result !== undefined,
    );
    const problems = await Promise.all(results.map((result) => this.#read(address, result)));
    return problems.filter((problem) => problem !== undefined);
  }

  /** Reads each result whole at an address; returns the problems. */
  async lostAt(address: string): Promise<readonly string[]> {
    const problems: string[] = [];
    for (const result of this.#results) {
      const problem = await this.#read(address, result, { offset: 0, numRows: rowCount });
      if (problem !== undefined) problems.push(problem);
    }
    return problems;
  }

  async #repeat(user: number, round: () => Promise<string | undefined>): Promise<void> {
    while (!this.#isStopped && this.failures.length === 0) {
      const problem = await round();
      if (problem !== undefined) this.failures.push(problem);
      this.#rounds[user] = (this.#rounds[user] ?? 0) + 1;
      await systemClock.sleep(pauseMs);
    }
  }

  async #store(): Promise<string | undefined> {
    // Few results, so that all of them can be read whole in the end.
    const isDue = (): boolean => this.#pageCount >= this.#results.length * pagesPerResult;
    await until(() => isDue() || this.#isStopped, 'pages are read');
    const factor = this.#results.length + 1;
    const sql = `SELECT range * ${factor} AS n FROM range(${rowCount})`;
    const path = `/query/sql?doPaginate=true&numRows=${pageRowCount}`;
    const answer = await this.#call(this.#anyAddress(), path, { sql });
    // A proxy does not resend a query that fails because its broker stops; its user may do so.
    if (answer.status === 502 || answer.status === 503) {
      this.#resentCount += 1;
      return undefined;
    }
    if (answer.status !== 200) return `${sql}: ${answer.status} ${answer.text}`;
    const { requestId, exceptions, numRowsResultSet } = JSON.parse(answer.text) as {
      readonly requestId: string;
      readonly exceptions: readonly unknown[];
      readonly numRowsResultSet: number;
    };
    if (exceptions.length > 0 || numRowsResultSet !== rowCount) return `${sql}: ${answer.text}`;
    this.#results.push({ id: requestId, factor });
    return undefined;
  }

  async #readAny(): Promise<string | undefined> {
    // The first query has not been answered yet.
    await until(() => this.#results.length > 0 || this.#isStopped, 'there is a result');
    const result = this.#results[this.#pageCount % this.#results.length];
    return result && (await this.#read(this.#anyAddress(), result));
  }

  /** Returns the problem of a page; undefined if it has exactly its rows. */
  async #read(
    address: string,
    { id, factor }: KnownResult,
    page?: { readonly offset: number; readonly numRows: number },
  ): Promise<string | undefined> {
    this.#pageCount += 1;
    const { offset, numRows } = page ?? {
      offset: (this.#pageCount * 997) % (rowCount - pageRowCount),
      numRows: pageRowCount,
    };
    const path = `/query/${id}/results?offset=${offset}&numRows=${numRows}`;
    const { status, text } = await this.#call(address, path);
    if (status !== 200) return `${path}: ${status} ${text}`;
    const { resultTable } = JSON.parse(text) as { resultTable: { rows: unknown } };
    const rows = Array.from({ length: numRows }, (_, index) => [(offset + index) * factor]);
    if (JSON.stringify(resultTable.rows) === JSON.stringify(rows)) return undefined;
    return `${path} has other rows: ${text.slice(0, 300)}`;
  }

  #anyAddress(): string {
    const addresses = [...this.#addresses];
    this.#turn += 1;
    return addresses[this.#turn % addresses.length] ?? '';
  }

  async #call(
    address: string,
    path: string,
    body?: object,
  ): Promise<{ readonly status: number; readonly text: string }> {
    this.#calls.set(address, (this.#calls.get(address) ?? 0) + 1);
    try {
      const response = await fetch(`${address}${path}`, {
        headers: {
          authorization: this.#authorization,
          ...(body !== undefined && { 'content-type': 'application/json' }),
        },
        ...(body !== undefined && { method: 'POST', body: JSON.stringify(body) }),
      });
      return { status: response.status, text: await response.text() };
    } catch (error) {
      return { status: 0, text: String((error as Error).cause ?? error) };
    } finally {
      this.#calls.set(address, (this.#calls.get(address) ?? 0) - 1);
    }
  }
}

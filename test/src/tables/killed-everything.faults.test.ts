import { utimes } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { ControllerHealthResponse, CursorResponse, RestreamResponse } from '@quire/api';
import { systemClock } from '@quire/core';
import { SeededRandom } from '@quire/core/testing';
import { yieldToEventLoop } from '@quire/core/wait';
import { expect, test, vi } from 'vitest';
import { quireHere } from '../testkit/cli-process.ts';
import { filesBelow } from '../testkit/files-below.ts';
import { patience, until } from '../testkit/until.ts';
import { eventSchema, eventTable, Events, fileStream, LiveTables, token } from './live-tables.ts';

/** QUIRE_SERVER_KILLS=30 for the long trial. */
const killCount = Number(process.env['QUIRE_SERVER_KILLS'] ?? 2);
const names = ['events', 'second', 'third'] as const;
const rowCountMax = 60_000;

/** Small and short-lived results: sweeps evict and expire all the time. */
const settings = (home: string): Record<string, string> => ({
  'engine.broker.pagination.protocol': 'file',
  'engine.broker.pagination.file.data.dir': join(home, 'results'),
  'engine.broker.pagination.file.enableStorageCleaner': 'true',
  'engine.broker.pagination.file.maxStoragePerBrokerMB': '2',
  'engine.broker.pagination.expiration': '4s',
  // On a loaded machine, queries take longer than the default.
  'engine.broker.query.timeout': '10m',
  'controller.cluster.pagination.cleaner.initialDelay': '0s',
  'controller.cluster.pagination.cleaner.frequencyPeriod': '1s',
});

/** Writers and readers of one server, which may be killed at any moment. */
class Traffic {
  readonly wrong: unknown[] = [];
  pageCount = 0;
  goneCount = 0;
  storedCount = 0;
  readonly #tables: LiveTables;
  readonly #stored = new Map<string, number>();
  #isOver = false;
  readonly #all: Promise<unknown>;

  constructor(tables: LiveTables) {
    this.#tables = tables;
    this.#all = Promise.all([
      this.#write(1),
      this.#write(2),
      this.#read(3),
      this.#read(4),
      this.#ask(),
    ]);
  }

  /** The number of calls that were answered correctly. */
  get answerCount(): number {
    return this.pageCount + this.goneCount + this.storedCount;
  }

  async end(): Promise<void> {
    this.#isOver = true;
    await this.#all;
  }

  /** Makes one call after the other. A killed server answers nothing, or not to the end. */
  async #each(call: () => Promise<void>): Promise<void> {
    while (!this.#isOver) {
      try {
        await call();
      } catch (error) {
        if (!(error instanceof TypeError) && !(error instanceof SyntaxError)) {
          this.wrong.push(error);
        }
      }
      await yieldToEventLoop();
    }
  }

  async #write(seed: number): Promise<void> {
    const random = new SeededRandom(seed);
    await this.#each(async () => {
      const rowCount = 1000 + Math.floor(random.fraction() * (rowCountMax - 1000));
      const sql = `SELECT r AS n FROM range(${rowCount}) t(r)`;
      const answer = await this.#tables.call(
        'POST',
        '/query/sql?doPaginate=true&numRows=1',
        { sql },
        'broker',
      );
      const { requestId, exceptions } = (await answer.json()) as CursorResponse;
      const [exception] = exceptions ?? [];
      // 245: no sweep can free space now; 503: the server is shutting down.
      if (answer.status !== 200 || (exception !== undefined && exception.errorCode !== 245)) {
        if (answer.status !== 429 && answer.status !== 503) {
          this.wrong.push({ status: answer.status, exception });
        }
        return;
      }
      if (exception !== undefined) return;
      this.storedCount += 1;
      this.#stored.set(requestId, rowCount);
      if (this.#stored.size > 100) this.#stored.delete([...this.#stored.keys()][0] ?? '');
    });
  }

  /**
   * Checks that a page is correct, or that its result no longer exists. This includes results that
   * were committed before a kill.
   */
  async #read(seed: number): Promise<void> {
    const random = new SeededRandom(seed);
    await this.#each(async () => {
      const known = [...this.#stored];
      const [requestId, rowCount] = known[Math.floor(random.fraction() * known.length)] ?? [];
      if (requestId === undefined || rowCount === undefined) return;
      const offset = Math.floor(random.fraction() * rowCount);
      const page = `/query/${requestId}/results?offset=${offset}&numRows=200`;
      const answer = await this.#tables.call('GET', page, undefined, 'broker');
      const body = (await answer.json()) as CursorResponse;
      if (answer.status === 404 || answer.status === 410) this.goneCount += 1;
      else if (answer.status === 200) {
        this.pageCount += 1;
        const expected = Array.from({ length: Math.min(200, rowCount - offset) }, (_, row) => [
          offset + row,
        ]);
        if (JSON.stringify(body.resultTable.rows) !== JSON.stringify(expected)) {
          this.wrong.push({ requestId, offset });
        }
      } else if (answer.status !== 429 && answer.status !== 503) {
        this.wrong.push({ page, status: answer.status, body });
      }
    });
  }

  /** No table, and no copy in progress, ever has a row twice. */
  async #ask(): Promise<void> {
    const all = names.flatMap((name) => [name, `copy_${name}`]);
    for (let turn = 0; !this.#isOver; turn += 1) {
      const table = all[turn % all.length] ?? '';
      try {
        const [[rows, ids] = []] = await this.#tables.ask(
          `SELECT count(*), count(DISTINCT id) FROM ${table}`,
        );
        if (rows !== ids) this.wrong.push({ table, rows, ids });
      } catch {
        // The copy does not exist yet, or the server is down.
        await yieldToEventLoop();
      }
    }
  }
}

test(
  `${names.length} restreams, sweeps and evictions go on through ${killCount} kills: nothing is lost, doubled or left behind`,
  { timeout: 240_000 + killCount * 30_000 },
  async () => {
    const random = new SeededRandom(11);
    await using tables = await LiveTables.open(settings);
    await using producer = await tables.producer();
    const events = new Events();
    await events.write(producer, 6000);
    for (const name of names) {
      await tables.create('/schemas', { ...eventSchema, schemaName: name });
      await tables.create('/tables', { ...eventTable(fileStream), tableName: name });
    }
    for (const name of names) {
      await tables.create(
        `/tables/${name}_REALTIME/restream?destTableNameWithType=copy_${name}_REALTIME`,
      );
    }
    const traffic = new Traffic(tables);
    try {
      for (let kill = 0; kill < killCount; kill += 1) {
        const start = traffic.answerCount;
        const wanted = 5 + Math.floor(random.fraction() * 40);
        await until(
          () => traffic.answerCount >= start + wanted,
          'the server has answered some calls',
        );
        await tables.kill();
        await tables.start();
        await events.write(producer, 100);
      }
      await until(() => traffic.goneCount > 0, 'results have gone');
    } finally {
      await traffic.end();
    }
    expect(traffic.wrong).toEqual([]);
    expect(traffic.pageCount).toBeGreaterThan(0);
    const jobs = async () => {
      const { restreams } = (await (await tables.call('GET', '/restreams')).json()) as {
        restreams: readonly RestreamResponse[];
      };
      return restreams.map(({ status, error }) => [status, error]);
    };
    await expect.poll(() => jobs()).toEqual(names.map(() => ['DONE', null]));
    const all = events.count;
    const summary = (table: string) =>
      tables.ask(`SELECT count(*), count(DISTINCT id), sum(hash(id, amount, ts)) FROM ${table}`);
    for (const name of names) {
      await expect.poll(async () => (await summary(name))[0]?.slice(0, 2)).toEqual([all, all]);
      await vi.waitFor(
        async () => expect(await summary(`copy_${name}`)).toEqual(await summary(name)),
        patience,
      );
    }
    const health = (await (await tables.call('GET', '/health')).json()) as ControllerHealthResponse;
    expect(health).toMatchObject({ status: 'ok', problemCount: 0 });
    // All have expired, sweeps have deleted them, and staged files of killed processes are gone.
    const results = join(tables.home, 'results');
    await expect
      .poll(async () =>
        (await filesBelow(results)).filter((path) => /\.json$|\.staging\/./.test(path)),
      )
      .toEqual([]);
    // Data remains whose commit record a killed process had not yet written, or had just deleted,
    // until it has been so for the grace period of orphans, an hour: at most that of two writers
    // and of the deletions of a sweep (engine.cleaner.concurrency) at each kill.
    expect((await filesBelow(results)).length).toBeLessThanOrEqual(killCount * (2 + 16));
    await tables.kill();
    const then = new Date(systemClock.nowMs() - 2 * 3_600_000);
    for (const path of await filesBelow(results)) {
      await utimes(path, then, then);
      await utimes(dirname(path), then, then);
    }
    const config = join(tables.home, 'quire.properties');
    expect(
      await quireHere(['cleaner', '--once', '--config', config], {
        variables: { ANN_TOKEN: token },
      }),
    ).toMatchObject({ exitCode: 0, stderr: '' });
    expect(await filesBelow(results)).toEqual([]);
  },
);

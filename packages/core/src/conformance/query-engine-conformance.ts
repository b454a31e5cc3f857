import type { RecordBatch } from 'apache-arrow';
import { describe, expect, test } from 'vitest';
import { QuireError } from '../errors.ts';
import type { Query, QueryEngine, QueryExecution } from '../query-engine.ts';
import { expectRejection } from './store-expectations.ts';

/** Queries in the engine's own SQL, since the port does not know it. */
export interface EngineQueries {
  /** Gives the integers from 0 to 99,999, in order, in one column named `n`. */
  readonly numbers: string;
  /** Gives no row, in the columns of `numbers`. */
  readonly noRows: string;
  /** Gives rows for as long as anybody reads them: longer than the test wants to wait. */
  readonly endless: string;
  /** Gives the value of its one parameter, by position. Undefined: the engine has no parameters. */
  readonly parameter?: string;
  /** Cannot be parsed. */
  readonly syntaxError: string;
  /** Reads a table that is not there. */
  readonly missingTable: string;
}

/** An engine of its own for one test. */
export interface EngineFixture extends AsyncDisposable {
  readonly engine: QueryEngine;
  readonly queries: EngineQueries;
}

/** Opens an engine. Each test opens its own, and disposes it. */
export type OpenEngineFixture = () => Promise<EngineFixture>;

const rowCount = 100_000;
const limits = { timeoutMs: 60_000 };

/** Holds an engine to every sentence of the port `QueryEngine`; a new engine hands itself to this. */
export function describeQueryEngine(name: string, open: OpenEngineFixture): void {
  describe(name, () => {
    describeAnswers(open);
    describeParameters(open);
    describeFailures(open);
    describeStopping(open);
  });
}

function describeAnswers(open: OpenEngineFixture): void {
  describe('an answer', () => {
    test('comes in order, in batches of the schema that was told first', async () => {
      await using fixture = await open();
      await using execution = await run(fixture, fixture.queries.numbers);
      expect(execution.schema.fields.map((field) => field.name)).toEqual(['n']);
      let next = 0;
      for await (const batch of execution.batches) {
        expect(String(batch.schema.fields[0]?.type)).toBe(String(execution.schema.fields[0]?.type));
        for (const value of numbersIn(batch)) {
          if (value !== next) expect.fail(`Row ${next} has the value ${value}.`);
          next += 1;
        }
      }
      expect(next).toBe(rowCount);
    });

    test('of no rows has its columns all the same', async () => {
      await using fixture = await open();
      await using execution = await run(fixture, fixture.queries.noRows);
      expect(execution.schema.fields.map((field) => field.name)).toEqual(['n']);
      expect(await countRows(execution)).toBe(0);
    });

    test('leaves a batch to its reader: what is read later does not change it', async () => {
      await using fixture = await open();
      await using execution = await run(fixture, fixture.queries.numbers);
      const batches: RecordBatch[] = [];
      for await (const batch of execution.batches) batches.push(batch);
      expect(batches.flatMap((batch) => numbersIn(batch)[0] ?? [])).toEqual(startsOf(batches));
    });

    test('of one query is not disturbed by another one', async () => {
      await using fixture = await open();
      const executions = await Promise.all([1, 2, 3].map(() => run(fixture, fixture.queries.numbers)));
      expect(await Promise.all(executions.map(countRows))).toEqual([rowCount, rowCount, rowCount]);
      for (const execution of executions) await execution[Symbol.asyncDispose]();
    });

    test('has statistics that claim nothing impossible', async () => {
      await using fixture = await open();
      await using execution = await run(fixture, fixture.queries.numbers);
      await countRows(execution);
      const statistics = execution.statistics();
      const { elapsedMs, cpuTimeNs, rowsScanned, rowsTotal, tables } = statistics;
      expect(elapsedMs).toBeGreaterThanOrEqual(0);
      for (const count of [cpuTimeNs, rowsScanned, rowsTotal]) expect(count ?? 0).toBeGreaterThanOrEqual(0);
      expect(Array.isArray(tables)).toBe(true);
      expect(execution.statistics()).toEqual(statistics);
    });
  });
}

function describeParameters(open: OpenEngineFixture): void {
  describe('a parameter', () => {
    test('is a value, whatever its text says', async (context) => {
      await using fixture = await open();
      const { parameter } = fixture.queries;
      if (parameter === undefined) return context.skip('The engine has no parameters.');
      const value = `'); DROP TABLE t; -- "`;
      await using execution = await run(fixture, { sql: parameter, parameters: [{ type: 'STRING', value }] });
      const cells: unknown[] = [];
      for await (const batch of execution.batches) cells.push(batch.getChildAt(0)?.get(0));
      expect(cells).toEqual([value]);
    });

    test('without a value, and a value without a parameter, are QUERY_INVALID', async (context) => {
      await using fixture = await open();
      const { parameter: sql, numbers } = fixture.queries;
      if (sql === undefined) return context.skip('The engine has no parameters.');
      const value = { type: 'INT', value: 1 } as const;
      await expectRejection(run(fixture, { sql }), 'QUERY_INVALID');
      await expectRejection(run(fixture, { sql, parameters: [value, value] }), 'QUERY_INVALID');
      await expectRejection(run(fixture, { sql: numbers, parameters: [value] }), 'QUERY_INVALID');
    });
  });
}

function describeFailures(open: OpenEngineFixture): void {
  describe('a query fails', () => {
    test('with QUERY_SYNTAX when it cannot be parsed, with TABLE_NOT_FOUND when a table is not there', async () => {
      await using fixture = await open();
      await expectRejection(run(fixture, fixture.queries.syntaxError), 'QUERY_SYNTAX');
      await expectRejection(run(fixture, fixture.queries.missingTable), 'TABLE_NOT_FOUND');
      await using execution = await run(fixture, fixture.queries.numbers);
      expect(await countRows(execution)).toBe(rowCount);
    });

    test('with QUERY_TIMED_OUT once it has run for longer than it may', async () => {
      await using fixture = await open();
      const execution = fixture.engine.execute({ sql: fixture.queries.endless }, { limits: { timeoutMs: 50 } });
      await expectRejection(execution.then(countRows), 'QUERY_TIMED_OUT');
    });
  });
}

function describeStopping(open: OpenEngineFixture): void {
  describe('stopping', () => {
    test('a signal that is aborted already starts nothing', async () => {
      await using fixture = await open();
      await expectRejection(run(fixture, fixture.queries.endless, AbortSignal.abort()), 'ABORTED');
    });

    test('a signal ends a query in mid-stream, with the QuireError that it was aborted with', async () => {
      await using fixture = await open();
      const aborting = new AbortController();
      await using execution = await run(fixture, fixture.queries.endless, aborting.signal);
      const reason = new QuireError('QUERY_CANCELLED', 'Enough.');
      const reading = async (): Promise<void> => {
        for await (const _ of execution.batches) aborting.abort(reason);
      };
      await expect(reading()).rejects.toBe(reason);
    });

    test('a reader may leave, dispose, and dispose again; the engine goes on', async () => {
      await using fixture = await open();
      const execution = await run(fixture, fixture.queries.endless);
      for await (const _ of execution.batches) break;
      await execution[Symbol.asyncDispose]();
      await execution[Symbol.asyncDispose]();
      await (await run(fixture, fixture.queries.endless))[Symbol.asyncDispose]();
      await using next = await run(fixture, fixture.queries.numbers);
      expect(await countRows(next)).toBe(rowCount);
    });

    test('disposing the engine ends what runs, and starts nothing any more', async () => {
      await using fixture = await open();
      const { engine, queries } = fixture;
      const execution = await run(fixture, queries.endless);
      await engine[Symbol.asyncDispose]();
      await engine[Symbol.asyncDispose]();
      await expectRejection(countRows(execution), 'SHUTTING_DOWN');
      await expectRejection(run(fixture, queries.numbers), 'SHUTTING_DOWN');
    });
  });
}

function run({ engine }: EngineFixture, query: Query | string, signal?: AbortSignal): Promise<QueryExecution> {
  return engine.execute(typeof query === 'string' ? { sql: query } : query, { signal, limits });
}

async function countRows(execution: QueryExecution): Promise<number> {
  let count = 0;
  for await (const batch of execution.batches) count += batch.numRows;
  return count;
}

function numbersIn(batch: RecordBatch): readonly number[] {
  return Array.from(batch.getChildAt(0) ?? [], Number);
}

function startsOf(batches: readonly RecordBatch[]): readonly number[] {
  let start = 0;
  return batches
    .filter((batch) => batch.numRows > 0)
    .map((batch) => {
      start += batch.numRows;
      return start - batch.numRows;
    });
}

import type { RecordBatch } from 'apache-arrow';
import { expect } from 'vitest';
import { systemClock } from '../system-clock.ts';
import { type CaseLimits, casesOf, describeCases } from './conformance-case.ts';
import type { EngineCase, OpenEngineFixture } from './query-engine-fixture.ts';
import { countRows, readUntilFailure, rowCount, run } from './running-query.ts';
import { stoppingCases } from './stopping-conformance.ts';
import { expectRejection } from './store-expectations.ts';

/**
 * Tests an engine against every sentence of the port `QueryEngine`. A new engine is passed to this
 * function.
 */
export function describeQueryEngine(
  name: string,
  open: OpenEngineFixture,
  limits: CaseLimits = {},
): void {
  describeCases(name, queryEngineCases(), open, limits);
}

/** Returns one case for each sentence of the port `QueryEngine`, for other test runners. */
export function queryEngineCases(): readonly EngineCase[] {
  return [...answerCases, ...parameterCases, ...failureCases, ...stoppingCases];
}

const answerCases: readonly EngineCase[] = casesOf<OpenEngineFixture>('an answer', (test) => {
  test('arrives in order, in batches of the schema that was announced', async (open) => {
    await using fixture = await open();
    await using execution = await run(fixture, fixture.queries.numbers);
    expect(execution.schema.fields.map((field) => field.name)).toEqual(['n']);
    let next = 0;
    for await (const batch of execution.batches) {
      expect(batch.schema.fields.map(String)).toEqual(execution.schema.fields.map(String));
      expect(batch.numCols).toBe(1);
      for (const value of numbersIn(batch)) {
        if (value !== next) expect.fail(`Row ${next} has the value ${value}.`);
        next += 1;
      }
    }
    expect(next).toBe(rowCount);
  });

  test('without rows still has its columns', async (open) => {
    await using fixture = await open();
    await using execution = await run(fixture, fixture.queries.noRows);
    expect(execution.schema.fields.map((field) => field.name)).toEqual(['n']);
    expect(await countRows(execution)).toBe(0);
  });

  test('leaves a batch to its reader: later reads do not change it', async (open) => {
    await using fixture = await open();
    await using execution = await run(fixture, fixture.queries.numbers);
    const batches: RecordBatch[] = [];
    for await (const batch of execution.batches) batches.push(batch);
    expect(batches.flatMap((batch) => numbersIn(batch)[0] ?? [])).toEqual(startsOf(batches));
  });

  test('of one query is not disturbed by another query', async (open) => {
    await using fixture = await open();
    const executions = await Promise.all(
      [1, 2, 3].map(() => run(fixture, fixture.queries.numbers)),
    );
    expect(await Promise.all(executions.map(countRows))).toEqual([rowCount, rowCount, rowCount]);
    for (const execution of executions) await execution[Symbol.asyncDispose]();
  });

  test('is the same with options that the engine does not know, paginated or not', async (open) => {
    await using fixture = await open();
    const sql = fixture.queries.numbers;
    for (const query of [
      { sql, options: { 'no.such.option': 'x', limit: '1' } },
      { sql, isPaginated: true },
    ]) {
      await using execution = await run(fixture, query);
      expect(await countRows(execution)).toBe(rowCount);
    }
  });

  test('has the version of its tables, if the engine has versions', async (open) => {
    await using fixture = await open();
    const { engine, queries } = fixture;
    const versions = [];
    for (let turn = 0; turn < 2; turn += 1) {
      await using execution = await run(fixture, queries.numbers);
      await countRows(execution);
      versions.push(execution.dataVersion);
      if (execution.dataVersion === undefined) continue;
      expect(execution.dataVersion).not.toBe('');
      const ofTables = await engine.dataVersion?.(execution.statistics().tables);
      expect([undefined, execution.dataVersion]).toContain(ofTables);
    }
    expect(versions[1]).toBe(versions[0]);
  });

  test('has plausible statistics', async (open) => {
    await using fixture = await open();
    const startMs = systemClock.monotonicMs();
    await using execution = await run(fixture, fixture.queries.numbers);
    expect(execution.statistics().elapsedMs).toBeGreaterThanOrEqual(0);
    await countRows(execution);
    const statistics = execution.statistics();
    // Clocks of remote engines may be slightly ahead; a wrong unit would differ by a factor of
    // 1,000.
    expect(statistics.elapsedMs).toBeLessThanOrEqual(
      (systemClock.monotonicMs() - startMs) * 1.1 + 50,
    );
    const { elapsedMs, cpuTimeNs, rowsScanned, rowsTotal, tables } = statistics;
    expect(elapsedMs).toBeGreaterThanOrEqual(0);
    for (const count of [cpuTimeNs, rowsScanned, rowsTotal]) {
      expect(count ?? 0).toBeGreaterThanOrEqual(0);
    }
    expect(tables.every((table) => typeof table === 'string')).toBe(true);
    expect(execution.statistics()).toEqual(statistics);
  });
});

const parameterCases: readonly EngineCase[] = casesOf<OpenEngineFixture>('a parameter', (test) => {
  test('is a value, whatever text it contains', async (open, context) => {
    await using fixture = await open();
    const { parameter } = fixture.queries;
    if (parameter === undefined) return context.skip('The engine has no parameters.');
    const value = `'); DROP TABLE t; -- "`;
    await using execution = await run(fixture, {
      sql: parameter,
      parameters: [{ type: 'STRING', value }],
    });
    const cells: unknown[] = [];
    for await (const batch of execution.batches) cells.push(batch.getChildAt(0)?.get(0));
    expect(cells).toEqual([value]);
  });

  test('without a value, and a value without a parameter, are QUERY_INVALID', async (open, context) => {
    await using fixture = await open();
    const { parameter: sql, numbers } = fixture.queries;
    if (sql === undefined) return context.skip('The engine has no parameters.');
    const value = { type: 'INT', value: 1 } as const;
    await expectRejection(run(fixture, { sql }), 'QUERY_INVALID');
    await expectRejection(run(fixture, { sql, parameters: [value, value] }), 'QUERY_INVALID');
    await expectRejection(run(fixture, { sql: numbers, parameters: [value] }), 'QUERY_INVALID');
  });
});

const failureCases: readonly EngineCase[] = casesOf<OpenEngineFixture>('a query fails', (test) => {
  test('with QUERY_SYNTAX when it cannot be parsed, with TABLE_NOT_FOUND when a table does not exist', async (open) => {
    await using fixture = await open();
    await expectRejection(run(fixture, fixture.queries.syntaxError), 'QUERY_SYNTAX');
    await expectRejection(run(fixture, fixture.queries.missingTable), 'TABLE_NOT_FOUND');
    await using execution = await run(fixture, fixture.queries.numbers);
    expect(await countRows(execution)).toBe(rowCount);
  });

  test('with COLUMN_NOT_FOUND when its table has no such column', async (open, context) => {
    await using fixture = await open();
    const { missingColumn } = fixture.queries;
    if (missingColumn === undefined) return context.skip('The engine has tables of any column.');
    await expectRejection(run(fixture, missingColumn), 'COLUMN_NOT_FOUND');
  });

  test('with QUERY_FAILED when it fails while it runs, and other queries continue', async (open, context) => {
    await using fixture = await open();
    const { runtimeFailure, numbers } = fixture.queries;
    if (runtimeFailure === undefined) {
      return context.skip('No query of the engine fails while it runs.');
    }
    await using other = await run(fixture, numbers);
    await expectRejection(run(fixture, runtimeFailure).then(countRows), 'QUERY_FAILED');
    expect(await countRows(other)).toBe(rowCount);
  });

  test('with QUERY_TIMED_OUT once it has exceeded its timeout', async (open, { patienceMs }) => {
    await using fixture = await open();
    const execution = fixture.engine.execute(
      { sql: fixture.queries.endless },
      { limits: { timeoutMs: 50 } },
    );
    await expectRejection(readUntilFailure(execution, patienceMs), 'QUERY_TIMED_OUT');
    await using next = await run(fixture, fixture.queries.numbers);
    expect(await countRows(next)).toBe(rowCount);
  });
});

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

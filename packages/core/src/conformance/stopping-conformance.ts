import { expect } from 'vitest';
import { QuireError } from '../errors.ts';
import { systemClock } from '../system-clock.ts';
import { casesOf } from './conformance-case.ts';
import type { EngineCase, OpenEngineFixture } from './query-engine-fixture.ts';
import { countRows, readUntilFailure, rowCount, run } from './running-query.ts';
import { expectRejection } from './store-expectations.ts';

/** The cases for signals and disposal. */
export const stoppingCases: readonly EngineCase[] = casesOf<OpenEngineFixture>(
  'stopping',
  (test) => {
    test('an already aborted signal starts nothing', async (open) => {
      await using fixture = await open();
      await expectRejection(run(fixture, fixture.queries.endless, AbortSignal.abort()), 'ABORTED');
    });

    test('an already aborted signal rejects with the QuireError that it was aborted with', async (open) => {
      await using fixture = await open();
      const reason = new QuireError('QUERY_CANCELLED', 'Enough.');
      await expect(run(fixture, fixture.queries.endless, AbortSignal.abort(reason))).rejects.toBe(
        reason,
      );
    });

    test('a signal ends a query mid-stream, with the QuireError that it was aborted with', async (open, {
      patienceMs,
    }) => {
      await using fixture = await open();
      const aborting = new AbortController();
      await using execution = await run(fixture, fixture.queries.endless, aborting.signal);
      const reason = new QuireError('QUERY_CANCELLED', 'Enough.');
      await expect(
        readUntilFailure(execution, patienceMs, () => aborting.abort(reason)),
      ).rejects.toBe(reason);
    });

    test('a signal ends a query that is not being read yet, and no other one', async (open, {
      patienceMs,
    }) => {
      await using fixture = await open();
      const aborting = new AbortController();
      await using execution = await run(fixture, fixture.queries.endless, aborting.signal);
      await using other = await run(fixture, fixture.queries.numbers);
      aborting.abort();
      await expectRejection(readUntilFailure(execution, patienceMs), 'ABORTED');
      expect(await countRows(other)).toBe(rowCount);
    });

    test('a signal that is aborted after the answer has no effect', async (open) => {
      await using fixture = await open();
      const aborting = new AbortController();
      await using execution = await run(fixture, fixture.queries.numbers, aborting.signal);
      expect(await countRows(execution)).toBe(rowCount);
      aborting.abort();
      expect(execution.statistics().elapsedMs).toBeGreaterThanOrEqual(0);
      await using next = await run(fixture, fixture.queries.numbers);
      expect(await countRows(next)).toBe(rowCount);
    });

    test('a reader may leave, dispose, and dispose again; the engine continues', async (open) => {
      await using fixture = await open();
      const execution = await run(fixture, fixture.queries.endless);
      for await (const _ of execution.batches) break;
      await execution[Symbol.asyncDispose]();
      await execution[Symbol.asyncDispose]();
      await (await run(fixture, fixture.queries.endless))[Symbol.asyncDispose]();
      await using next = await run(fixture, fixture.queries.numbers);
      expect(await countRows(next)).toBe(rowCount);
    });

    test('a disposed query yields nothing more', async (open, { patienceMs }) => {
      await using fixture = await open();
      const execution = await run(fixture, fixture.queries.endless);
      const batches = execution.batches[Symbol.asyncIterator]();
      await batches.next();
      await execution[Symbol.asyncDispose]();
      const startMs = systemClock.monotonicMs();
      for (;;) {
        // The port allows either an end or a failure.
        const step = await batches.next().catch(() => ({ done: true }));
        if (step.done === true) return;
        expect(systemClock.monotonicMs() - startMs).toBeLessThan(patienceMs);
        await new Promise((resolve) => setImmediate(resolve));
      }
    });

    test('disposing the engine ends running queries and starts no new ones', async (open, {
      patienceMs,
    }) => {
      await using fixture = await open();
      const { engine, queries } = fixture;
      const execution = await run(fixture, queries.endless);
      await engine[Symbol.asyncDispose]();
      await engine[Symbol.asyncDispose]();
      await expectRejection(readUntilFailure(execution, patienceMs), 'SHUTTING_DOWN');
      await expectRejection(run(fixture, queries.numbers), 'SHUTTING_DOWN');
    });
  },
);

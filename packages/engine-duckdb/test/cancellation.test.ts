import { QuireError } from '@quire/core';
import { ManualClock } from '@quire/core/testing';
import { describe, expect, onTestFinished, test } from 'vitest';
import { TestEngine } from './test-engine.ts';

/** Runs for hours before its first row. */
const endlessBeforeFirstRow = 'SELECT count(DISTINCT hash(i)) FROM range(1000000000000) AS t(i)';
/** Returns rows for hours. */
const endlessRows = 'SELECT i FROM range(1000000000000) AS t(i)';

async function openEngine(
  clock = new ManualClock(),
): Promise<{ db: TestEngine; clock: ManualClock }> {
  const db = await TestEngine.open({ clock });
  onTestFinished(() => db[Symbol.asyncDispose]());
  return { db, clock };
}

/** Lets I/O, and with it DuckDB's threads, proceed for a few iterations of the event loop. */
async function turns(count: number): Promise<void> {
  for (let turn = 0; turn < count; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}

describe('a query that is aborted', () => {
  test('a query that is aborted before it starts does not start', async () => {
    const { db, clock } = await openEngine();

    await expect(db.execute(endlessBeforeFirstRow, AbortSignal.abort())).rejects.toMatchObject({
      code: 'ABORTED',
    });
    expect(clock.sleeperCount).toBe(0);
  });

  test('a query that is aborted at any moment before its first row ends, and leaves no timer', async () => {
    const { db, clock } = await openEngine();
    for (const count of [0, 1, 2, 3, 5, 8, 13, 50, 1000]) {
      const aborting = new AbortController();
      const execution = db.execute(endlessBeforeFirstRow, aborting.signal);
      execution.catch(() => undefined);
      await turns(count);
      aborting.abort();
      await expect(execution).rejects.toMatchObject({
        code: 'ABORTED',
        message: 'The call was aborted by its caller.',
      });
    }
    await db.engine[Symbol.asyncDispose]();
    expect(clock.sleeperCount).toBe(0);
  });

  test('a query that is aborted in mid-stream ends at the next batch, with the reason that was given', async () => {
    const { db } = await openEngine();
    const aborting = new AbortController();
    const execution = await db.execute(endlessRows, aborting.signal);
    const batches = execution.batches[Symbol.asyncIterator]();
    expect((await batches.next()).value.numRows).toBe(2048);
    aborting.abort(new QuireError('QUERY_CANCELLED', 'Enough.'));

    await expect(batches.next()).rejects.toMatchObject({
      code: 'QUERY_CANCELLED',
      message: 'Enough.',
    });
    await expect(batches.next()).resolves.toEqual({ done: true, value: undefined });
  });

  test('a query that is aborted does not disturb those beside it', async () => {
    const { db } = await openEngine();
    const aborting = new AbortController();
    const endless = [1, 2, 3].map(() => db.execute(endlessBeforeFirstRow, aborting.signal));
    const other = db.answer('SELECT sum(i) FROM range(3000000) AS t(i)');
    for (const execution of endless) execution.catch(() => undefined);
    await turns(20);
    aborting.abort();

    for (const execution of endless) {
      await expect(execution).rejects.toMatchObject({ code: 'ABORTED' });
    }
    expect((await other).rows()).toEqual([['4499998500000']]);
  });
});

describe('a time limit', () => {
  const limits = { timeoutMs: 1000 };

  test('a time limit ends a query that has not given its first row', async () => {
    const { db, clock } = await openEngine();
    const execution = db.engine.execute({ sql: endlessBeforeFirstRow }, { limits });
    execution.catch(() => undefined);
    await clock.untilSleeping();
    await clock.advance(1000);

    await expect(execution).rejects.toMatchObject({
      code: 'QUERY_TIMED_OUT',
      message: 'The query exceeded its timeout of 1000 ms.',
    });
  });

  test('a time limit ends a query whose reader is slow, when it comes back', async () => {
    const { db, clock } = await openEngine();
    const execution = await db.engine.execute({ sql: endlessRows }, { limits });
    const batches = execution.batches[Symbol.asyncIterator]();
    await batches.next();
    await clock.advance(999);
    expect((await batches.next()).done).toBe(false);
    await clock.advance(1);

    await expect(batches.next()).rejects.toMatchObject({ code: 'QUERY_TIMED_OUT' });
    expect(execution.statistics().elapsedMs).toBe(1000);
    expect(clock.sleeperCount).toBe(0);
  });

  test('a time limit is forgotten once the query is done', async () => {
    const { db, clock } = await openEngine();
    const execution = await db.engine.execute({ sql: 'SELECT 1' }, { limits });
    expect(clock.sleeperCount).toBe(1);
    let rowCount = 0;
    for await (const batch of execution.batches) rowCount += batch.numRows;

    expect(rowCount).toBe(1);
    expect(clock.sleeperCount).toBe(0);
    await clock.advance(5000);
    expect(execution.statistics().elapsedMs).toBe(0);
  });
});

describe('a reader', () => {
  test('a reader may leave early, and dispose what it left', async () => {
    const { db, clock } = await openEngine();
    await using execution = await db.execute(endlessRows);
    for await (const batch of execution.batches) {
      expect(batch.numRows).toBe(2048);
      break;
    }

    expect(clock.sleeperCount).toBe(0);
  });

  test('a reader need not read at all', async () => {
    const { db, clock } = await openEngine();
    const execution = await db.execute(endlessRows);
    await execution[Symbol.asyncDispose]();
    await execution[Symbol.asyncDispose]();

    expect(clock.sleeperCount).toBe(0);
    await expect(execution.batches[Symbol.asyncIterator]().next()).rejects.toMatchObject({
      code: 'ABORTED',
    });
  });

  test('a reader may give up while it waits for a batch', async () => {
    const { db } = await openEngine();
    for (const count of [0, 1, 3, 10]) {
      const execution = await db.execute(endlessRows);
      const batches = execution.batches[Symbol.asyncIterator]();
      await batches.next();
      const pending = batches.next().then(
        () => 'a batch',
        (error: unknown) => (error as QuireError).code,
      );
      await turns(count);
      await execution[Symbol.asyncDispose]();

      expect(['a batch', 'ABORTED']).toContain(await pending);
      await expect(
        batches.next().then(
          (result) => result.done ?? false,
          () => true,
        ),
      ).resolves.toBe(true);
    }
  });
});

describe('an engine that closes', () => {
  test('an engine that closes stops its queries and takes no more', async () => {
    const { db } = await openEngine();
    const starting = db.execute(endlessBeforeFirstRow);
    starting.catch(() => undefined);
    const reading = await db.execute(endlessRows);
    await Promise.all([db.engine[Symbol.asyncDispose](), db.engine[Symbol.asyncDispose]()]);

    await expect(starting).rejects.toMatchObject({ code: 'SHUTTING_DOWN' });
    await expect(reading.batches[Symbol.asyncIterator]().next()).rejects.toMatchObject({
      code: 'SHUTTING_DOWN',
    });
    await expect(db.execute('SELECT 1')).rejects.toMatchObject({ code: 'SHUTTING_DOWN' });
  });
});

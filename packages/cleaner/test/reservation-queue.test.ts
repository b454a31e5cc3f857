import { setImmediate } from 'node:timers/promises';
import { isQuireError, QuireError, type RequestId } from '@quire/core';
import { faultOn } from '@quire/core/testing';
import type { ResultSource } from '@quire/results';
import { describe, expect, test, vi } from 'vitest';
import { countingRows } from '../../../test/src/testkit/builders/counting-rows.ts';
import { StorageAdmission } from '../src/admission.ts';
import { QuotaPolicy } from '../src/quota-policy.ts';
import { CleanerSetup, hourMs } from './cleaner-builder.ts';

const quotaBytes = 64_000;

/** Results of some 220 bytes more than 4 a row. */
async function store(setup: CleanerSetup, count: number, rowCount: number): Promise<void> {
  for (let done = 0; done < count; done += 1) await write(setup, rowCount);
}

function write(
  setup: CleanerSetup,
  rowCount: number,
  signal?: AbortSignal,
): Promise<{ readonly entry: { readonly sizeBytes: number } }> {
  return setup.results.create(countingRows(rowCount, 200), { owner: 'o', signal });
}

async function codeOf(writing: Promise<unknown>): Promise<string> {
  try {
    await writing;
    return 'stored';
  } catch (error) {
    return isQuireError(error) ? error.code : String(error);
  }
}

/** Rows whose source pauses half-way until the test resumes it. */
function held(rowCount: number): {
  readonly source: ResultSource;
  readonly reached: Promise<void>;
  letOn(): void;
} {
  const rows = countingRows(rowCount, 200);
  const [reached, on] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const batches = async function* () {
    let count = 0;
    for await (const batch of rows.batches) {
      if (count++ === Math.floor(rowCount / 400)) {
        reached.resolve();
        await on.promise;
      }
      yield batch;
    }
  };
  return { source: { ...rows, batches: batches() }, reached: reached.promise, letOn: on.resolve };
}

describe('a store that is nearly full', () => {
  test('a store that is nearly full of what may be evicted makes room for a result that fits above the target', async () => {
    const setup = new CleanerSetup({ quotaBytes, batchSizeBytes: 800 });
    await store(setup, 20, 400);
    expect(setup.admission.usage.totalBytes).toBeGreaterThan(quotaBytes * 0.8);
    const { entry } = await write(setup, 3500);
    expect(entry.sizeBytes).toBeGreaterThan(quotaBytes - setup.admission.usage.storedBytes);
    expect(setup.admission.usage.totalBytes).toBeLessThanOrEqual(quotaBytes);
    expect(setup.cleaner.status.lastSweep).toMatchObject({ trigger: 'critical', isGood: true });
  });

  test('a store that is nearly full of what has expired takes a result at once, and evicts nothing', async () => {
    const setup = new CleanerSetup({ quotaBytes, batchSizeBytes: 800 });
    await store(setup, 14, 400);
    await setup.clock.advance(hourMs);
    await write(setup, 8000);
    expect(setup.cleaner.status.lastSweep).toMatchObject({
      brokers: [
        { resultCount: 0, expiry: { freed: { count: 14 } }, quota: { freed: { count: 0 } } },
      ],
    });
  });

  test('a store that is nearly full refuses what no eviction makes room for, with quota, stored, own and largest possible bytes, and frees what it wrote', async () => {
    const setup = new CleanerSetup({ quotaBytes, batchSizeBytes: 800 });
    await store(setup, 20, 400);
    const refused = write(setup, 12_000);
    await expect(refused).rejects.toThrow(
      /^There is no space for the result: of the quota of 62\.5 KiB, 3\d(?:\.\d)? KiB are stored, this query has written 2\d(?:\.\d)? KiB, and a result of at most 2\d(?:\.\d)? KiB would fit\.$/,
    );
    expect(setup.admission.usage.totalBytes).toBe((await setup.results.usage()).sizeBytes);
    expect(setup.admission.usage.totalBytes).toBeGreaterThan(quotaBytes * 0.5);
    expect(setup.admission.queue.refusedCount).toBe(1);
    // There is space again for smaller ones.
    expect(setup.admission.queue.refusal).toBeUndefined();
  });

  test('a store that is nearly full says since when it refuses while nothing can be deleted, and takes results again when it can', async () => {
    const setup = new CleanerSetup({ quotaBytes, batchSizeBytes: 800 });
    await store(setup, 17, 400);
    setup.store.plan = ({ op, key }) =>
      op === 'delete' && key.endsWith('.json') ? { kind: 'fail-before' } : undefined;
    const sinceMs = setup.clock.nowMs();
    while (setup.admission.usage.totalBytes <= quotaBytes * 0.9) await write(setup, 400);
    await expect(write(setup, 3500)).rejects.toMatchObject({ code: 'QUERY_LIMIT_EXCEEDED' });
    expect(setup.admission.queue.refusal).toMatchObject({
      sinceMs,
      reason: expect.stringContaining('There is no space') as string,
    });
    setup.store.plan = () => undefined;
    await write(setup, 400);
    expect(setup.admission.queue.refusal).toBeUndefined();
  });
});

describe('the young', () => {
  test('the young stay: a result is not evicted in the moment after it was told of', async () => {
    const setup = new CleanerSetup({ quotaBytes, batchSizeBytes: 800 });
    await store(setup, 18, 400);
    await setup.clock.advance(60_000);
    const { entry } = await write(setup, 4200);
    await setup.cleaner.sweep('critical');
    expect(entry.sizeBytes).toBeGreaterThan(10_000);
    expect(
      (await setup.results.open((entry as unknown as { requestId: string }).requestId)).entry,
    ).toEqual(entry);
  });
});

describe('a sweep that nobody who waits has asked for', () => {
  const requestIdOf = (number: number): RequestId =>
    `00000000-0000-4000-8000-00000000000${number}` as RequestId;

  /**
   * Five results that are 750 of 1,000 bytes, the target being 600, and a write of 200 that wants
   * 100 more.
   */
  function nearlyFull(): {
    readonly admission: StorageAdmission;
    readonly extend: () => Promise<string>;
  } {
    const admission = new StorageAdmission();
    admission.policy = new QuotaPolicy({
      quotaBytes: 1000,
      criticalPercent: 90,
      targetPercent: 60,
    });
    for (let number = 0; number < 5; number += 1) {
      const write = admission.reserve(requestIdOf(number));
      void write.extend(150);
      write.commit(150);
    }
    const writing = admission.reserve(requestIdOf(9));
    void writing.extend(200);
    return { admission, extend: () => codeOf(Promise.resolve(writing.extend(100))) };
  }

  test('a sweep that nobody who waits has asked for and that begins when theirs has ended, is waited for: no write is refused while it deletes', async () => {
    const { admission, extend } = nearlyFull();
    const started = Promise.withResolvers<() => void>();
    admission.queue.sweep = async () => {
      admission.queue.beginSweep()();
      started.resolve(admission.queue.beginSweep());
    };
    const outcome = extend();
    const end = await started.promise;
    await setImmediate(); // the sweep that they requested has ended, and they were notified
    admission.removed(requestIdOf(0), 40);
    expect(admission.queue).toMatchObject({ waitingCount: 1, refusedCount: 0 });
    admission.removed(requestIdOf(1), 110);
    end();
    expect(await outcome).toBe('stored');
  });

  test('a sweep that nobody who waits has asked for and that frees too little, refuses them when it has ended', async () => {
    const { admission, extend } = nearlyFull();
    const started = Promise.withResolvers<() => void>();
    admission.queue.sweep = async () => started.resolve(admission.queue.beginSweep());
    const outcome = extend();
    const end = await started.promise;
    admission.removed(requestIdOf(0), 40);
    end();
    expect(await outcome).toBe('QUERY_LIMIT_EXCEEDED');
  });

  test('a sweep that nobody who waits has asked for and that deletes nothing, being a dry run, does not count as one', async () => {
    const setup = new CleanerSetup({ quotaBytes });
    const begins = vi.spyOn(setup.admission.queue, 'beginSweep');
    await setup.cleaner.sweep('once', { isDryRun: true });
    expect(begins).not.toHaveBeenCalled();
    await setup.cleaner.sweep('once');
    expect(begins).toHaveBeenCalledOnce();
  });
});

describe('writes that wait for each other', () => {
  test('writes that wait for each other all end: a result of the guaranteed size is never refused, however many are written', async () => {
    const setup = new CleanerSetup({ quotaBytes, batchSizeBytes: 800 });
    await store(setup, 18, 400);
    const outcomes = await Promise.all(Array.from({ length: 6 }, () => codeOf(write(setup, 3000))));
    expect(outcomes).toEqual(Array.from({ length: 6 }, () => 'stored'));
    expect(setup.admission.usage.totalBytes).toBeLessThanOrEqual(quotaBytes);
  });

  test('writes that wait for each other give way when they are larger than that, the largest first, and only as many as must', async () => {
    const setup = new CleanerSetup({ quotaBytes, batchSizeBytes: 800 });
    const outcomes = await Promise.all(Array.from({ length: 4 }, () => codeOf(write(setup, 6000))));
    expect(outcomes.filter((outcome) => outcome === 'stored').length).toBeGreaterThanOrEqual(1);
    expect(
      outcomes.every((outcome) => outcome === 'stored' || outcome === 'QUERY_LIMIT_EXCEEDED'),
    ).toBe(true);
    expect(setup.admission.queue.waitingCount).toBe(0);
  });

  test('writes that wait for each other stop waiting when their caller gives up, and let the others on', async () => {
    const setup = new CleanerSetup({ quotaBytes, batchSizeBytes: 800 });
    const slow = held(8000);
    const first = setup.results.create(slow.source, { owner: 'o' });
    await slow.reached;
    const stop = new AbortController();
    const second = codeOf(write(setup, 13_000, stop.signal));
    while (setup.admission.queue.waitingCount === 0) await setup.clock.advance(1);
    stop.abort();
    expect(await second).toBe('ABORTED');
    slow.letOn();
    await first;
    expect(setup.admission.usage.totalBytes).toBe((await setup.results.usage()).sizeBytes);
  });
});

test('without a cleaner nobody waits for a sweep that never comes', async () => {
  const setup = new CleanerSetup({ quotaBytes, batchSizeBytes: 800 });
  await store(setup, 20, 400);
  setup.admission.attach(undefined);
  expect(await codeOf(write(setup, 12_000))).toBe('QUERY_LIMIT_EXCEEDED');
});

describe('a store whose disk is full', () => {
  test('a store whose disk is full is told of, whatever the quota says, until a result is stored', async () => {
    const setup = new CleanerSetup({ quotaBytes, batchSizeBytes: 800 });
    const sinceMs = setup.clock.nowMs();
    setup.store.plan = faultOn('put', { kind: 'full', afterBytes: 100 });
    expect(await codeOf(write(setup, 400))).toBe('STORE_FULL');
    await setup.clock.advance(1000);
    expect(await codeOf(write(setup, 400))).toBe('STORE_FULL');
    await setup.cleaner.sweep('critical');
    expect(setup.admission.queue.refusal).toEqual({
      sinceMs,
      reason: 'The result store is full.',
    });
    expect(setup.admission.queue.refusedCount).toBe(2);
    setup.store.plan = () => undefined;
    await write(setup, 400);
    expect(setup.admission.queue.refusal).toBeUndefined();
    expect(setup.admission.queue.refusedCount).toBe(2);
  });

  test('a store whose disk is full is told of when another process writes, and no other failure is taken for it', async () => {
    const setup = new CleanerSetup({ quotaBytes, batchSizeBytes: 800 });
    const failWith = async (code: 'STORE_FULL' | 'STORE_UNAVAILABLE'): Promise<void> => {
      const remote = setup.results.startWrite({ owner: 'o' });
      remote.release(true);
      await remote.fail(new QuireError(code, 'put of /secret/path failed.'));
    };
    await failWith('STORE_UNAVAILABLE');
    expect(setup.admission.queue.refusal).toBeUndefined();
    await failWith('STORE_FULL');
    expect(setup.admission.queue.refusal?.reason).toBe('The result store is full.');
  });
});

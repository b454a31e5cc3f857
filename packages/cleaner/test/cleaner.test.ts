import { createRequestId, QuireError, throwIfAborted } from '@quire/core';
import { untilAborted } from '@quire/core/wait';
import { collect, faultOn } from '@quire/core/testing';
import { ResultStore } from '@quire/results';
import { describe, expect, test } from 'vitest';
import { pageText } from '../../../test/src/testkit/builders/page-text.ts';
import { Cleaner, type Leftovers } from '../src/index.ts';
import { CleanerSetup, hourMs } from './cleaner-builder.ts';

/** The default time for which new results are protected. */
const minuteMs = 60_000;

describe('a sweep', () => {
  test('a sweep evicts the largest down to the target, and readers hear that it was evicted', async () => {
    const setup = new CleanerSetup({ quotaBytes: 20_000 });
    const [small, large, medium] = await setup.fill(100, 2500, 1000);
    await setup.clock.advance(minuteMs);
    const report = await setup.cleaner.sweep('schedule');
    expect(report).toMatchObject({ isGood: true, brokers: [{ quota: { freed: { count: 0 } } }] });
    setup.setQuota(15_000);
    await setup.cleaner.sweep('settings');
    expect(await setup.idsLeft()).toEqual([small, medium]);
    await expect(setup.results.open(large!)).rejects.toMatchObject({ code: 'RESULT_EVICTED' });
    const mayRead = (owner?: string): boolean => owner !== 'o';
    const asStranger = setup.results.open(large!, { mayRead });
    await expect(asStranger).rejects.toMatchObject({ code: 'RESULT_NOT_FOUND' });
    expect(setup.log.find(({ message }) => message === 'deleted')?.members).toMatchObject({
      id: large,
      reason: 'evicted',
    });
  });

  test('a sweep deletes what has expired first, and then may need to evict nothing', async () => {
    const setup = new CleanerSetup({ quotaBytes: 14_000 });
    const [expired] = await setup.fill(1000);
    await setup.clock.advance(hourMs - 1);
    const [live] = await setup.fill(1500);
    await setup.clock.advance(1);
    const report = await setup.cleaner.sweep('schedule');
    expect(await setup.idsLeft()).toEqual([live]);
    expect(report?.brokers[0]).toMatchObject({
      expiry: { freed: { count: 1 } },
      quota: { wanted: { count: 0, bytes: 0 } },
    });
    await expect(setup.results.open(expired!)).rejects.toMatchObject({ code: 'RESULT_EXPIRED' });
  });

  test('a sweep takes the mark of a query away whose broker was killed, after the grace, and before that of none that runs', async () => {
    const setup = new CleanerSetup();
    const place = {
      owner: 'o',
      broker: { host: 'b.example', port: 8099 },
      endsBeforeMs: setup.clock.nowMs() + hourMs,
    };
    const shared = new ResultStore({
      store: setup.disk,
      brokerId: 'b',
      isShared: true,
      expirationMs: 9e9,
      expirationMaxMs: 9e9,
    });
    const [killed, running] = [
      createRequestId(setup.clock, setup.random),
      createRequestId(setup.clock, setup.random),
    ];
    for (const id of [killed, running]) await shared.markRunning(id, place)?.written;
    const room = setup.admission.reserve(running); // as a write that continues
    const [stored] = await setup.fill(100);
    await setup.cleaner.sweep('schedule');
    await setup.clock.advance(hourMs - 1);
    const early = await setup.cleaner.sweep('schedule');
    expect(early?.brokers[0]?.orphans.freed.count).toBe(0);
    expect(await setup.idsLeft()).toEqual([stored]);
    await setup.clock.advance(1);
    await setup.cleaner.sweep('schedule');
    const keys = (await collect(setup.disk.list(''))).map(({ key }) => key);
    expect(keys.filter((key) => key.endsWith('running.json'))).toEqual([
      `b/${running}/running.json`,
    ]);
    room.release(true, undefined);
  });

  test('a sweep goes on past what it cannot delete, makes up for it, and says what it wanted and freed', async () => {
    const setup = new CleanerSetup();
    const [, largest] = await setup.fill(100, 2500, 1000);
    setup.setQuota(15_000);
    setup.store.plan = ({ op, key }) =>
      op === 'delete' && key.includes(largest!) ? { kind: 'fail-before' } : undefined;
    const report = await setup.cleaner.sweep('schedule');
    expect(report?.isGood).toBe(false);
    expect(report?.brokers[0]?.quota).toMatchObject({
      wanted: { count: 3 },
      freed: { count: 2 },
      failed: { count: 1 },
    });
    expect(await setup.idsLeft()).toEqual([largest]);
    expect(setup.messages()).toEqual(
      expect.arrayContaining([
        'could not be deleted',
        'the quota pass could not reach its target',
        'sweep ended',
      ]),
    );
  });

  test('a sweep gives up after many failures in a row, and does not try for ever', async () => {
    const setup = new CleanerSetup();
    await setup.fill(...Array.from({ length: 130 }, () => 1));
    await setup.clock.advance(2 * hourMs);
    setup.store.plan = faultOn('delete', { kind: 'fail-before' });
    const report = await setup.cleaner.sweep('schedule');
    expect(report?.brokers[0]?.expiry).toMatchObject({
      wanted: { count: 130 },
      freed: { count: 0 },
    });
    expect(report!.brokers[0]!.expiry.failed.count).toBeLessThan(105);
  });

  test('a sweep that cannot list the store fails, says so, and the next one is good again', async () => {
    const setup = new CleanerSetup();
    setup.store.plan = faultOn('list', { kind: 'fail-before' }, 1);
    await expect(setup.cleaner.sweep('schedule')).rejects.toBeInstanceOf(QuireError);
    expect(setup.cleaner.status.lastError).toContain('injected fault');
    await setup.cleaner.sweep('schedule');
    expect(setup.cleaner.status).toMatchObject({
      lastError: undefined,
      lastSweep: { isGood: true },
    });
  });

  test('a sweep lists once and opens nothing', async () => {
    const setup = new CleanerSetup();
    await setup.fill(500);
    setup.setQuota(1000);
    const ops: string[] = [];
    setup.store.plan = ({ op }) => void ops.push(op);
    await setup.cleaner.sweep('schedule');
    // The one listing; then, for the one deleted result, its record, a check for a renewal, and its
    // data.
    expect(ops).toEqual(['list', 'delete', 'list', 'delete']);
  });

  test('a sweep never overlaps another', async () => {
    const setup = new CleanerSetup();
    /** The sweep that had ended last when a listing began. */
    const endedLast: (string | undefined)[] = [];
    setup.store.plan = ({ op }) => {
      if (op === 'list') endedLast.push(setup.cleaner.status.lastSweep?.trigger);
      return { kind: 'slow', delayMs: 10 };
    };
    const both = Promise.all([setup.cleaner.sweep('schedule'), setup.cleaner.sweep('critical')]);
    await setup.clock.advance(1000);
    await both;
    expect(endedLast).toEqual([undefined, 'schedule']);
  });

  test('a sweep leaves a result alone that was renewed after the listing', async () => {
    const setup = new CleanerSetup();
    const [id] = await setup.fill(10);
    const stale = await collect(setup.results.list());
    await setup.results.renew(id!, 5 * hourMs);
    expect(await setup.results.remove(stale[0]!, 'expired')).toBe('kept');
    expect(await pageText(await setup.results.open(id!), 0, 1)).toBe('[[0]]');
  });
});

test('a cleaner that is stopped does not wait for a listing of unfinished writes, and reports no failure', async () => {
  const setup = new CleanerSetup();
  const listing = Promise.withResolvers<void>();
  const leftovers: Leftovers = {
    async *list({ signal } = {}) {
      listing.resolve();
      yield* [];
      await untilAborted(signal ?? new AbortController().signal);
      throwIfAborted(signal);
    },
    remove: () => Promise.resolve(),
  };
  const { store, results: remover, clock, random } = setup;
  const errors: string[] = [];
  const ignore = (): void => undefined;
  const cleaner = new Cleaner({
    target: { store, brokerId: 'b', remover, leftovers },
    settings: () => setup.settings,
    clock,
    random,
    log: { info: ignore, warn: ignore, error: (_, message) => void errors.push(message) },
  });
  const sweep = cleaner.sweep('schedule').catch((error: unknown) => error);
  await listing.promise;
  await cleaner.stop();
  expect(await sweep).toMatchObject({ code: 'ABORTED' });
  expect([errors, cleaner.status.lastError]).toEqual([[], undefined]);
});

describe('a store that fails in a way of its own', () => {
  // With a quota, a cleaner measures the store before its first sweep.
  const quotas = [['without a quota', {}] as const, ['with a quota', { quotaBytes: 1e6 }] as const];
  test.each(quotas)(
    'a store that fails in a way of its own does not end the cleaner (%s)',
    async (_, quota) => {
      const setup = new CleanerSetup(quota);
      setup.store.plan = ({ op }) => {
        if (op === 'list') throw new TypeError('a defect of the host');
        return undefined;
      };
      setup.cleaner.start();
      await setup.clock.advance(1000);
      expect(setup.cleaner.status.lastError).toBe('a defect of the host');
      setup.store.plan = () => undefined;
      await setup.clock.advance(1.1 * hourMs);
      expect(setup.cleaner.status).toMatchObject({
        lastError: undefined,
        lastSweep: { isGood: true },
      });
      await setup.cleaner.stop();
    },
  );
});

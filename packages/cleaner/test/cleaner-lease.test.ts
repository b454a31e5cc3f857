import { QuireError, type StoreLease } from '@quire/core';
import { collect, faultOn } from '@quire/core/testing';
import { describe, expect, test } from 'vitest';
import { countingRows } from '../../../test/src/testkit/builders/counting-rows.ts';
import { cleanerLease, leaseKey } from '../src/index.ts';
import { CleanerSetup, hourMs } from './cleaner-builder.ts';

describe('a lease', () => {
  const lease = (setup: CleanerSetup): StoreLease =>
    cleanerLease({
      store: setup.store,
      clock: setup.clock,
      random: setup.random,
      durationMs: 1000,
    });

  test("a lease is waited for while it is another's, and taken when that one has died", async () => {
    const setup = new CleanerSetup({ lease });
    const other = lease(setup);
    const crash = new QuireError('SHUTTING_DOWN', 'died');
    setup.store.plan = ({ op }) =>
      op === 'delete' ? { kind: 'fail-before', error: crash } : undefined;
    await other.runInTurn(async () =>
      expect(await setup.cleaner.sweep('schedule')).toBeUndefined(),
    );
    setup.store.plan = () => undefined;
    expect(await setup.cleaner.sweep('schedule')).toBeUndefined();
    await setup.clock.advance(1000);
    expect(await setup.cleaner.sweep('schedule')).toMatchObject({ isGood: true });
    expect(await collect(setup.disk.list(leaseKey))).toEqual([]);
  });

  test('a lease is held for as long as a sweep takes, however long that is', async () => {
    const setup = new CleanerSetup({ lease });
    const other = lease(setup);
    let isOver = false;
    const long = other.runInTurn(() => setup.clock.sleep(10_000)).finally(() => (isOver = true));
    await setup.clock.advance(1);
    let refusedCount = 0;
    while (!isOver) {
      const swept = setup.cleaner.sweep('schedule');
      await setup.clock.advance(500);
      if ((await swept) === undefined) refusedCount += 1;
    }
    await long;
    expect(refusedCount).toBeGreaterThanOrEqual(19);
    expect(await setup.cleaner.sweep('schedule')).toMatchObject({ isGood: true });
  });

  test('a lease that cannot be written keeps nobody from freeing', async () => {
    const setup = new CleanerSetup({ lease });
    await setup.results.create(countingRows(10), { owner: 'o' });
    await setup.clock.advance(2 * hourMs);
    setup.store.plan = faultOn('put', { kind: 'full', afterBytes: 0 });
    expect(await setup.cleaner.sweep('schedule')).toMatchObject({
      brokers: [{ expiry: { freed: { count: 1 } } }],
    });
  });

  test('a lease of nonsense is not a lease', async () => {
    const setup = new CleanerSetup({ lease });
    await setup.disk.put(leaseKey, Buffer.from('{half'));
    expect(await setup.cleaner.sweep('schedule')).toMatchObject({ isGood: true });
  });
});

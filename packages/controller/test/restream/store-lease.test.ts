import { type ObjectStore, QuireError, StoreLease } from '@quire/core';
import { ManualClock, SeededRandom } from '@quire/core/testing';
import { MemoryObjectStore } from '@quire/core/memory';
import { expect, it } from 'vitest';

const durationMs = 9000;

function leases(
  count: number,
  changed?: Partial<ObjectStore>,
): { clock: ManualClock; leases: StoreLease[]; store: ObjectStore } {
  const clock = new ManualClock();
  const store = Object.assign(new MemoryObjectStore({ sizeMaxBytes: 1 << 16, clock }), changed);
  const make = (_each: unknown, seed: number): StoreLease =>
    new StoreLease({ store, key: 'lease.json', clock, random: new SeededRandom(seed), durationMs });
  return { clock, store, leases: Array.from({ length: count }, make) };
}

it('a lease of a store lets one at a time run its task, and the next one after it', async () => {
  const {
    leases: [one, other],
  } = leases(2);
  const gate = Promise.withResolvers<string>();
  const running = one!.runInTurn(() => gate.promise);
  await new Promise((resolve) => setImmediate(resolve));
  expect(await other!.runInTurn(async () => 'other')).toBeUndefined();
  gate.resolve('one');
  expect(await running).toBe('one');
  expect(await other!.runInTurn(async () => 'other')).toBe('other');
});

it('a lease of a store keeps the lease for as long as the task runs', async () => {
  const {
    clock,
    leases: [one, other],
  } = leases(2);
  const gate = Promise.withResolvers<void>();
  const running = one!.runInTurn(() => gate.promise);
  await clock.advance(10 * durationMs);
  expect(await other!.runInTurn(async () => 'other')).toBeUndefined();
  gate.resolve();
  await running;
});

it('a lease of a store tells a holder that stood still that another has taken its place', async () => {
  const {
    clock,
    store,
    leases: [one, other],
  } = leases(2);
  const lost = Promise.withResolvers<unknown>();
  const running = one!.runInTurn(
    (signal) =>
      new Promise<void>((resolve) => {
        signal.addEventListener('abort', () => {
          lost.resolve(signal.reason);
          resolve();
        });
      }),
  );
  await new Promise((resolve) => setImmediate(resolve));
  // As after a pause: the lease has expired, and another controller holds it.
  await store.put(
    'lease.json',
    Buffer.from(JSON.stringify({ holder: 'another', untilMs: clock.nowMs() + durationMs })),
  );
  await clock.advance(durationMs / 2);
  expect(await lost.promise).toMatchObject({
    code: 'ABORTED',
    message: 'The lease lease.json was taken by another process.',
  });
  await running;
  // It was not taken away from its new holder.
  expect(await other!.runInTurn(async () => 'other')).toBeUndefined();
});

it('a lease of a store gives up when the store fails for longer than a lease lasts', async () => {
  const {
    clock,
    store,
    leases: [one],
  } = leases(1);
  const lost = Promise.withResolvers<unknown>();
  const running = one!.runInTurn(async (signal) => {
    signal.addEventListener('abort', () => lost.resolve(signal.reason));
    store.put = () => Promise.reject(new QuireError('STORE_UNAVAILABLE', 'The disk is gone.'));
    return lost.promise;
  });
  await new Promise((resolve) => setImmediate(resolve));
  await clock.advance(2 * durationMs);
  expect(await running).toMatchObject({
    code: 'ABORTED',
    message: 'The lease lease.json could not be renewed.',
  });
});

it('a lease of a store is not kept out by a lease from a clock that runs far ahead', async () => {
  const {
    store,
    clock,
    leases: [one],
  } = leases(1);
  await store.put(
    'lease.json',
    Buffer.from(JSON.stringify({ holder: 'odd', untilMs: clock.nowMs() + 100 * durationMs })),
  );
  expect(await one!.runInTurn(async () => 'mine')).toBe('mine');
});

it('a lease of a store that is optional keeps nobody from the work when the store fails', async () => {
  const { clock, store } = leases(0, {
    put: () => Promise.reject(new QuireError('STORE_FULL', 'There is no room.')),
    get: () => Promise.reject(new QuireError('STORE_UNAVAILABLE', 'The disk is gone.')),
  });
  const lease = { store, key: 'lease.json', clock, random: new SeededRandom(1), durationMs };
  expect(await new StoreLease({ ...lease, isOptional: true }).runInTurn(async () => 'done')).toBe(
    'done',
  );
  await expect(new StoreLease(lease).runInTurn(async () => 'done')).rejects.toMatchObject({
    code: 'STORE_UNAVAILABLE',
  });
});

it('a lease of a store that is given back too late is not taken from its next holder', async () => {
  const {
    clock,
    store,
    leases: [one, other, third],
  } = leases(3);
  const reached = Promise.withResolvers<void>();
  const gate = Promise.withResolvers<void>();
  const getting = store.get.bind(store);
  const ended = one!.runInTurn(async () => {
    store.get = async (...given) => {
      store.get = getting;
      const object = await getting(...given);
      reached.resolve();
      await gate.promise;
      return object;
    };
  });
  await reached.promise;
  await clock.advance(durationMs);
  const isOver = Promise.withResolvers<string>();
  const running = other!.runInTurn(async () => {
    gate.resolve();
    await ended;
    expect(await third!.runInTurn(async () => 'third')).toBeUndefined();
    return isOver.promise;
  });
  isOver.resolve('other');
  expect(await running).toBe('other');
  expect(await third!.runInTurn(async () => 'third')).toBe('third');
});

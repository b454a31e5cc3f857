import { type CallOptions, type ObjectStore, QuireError } from '@quire/core';
import type { TableConfigDocument } from '@quire/core/table-engine';
import { expect, it, vi } from 'vitest';
import { leaseKeyOf } from '../../src/restream/job-records.ts';
import { destination, Scene, source } from './scene.ts';

const request = { tableNameWithType: source, destTableNameWithType: destination };
/** Longer than leases, and than a whole job. */
const stallMs = 150_000;

/** Creates the first table, and answers after `gate`. */
function holdFirstTable(scene: Scene, gate: Promise<void>, error?: QuireError): void {
  const { engine } = scene;
  const createTable = engine.createTable.bind(engine);
  let calls = 0;
  vi.spyOn(engine, 'createTable').mockImplementation(async (config: TableConfigDocument) => {
    calls += 1;
    if (calls > 1) return createTable(config);
    if (error === undefined) {
      const created = await createTable(config);
      await gate;
      return created;
    }
    await gate;
    throw error;
  });
}

/** Returns a store whose second write of a lease, its first renewal, takes as long as a job. */
function withSlowRenewal(scene: Scene): ObjectStore {
  const { store, clock } = scene;
  let leaseWrites = 0;
  return new Proxy(store, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name);
      if (typeof value !== 'function') return value;
      const method = value.bind(target) as (...values: unknown[]) => unknown;
      if (name !== 'put') return method;
      return async (key: string, data: Uint8Array, options?: CallOptions) => {
        if (key.endsWith('/lease.json')) leaseWrites += 1;
        if (key.endsWith('/lease.json') && leaseWrites === 2) await clock.sleep(stallMs);
        return target.put(key, data, options);
      };
    },
  });
}

const changesOnce = [
  'createSchema orders2',
  `createTable ${destination}`,
  `forceCommit ${destination}`,
  `rebalance ${destination}`,
];

it('a restream whose lease expires while its destination is created is not driven meanwhile by the same controller', async () => {
  const scene = new Scene();
  const gate = Promise.withResolvers<void>();
  holdFirstTable(scene, gate.promise);
  const written: string[] = [];
  await using controller = scene.controller({
    store: withSlowRenewal(scene),
    onWritten: ({ status }) => written.push(status),
  });
  const starting = controller.start(request);
  await scene.clock.advance(2 * stallMs);
  const before = [...written];
  gate.resolve();
  const { jobId, status } = await starting;
  expect([before, status]).toEqual([['INIT'], 'INIT']);
  expect((await scene.untilEnded(controller, jobId)).status).toBe('DONE');
  expect(written.filter((each, index) => each !== written[index - 1])).toEqual([
    'INIT',
    'TABLE_STREAM',
    'FORCE_COMMIT',
    'REBALANCE',
    'DONE',
  ]);
  expect(scene.engine.changes).toEqual(changesOnce);
});

it.each([
  ['created', undefined],
  ['refused', new QuireError('TABLE_INVALID', 'The config is invalid.')],
  ['lost', new QuireError('STORE_UNAVAILABLE', 'The disk is gone.')],
])(
  'a restream that another controller has finished while its destination was slowly %s is left as it is',
  async (_how, error) => {
    const scene = new Scene();
    const gate = Promise.withResolvers<void>();
    holdFirstTable(scene, gate.promise, error);
    const written: string[] = [];
    await using slow = scene.controller({
      store: withSlowRenewal(scene),
      onWritten: ({ status }) => written.push(status),
    });
    const starting = slow.start(request);
    await scene.clock.advance(1000);
    await using other = scene.controller();
    await scene.clock.advance(2 * stallMs);
    const before = await other.list();
    gate.resolve();
    const job = await starting;
    await scene.clock.advance(2 * stallMs);
    expect(job.status).toBe('DONE');
    expect([before, await other.list()]).toEqual([[job], [job]]);
    expect(written).toEqual(['INIT']);
    expect(scene.engine.changes).toEqual(changesOnce);
  },
);

it('a restream whose lease another controller has taken while its destination was created is not written any more', async () => {
  const scene = new Scene();
  const gate = Promise.withResolvers<void>();
  holdFirstTable(scene, gate.promise);
  const written: string[] = [];
  await using controller = scene.controller({ onWritten: ({ status }) => written.push(status) });
  const starting = controller.start(request);
  await scene.clock.advance(1000);
  const [job] = await controller.list();
  const lease = { holder: 'another', untilMs: scene.clock.nowMs() + 15_000 };
  await scene.store.put(leaseKeyOf(job?.jobId ?? ''), Buffer.from(JSON.stringify(lease)));
  await scene.clock.advance(10_000);
  gate.resolve();
  expect(await starting).toEqual(job);
  expect(written).toEqual(['INIT']);
  expect((await scene.untilEnded(controller, job?.jobId ?? '')).status).toBe('DONE');
  expect(scene.engine.changes).toEqual(changesOnce);
});

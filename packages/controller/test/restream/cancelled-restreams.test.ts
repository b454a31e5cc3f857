import { QuireError } from '@quire/core';
import { expect, it, vi } from 'vitest';
import { JobRecords } from '../../src/restream/job-records.ts';
import { hasDropFailed } from '../../src/restream/restream-job.ts';
import { destination, Scene, source } from './scene.ts';

const request = { tableNameWithType: source, destTableNameWithType: destination };
const failedByDrop = {
  status: 'FAILED',
  error: {
    code: 'TABLE_NOT_FOUND',
    message: 'The destination table orders2_REALTIME was dropped while it was being built.',
  },
};

it.each(['INIT', 'TABLE_STREAM', 'FORCE_COMMIT', 'REBALANCE'] as const)(
  'a restream can be cancelled in %s',
  async (stage) => {
    const scene = new Scene();
    scene.engine.behaviour.rebalanceMs = 60_000;
    await using controller = scene.controller();
    const { jobId } = await controller.start({ ...request, debugPause: stage === 'INIT' });
    await scene.until(controller, jobId, ({ status }) => status === stage);
    await controller.cancel(jobId, { dropDestination: false });
    const job = await scene.untilEnded(controller, jobId);
    expect(job).toMatchObject({ status: 'CANCELLED', cleanup: { isDone: true } });
    const isDropped =
      !scene.engine.tableNames.includes(destination) &&
      !scene.engine.schemaNames.includes('orders2');
    expect(isDropped).toBe(stage === 'INIT');
    expect(isDropped || scene.engine.isPaused(destination)).toBe(true);
  },
);

it('drops the destination of a cancelled job when asked to, then or later', async () => {
  const scene = new Scene();
  await using controller = scene.controller();
  const { jobId } = await controller.start(request);
  await scene.until(controller, jobId, ({ status }) => status === 'TABLE_STREAM');
  await controller.cancel(jobId, { dropDestination: false });
  await scene.untilEnded(controller, jobId);
  await expect(controller.cancel(jobId, { dropDestination: false })).rejects.toThrow(
    expect.objectContaining({ code: 'CONFLICT' }),
  );
  await controller.cancel(jobId, { dropDestination: true });
  await scene.until(controller, jobId, ({ cleanup }) => cleanup?.kind === 'DROP' && cleanup.isDone);
  expect([scene.engine.tableNames, scene.engine.schemaNames]).toEqual([[source], ['orders']]);
});

it('a restream whose destination was dropped is not asked to drop it again: the request could outlive its record', async () => {
  const scene = new Scene();
  await using controller = scene.controller();
  const { jobId } = await controller.start({ ...request, debugPause: true });
  const first = { dropDestination: false };
  await controller.cancel(jobId, first);
  const dropped = await scene.untilEnded(controller, jobId);
  expect(dropped.cleanup).toMatchObject({ kind: 'DROP', isDone: true });
  expect(await controller.cancel(jobId, { dropDestination: true })).toEqual(dropped);
  expect((await new JobRecords(scene.store).readRequests(jobId)).cancel).toEqual(first);
});

it('a drop of a restream that failed for longer than it may is requested again by a caller, and by nobody else', async () => {
  const scene = new Scene();
  const records = new JobRecords(scene.store);
  const drop = { dropDestination: true };
  const first = scene.controller();
  const { jobId } = await first.start(request);
  await scene.until(first, jobId, ({ status }) => status === 'TABLE_STREAM');
  const failure = new QuireError('ENGINE_UNAVAILABLE', 'The cluster is down.');
  scene.engine.behaviour.failure = failure;
  await first.cancel(jobId, drop);
  const failed = await scene.untilEnded(first, jobId);
  expect(failed.cleanup).toMatchObject({ kind: 'DROP', isDone: true, problem: failure.message });
  await first[Symbol.asyncDispose]();

  scene.engine.behaviour.failure = undefined;
  await using next = scene.controller();
  await scene.clock.advance(10 * 60_000);
  expect(await next.read(jobId)).toEqual(failed);
  expect((await records.readRequests(jobId)).cancel).toBeUndefined();
  expect(scene.engine.tableNames).toContain(destination);

  await next.cancel(jobId, drop);
  const { cleanup } = await scene.until(
    next,
    jobId,
    (job) => job.cleanup?.problem === null && job.cleanup.isDone,
  );
  expect(cleanup).toMatchObject({ kind: 'DROP', leftover: null });
  expect([scene.engine.tableNames, scene.engine.schemaNames]).toEqual([[source], ['orders']]);
});

it('a drop of a restream is repeated when a caller asks for it at the moment in which its failure is recorded', async () => {
  const scene = new Scene();
  await using controller = scene.controller();
  const { jobId } = await controller.start({ ...request, debugPause: true });
  scene.engine.behaviour.deletionFailure = new QuireError('CONFLICT', 'A task writes to it.');
  const put = scene.store.put.bind(scene.store);
  vi.spyOn(scene.store, 'put').mockImplementation(async (key, ...content) => {
    const entry = await put(key, ...content);
    const isFailed =
      key === `restreams/${jobId}/record.json` && hasDropFailed(await controller.read(jobId));
    if (isFailed) {
      scene.engine.behaviour.deletionFailure = undefined;
      await controller.cancel(jobId, { dropDestination: true });
    }
    return entry;
  });
  await controller.cancel(jobId, { dropDestination: true });
  await scene.until(
    controller,
    jobId,
    ({ cleanup }) => cleanup?.isDone === true && cleanup.problem === null,
  );
  expect(scene.engine.tableNames).toEqual([source]);
});

it('a restream drops its destination when asked to while the pause of it fails', async () => {
  const scene = new Scene();
  await using controller = scene.controller();
  const { jobId } = await controller.start(request);
  await scene.until(controller, jobId, ({ status }) => status === 'TABLE_STREAM');
  scene.engine.pauseConsumption = async () => {
    await controller.cancel(jobId, { dropDestination: true });
    throw new QuireError('CONFLICT', 'It cannot be paused.');
  };
  await controller.cancel(jobId, { dropDestination: false });
  await scene.until(controller, jobId, ({ cleanup }) => cleanup?.kind === 'DROP' && cleanup.isDone);
  expect(scene.engine.tableNames).toEqual([source]);
});

it.each([
  ['before', [true, false]],
  ['after', [false, true]],
])(
  'a restream drops its destination when it is cancelled with a drop just %s it is without one',
  async (_order, requested) => {
    const scene = new Scene();
    await using controller = scene.controller();
    const { jobId } = await controller.start(request);
    await scene.until(controller, jobId, ({ status }) => status === 'TABLE_STREAM');
    const observing = Promise.withResolvers<void>();
    const read = scene.engine.readConsumption.bind(scene.engine);
    scene.engine.readConsumption = async (name) => {
      await observing.promise;
      return read(name);
    };
    await scene.clock.advance(1000);
    await Promise.all(
      requested.map((dropDestination) => controller.cancel(jobId, { dropDestination })),
    );
    observing.resolve();
    await scene.untilEnded(controller, jobId);
    expect(scene.engine.tableNames).toEqual([source]);
  },
);

it('a restream leaves a table alone that somebody put where the destination was', async () => {
  const scene = new Scene();
  await using controller = scene.controller();
  const { jobId } = await controller.start(request);
  await scene.until(controller, jobId, ({ status }) => status === 'TABLE_STREAM');
  scene.engine.remove(destination);
  await scene.engine.createTable({ tableName: destination, tableType: 'REALTIME' });
  await controller.cancel(jobId, { dropDestination: true });
  await scene.untilEnded(controller, jobId);
  expect(scene.engine.tableNames).toContain(destination);
});

it.each(['FORCE_COMMIT', 'REBALANCE'] as const)(
  'a restream is told that the destination was dropped, also in the middle of %s',
  async (stage) => {
    const scene = new Scene();
    scene.engine.behaviour.isCommitStuck = stage === 'FORCE_COMMIT';
    scene.engine.behaviour.rebalanceMs = 'never';
    await using controller = scene.controller();
    const { jobId } = await controller.start(request);
    await scene.until(controller, jobId, ({ status }) => status === stage);
    scene.engine.remove(destination);
    expect(await scene.untilEnded(controller, jobId)).toMatchObject(failedByDrop);
  },
);

it('a restream that waits at its start is told that the destination was dropped', async () => {
  const scene = new Scene();
  await using controller = scene.controller();
  const { jobId } = await controller.start({ ...request, debugPause: true });
  scene.engine.remove(destination);
  expect(await scene.untilEnded(controller, jobId)).toMatchObject(failedByDrop);
});

it('a restream says that a drop has left the schema that existed before', async () => {
  const scene = new Scene();
  const { schema } = await scene.engine.readTable(source);
  await scene.engine.createSchema({ ...schema, schemaName: 'orders2' });
  await using controller = scene.controller();
  const { jobId } = await controller.start({ ...request, debugPause: true });
  await controller.cancel(jobId, { dropDestination: true });
  const { cleanup } = await scene.untilEnded(controller, jobId);
  expect(cleanup).toMatchObject({
    isDone: true,
    leftover: 'The schema orders2, which existed before this job, is kept.',
  });
  expect(scene.engine.tableNames).not.toContain(destination);
});

it('a restream says what a drop has left: the table of somebody else, and a schema in use', async () => {
  const scene = new Scene();
  await using controller = scene.controller();
  const { jobId } = await controller.start({ ...request, debugPause: true });
  scene.engine.remove(destination);
  const { config } = { config: scene.engine.configOf(source) };
  await scene.engine.createTable({ ...config, tableName: destination });
  await controller.cancel(jobId, { dropDestination: true });
  const { cleanup } = await scene.untilEnded(controller, jobId);
  expect(cleanup).toMatchObject({
    kind: 'DROP',
    isDone: true,
    leftover: 'The table orders2_REALTIME that exists now was not created by this job and is kept.',
  });
  expect(scene.engine.tableNames).toContain(destination);
});

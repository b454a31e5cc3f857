import { QuireError } from '@quire/core';
import { expect, it } from 'vitest';
import { destination, Scene, settings, source } from './scene.ts';
import type { RestreamEngine } from '../../src/restream/restream-engine.ts';
import { partitionCount } from './fake-engine.ts';

const request = { tableNameWithType: source, destTableNameWithType: destination };

it('a restream goes through every stage to DONE, and has taken every message up to its target', async () => {
  const scene = new Scene();
  await using controller = scene.controller();
  const started = await controller.start({ ...request, destServerTenant: 'Fresh' });
  expect(started.status).toBe('INIT');
  const job = await scene.untilEnded(controller, started.jobId);
  expect(job.stages.map(({ stage }) => stage)).toEqual([
    'INIT',
    'TABLE_STREAM',
    'FORCE_COMMIT',
    'REBALANCE',
    'DONE',
  ]);
  expect(
    job.stages.every(
      ({ startedMs, endedMs, outcome }) =>
        endedMs !== null && endedMs >= startedMs && outcome !== null,
    ),
  ).toBe(true);
  expect(job.config).toEqual({
    tableNameWithType: source,
    destTableNameWithType: destination,
    destServerTenant: 'Fresh',
    destBrokerTenant: 'DefaultTenant',
    debugPause: false,
    maxTableStreamLag: 5000,
    maxRebalanceTimeMin: 120,
  });
  expect(job.targetOffsets).toEqual({ 0: 100_000, 1: 100_000 });
  expect(job.comparison?.destinationRows).toBeGreaterThanOrEqual(100_000 * partitionCount);
  expect(job.error).toBeNull();
  expect(scene.engine.changes).toEqual([
    'createSchema orders2',
    'createTable orders2_REALTIME',
    'forceCommit orders2_REALTIME',
    'rebalance orders2_REALTIME',
  ]);
});

it('a restream makes the destination from the source, with tenants of its own and from the earliest offset', async () => {
  const scene = new Scene();
  await using controller = scene.controller();
  const { jobId } = await controller.start({ ...request, destServerTenant: 'Fresh' });
  expect(scene.engine.configOf(destination)).toEqual({
    tableName: destination,
    tableType: 'REALTIME',
    segmentsConfig: { timeColumnName: 'ts', schemaName: 'orders2' },
    tenants: { broker: 'DefaultTenant', server: 'Fresh', tagOverrideConfig: {} },
    metadata: { customConfigs: { team: 'shop', 'quire.restream.jobId': jobId } },
    ingestionConfig: {
      streamIngestionConfig: {
        streamConfigMaps: [
          {
            streamType: 'file',
            'stream.file.topic.name': 'orders',
            'stream.file.consumer.prop.auto.offset.reset': 'smallest',
          },
        ],
      },
    },
  });
});

it('a restream starts jobs one after another, and lets principals take turns', async () => {
  const scene = new Scene();
  await using controller = scene.controller();
  const ended: string[] = [];
  const starts = ['ann', 'ann', 'ann', 'bob', 'eve'].map(async (principal, index) => {
    const missing = { ...request, tableNameWithType: 'missing_REALTIME' };
    const claim = { principal, isAdmin: true };
    await expect(controller.start(missing, { claim })).rejects.toMatchObject({
      code: 'TABLE_NOT_FOUND',
    });
    ended.push(`${principal} ${index}`);
  });
  await Promise.all(starts);
  expect(ended).toEqual(['ann 0', 'bob 3', 'eve 4', 'ann 1', 'ann 2']);
});

it('a restream that waits for its turn when the controller closes is refused, and creates nothing', async () => {
  const scene = new Scene();
  const [creating, created] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const create = scene.engine.createTable.bind(scene.engine);
  const other = { tableNameWithType: 'a_REALTIME', destTableNameWithType: 'b_REALTIME' };
  await create({ tableName: other.tableNameWithType, tableType: 'REALTIME' });
  scene.engine.createTable = async (...parts) => {
    creating.resolve();
    await created.promise;
    return create(...parts);
  };
  const controller = scene.controller();
  const first = controller.start(request);
  const second = controller.start(other).catch((error: unknown) => error);
  await creating.promise;
  const closing = controller[Symbol.asyncDispose]();
  created.resolve();
  await closing;
  expect(await first).toMatchObject({ status: 'INIT', init: { isMade: true } });
  expect(await second).toMatchObject({ code: 'SHUTTING_DOWN' });
  expect(scene.engine.tableNames).not.toContain(other.destTableNameWithType);
});

it('a restream waits where it was told to pause, and goes on when it is resumed', async () => {
  const scene = new Scene();
  await using controller = scene.controller();
  const { jobId } = await controller.start({ ...request, debugPause: true });
  await scene.clock.advance(10 * 60_000);
  expect((await controller.read(jobId)).status).toBe('INIT');
  expect(scene.engine.isPaused(destination)).toBe(true);
  await controller.resume(jobId);
  expect((await scene.untilEnded(controller, jobId)).status).toBe('DONE');
  await expect(controller.resume(jobId)).rejects.toThrow(
    expect.objectContaining({ code: 'CONFLICT' }),
  );
});

it('a restream pauses its destination when the attempt that created it did not pause it', async () => {
  const scene = new Scene();
  const create = scene.engine.createTable.bind(scene.engine);
  // As on Apache Pinot, where the pause is another call.
  scene.engine.createTable = async (config) => {
    await create(config);
    throw new QuireError('ENGINE_UNAVAILABLE', 'No server receives the pause.');
  };
  await using controller = scene.controller();
  const { jobId } = await controller.start({ ...request, debugPause: true });
  await scene.until(controller, jobId, ({ init }) => init.isMade);
  expect(scene.engine.isPaused(destination)).toBe(true);
});

it('a restream takes a segment that is being made for an unknown lag, not for none', async () => {
  const scene = new Scene();
  scene.engine.behaviour.startingMs = 30_000;
  await using controller = scene.controller();
  const { jobId } = await controller.start({ ...request, maxTableStreamLag: 1_000_000 });
  await scene.clock.advance(20_000);
  expect(await controller.read(jobId)).toMatchObject({
    status: 'TABLE_STREAM',
    stream: { probedMs: expect.any(Number), lagMessages: null, lagByPartition: {} },
    lastProblem: {
      code: 'ENGINE_UNAVAILABLE',
      message: expect.stringMatching(
        /^The engine does not know the offset of partition 0 of the destination; its server may be down\. No offset has moved for 1\ds\.$/,
      ),
    },
  });
  expect((await scene.untilEnded(controller, jobId)).status).toBe('DONE');
});

it('a restream says how far its partitions are also while the lag of one is unknown', async () => {
  const scene = new Scene();
  scene.engine.behaviour.consumedPerSecond = 1000;
  await using controller = scene.controller();
  const { jobId } = await controller.start(request);
  await scene.until(controller, jobId, ({ stream }) => (stream?.offsets['1'] ?? 0) > 0);
  const { offsets: before = {} } = (await controller.read(jobId)).stream ?? {};
  const read = scene.engine.readConsumption.bind(scene.engine);
  scene.engine.readConsumption = async (...asked) => {
    const consumption = await read(...asked);
    const partitions = consumption.partitions.map((each) =>
      each.partition === 1 ? { ...each, latestOffset: null, lagMessages: null } : each,
    );
    return { ...consumption, partitions };
  };
  await scene.until(
    controller,
    jobId,
    ({ stream }) => (stream?.offsets['1'] ?? 0) > (before['1'] ?? 0),
  );
  scene.engine.stall();
  await scene.clock.advance(20_000);
  expect(await controller.read(jobId)).toMatchObject({
    stream: { lagMessages: null, lagByPartition: {} },
    lastProblem: {
      message: expect.stringMatching(
        /partition 0 is at [1-9]\d* of 100000, partition 1 is at [1-9]\d* of 100000\.$/,
      ),
    },
  });
});

it('a restream says after a while that nothing is consumed, how far it is, and what a server says of it', async () => {
  const scene = new Scene();
  scene.engine.behaviour.consumedPerSecond = 1000;
  await using controller = scene.controller();
  const { jobId } = await controller.start(request);
  await scene.until(
    controller,
    jobId,
    ({ stream }) => stream !== null && Object.values(stream.offsets).some((offset) => offset > 0),
  );
  expect((await controller.read(jobId)).lastProblem).toBeNull();
  scene.engine.stall();
  await scene.clock.advance(20_000);
  expect((await controller.read(jobId)).lastProblem).toMatchObject({
    code: 'STREAM_UNAVAILABLE',
    stage: 'TABLE_STREAM',
    message: expect.stringMatching(
      /^The destination has consumed nothing for 1\ds: partition 0 is at \d+ of 100000, partition 1 is at \d+ of 100000\.$/,
    ),
  });
});

it('a restream does not repeat the lag of before while the stream cannot be asked', async () => {
  const scene = new Scene();
  scene.engine.behaviour.consumedPerSecond = 1000;
  await using controller = scene.controller();
  const { jobId } = await controller.start(request);
  await scene.until(controller, jobId, ({ stream }) => (stream?.lagMessages ?? null) !== null);
  const { stream: before } = await controller.read(jobId);
  const error = 'Server_a: no answer; the server or its stream is not available.';
  scene.engine.behaviour.retryingError = error;
  await scene.clock.advance(5000);
  const job = await controller.read(jobId);
  expect(job).toMatchObject({
    status: 'TABLE_STREAM',
    stream: { lagMessages: null, lagByPartition: {}, offsets: before?.offsets },
    lastProblem: {
      code: 'STREAM_UNAVAILABLE',
      message: `Partition 0 of the destination: ${error}`,
    },
  });
  expect(job.stream?.probedMs).toBeGreaterThan(before?.probedMs ?? Infinity);
  scene.engine.behaviour.retryingError = undefined;
  expect((await scene.untilEnded(controller, jobId)).status).toBe('DONE');
});

it('a restream asks again for a commit that is stuck, by a pause', async () => {
  const scene = new Scene();
  scene.engine.behaviour.isCommitStuck = true;
  const problems = new Set<string>();
  await using controller = scene.controller({
    onWritten: ({ lastProblem }) => problems.add(lastProblem?.message ?? 'none'),
  });
  const { jobId } = await controller.start(request);
  const job = await scene.untilEnded(controller, jobId);
  expect(job).toMatchObject({ status: 'DONE', lastProblem: null });
  expect([...problems]).toEqual([
    'none',
    expect.stringMatching(
      /^Still not committed: .+, \d+s after the stage began; a short pause of the destination commits it, too\.$/,
    ),
  ]);
  expect(scene.engine.changes.slice(2)).toEqual([
    'forceCommit orders2_REALTIME',
    'pause orders2_REALTIME',
    'resume orders2_REALTIME',
    'rebalance orders2_REALTIME',
  ]);
  expect(scene.engine.isPaused(destination)).toBe(false);
});

it('a restream resumes its destination when the engine has forgotten the commit that it paused it for', async () => {
  const scene = new Scene();
  const read = scene.engine.readForceCommit.bind(scene.engine);
  scene.engine.readForceCommit = async (id) => {
    if (!scene.engine.isPaused(destination)) return read(id);
    throw new QuireError('JOB_NOT_FOUND', `There is no job ${id}.`);
  };
  await using controller = scene.controller();
  scene.engine.behaviour.isCommitStuck = true;
  const { jobId } = await controller.start(request);
  expect(await scene.untilEnded(controller, jobId)).toMatchObject({ status: 'DONE' });
  expect(scene.engine.isPaused(destination)).toBe(false);
});

it('a restream waits for a rebalance that moves segments', async () => {
  const scene = new Scene();
  scene.engine.behaviour.rebalanceMs = 60_000;
  await using controller = scene.controller();
  const { jobId } = await controller.start(request);
  const job = await scene.untilEnded(controller, jobId);
  expect(job).toMatchObject({ status: 'DONE', rebalance: { status: 'DONE' } });
});

it('a restream fails when a rebalance takes longer than it may, and cancels it', async () => {
  const scene = new Scene();
  scene.engine.behaviour.rebalanceMs = 'never';
  await using controller = scene.controller();
  const { jobId } = await controller.start({ ...request, maxRebalanceTimeMin: 2 });
  const job = await scene.untilEnded(controller, jobId);
  expect(job.error).toEqual({
    code: 'REQUEST_TIMED_OUT',
    message: 'The rebalance of orders2_REALTIME exceeded its limit of 2m. As told.',
    stage: 'REBALANCE',
  });
  expect(scene.engine.changes).toContain('cancelRebalance orders2_REALTIME');
  expect(scene.engine.isPaused(destination)).toBe(true);
});

it.each(['readForceCommit', 'readRebalance'] as const)(
  'a restream goes on when the answer of %s is late, but the work was finished in time',
  async (call) => {
    const scene = new Scene();
    scene.engine.behaviour.rebalanceMs = 10_000;
    const [called, answering] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const read = scene.engine[call].bind(scene.engine) as (jobId: string) => Promise<never>;
    let isForced = call === 'readRebalance';
    scene.engine[call] = async (jobId: string) => {
      // The first call is a part of the forced commit itself.
      if (!isForced) isForced = true;
      else {
        called.resolve();
        await answering.promise;
      }
      return read(jobId);
    };
    await using controller = scene.controller();
    const { jobId } = await controller.start({ ...request, maxRebalanceTimeMin: 1 });
    const status = call === 'readRebalance' ? 'REBALANCE' : 'FORCE_COMMIT';
    await scene.until(controller, jobId, (job) => job.status === status);
    await scene.clock.advance(2000);
    await called.promise;
    await scene.clock.advance(settings.commitMaxMs + 1000);
    answering.resolve();
    expect(await scene.untilEnded(controller, jobId)).toMatchObject({ status: 'DONE' });
  },
);

it('a restream fails when the stream stands still, and says where it stands', async () => {
  const scene = new Scene();
  await using controller = scene.controller();
  const { jobId } = await controller.start(request);
  await scene.until(controller, jobId, ({ stream }) => (stream?.offsets['0'] ?? 0) > 0);
  scene.engine.setStalled(true);
  const job = await scene.untilEnded(controller, jobId);
  expect(job.status).toBe('FAILED');
  const at = job.stream?.offsets['0'];
  expect(job.error?.message).toBe(
    `The destination has consumed nothing for 1m: partition 0 is at ${at} of 100000, partition 1 is at ${at} of 100000. ` +
      'The engine reports no reason.',
  );
  expect(scene.engine.tableNames).toEqual([source, destination].toSorted());
  expect(scene.engine.isPaused(destination)).toBe(true);
});

it('a restream fails at once when a partition stops at a message', async () => {
  const scene = new Scene();
  await using controller = scene.controller();
  scene.engine.behaviour.stoppedPartition = 1;
  const { jobId } = await controller.start(request);
  const { error } = await scene.untilEnded(controller, jobId);
  expect(error?.message).toBe('Partition 1 of the destination has stopped. Offset 17 is not JSON.');
});

it.each([
  [source, 'The source table orders_REALTIME was deleted while it was restreamed.'],
  [destination, 'The destination table orders2_REALTIME was dropped while it was being built.'],
])('a restream fails when %s is deleted under it', async (name, message) => {
  const scene = new Scene();
  await using controller = scene.controller();
  const { jobId } = await controller.start(request);
  await scene.until(controller, jobId, ({ status }) => status === 'TABLE_STREAM');
  scene.engine.remove(name);
  expect(await scene.untilEnded(controller, jobId)).toMatchObject({
    status: 'FAILED',
    error: { code: 'TABLE_NOT_FOUND', message },
  });
});

it('outlives an engine that is away for less than it may be, and fails after that', async () => {
  const scene = new Scene();
  await using controller = scene.controller();
  const { jobId } = await controller.start(request);
  await scene.until(controller, jobId, ({ status }) => status === 'TABLE_STREAM');
  scene.engine.behaviour.failure = new QuireError(
    'ENGINE_UNAVAILABLE',
    'The engine does not answer.',
  );
  await scene.clock.advance(settings.noProgressMaxMs / 2);
  expect(await controller.read(jobId)).toMatchObject({
    status: 'TABLE_STREAM',
    lastProblem: {
      code: 'ENGINE_UNAVAILABLE',
      message: 'The engine does not answer.',
      stage: 'TABLE_STREAM',
    },
  });
  await scene.clock.advance(settings.noProgressMaxMs);
  expect(await controller.read(jobId)).toMatchObject({
    status: 'FAILED',
    error: { code: 'STREAM_UNAVAILABLE' },
  });
  scene.engine.behaviour.failure = undefined;
  expect((await scene.untilEnded(controller, jobId)).cleanup).toMatchObject({
    kind: 'PAUSE',
    isDone: true,
    problem: null,
  });
});

it('a restream does not count the time in which no controller ran, nor jumps of the wall clock', async () => {
  const scene = new Scene();
  const first = scene.controller();
  const { jobId } = await first.start(request);
  await scene.until(first, jobId, ({ status }) => status === 'TABLE_STREAM');
  scene.engine.setStalled(true);
  await first[Symbol.asyncDispose]();
  await scene.clock.advance(10 * settings.noProgressMaxMs);
  scene.clock.stepWallClock(10 * settings.noProgressMaxMs);
  scene.engine.setStalled(false);
  await using second = scene.controller();
  expect((await scene.untilEnded(second, jobId)).status).toBe('DONE');
});

it('a restream compares rows and offsets of one moment: it counts again while offsets move', async () => {
  const scene = new Scene();
  await using controller = scene.controller();
  const { jobId } = await controller.start(request);
  await scene.until(controller, jobId, ({ status }) => status === 'REBALANCE' || status === 'DONE');
  const job = await scene.untilEnded(controller, jobId);
  const { sourceRows, destinationRows, sourceOffsets, destinationOffsets } = job.comparison ?? {};
  const sumOf = (offsets: object = {}): number =>
    Object.values(offsets as Record<string, number>).reduce((sum, offset) => sum + offset, 0);
  expect([sourceRows, destinationRows]).toEqual([sumOf(sourceOffsets), sumOf(destinationOffsets)]);
});

it('a restream says that the counts are not of one moment where the stream never pauses', async () => {
  const scene = new Scene();
  let reads = 0;
  const engine = new Proxy<RestreamEngine>(scene.engine, {
    get: (target, name) => {
      const value: unknown = Reflect.get(target, name);
      if (typeof value !== 'function') return value;
      if (name !== 'readConsumption') return value.bind(target) as unknown;
      return async (table: string) => {
        const consumption = await target.readConsumption(table);
        reads += 1;
        return {
          ...consumption,
          partitions: consumption.partitions.map((each) => ({
            ...each,
            currentOffset: each.currentOffset === null ? null : each.currentOffset + reads,
          })),
        };
      };
    },
  });
  await using controller = scene.controller({ engine });
  const { jobId } = await controller.start(request);
  const { stages } = await scene.untilEnded(controller, jobId);
  expect(stages.at(-1)).toMatchObject({
    stage: 'DONE',
    outcome: expect.stringMatching(
      /Both tables continued to consume: the offsets were read after the counts\.$/,
    ),
  });
});

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

const refusals: [string, Parameters<ReturnType<Scene['controller']>['start']>[0], object][] = [
  [
    'an unknown source',
    { ...request, tableNameWithType: 'nope_REALTIME' },
    { code: 'TABLE_NOT_FOUND' },
  ],
  [
    'a source that is not real-time',
    { ...request, tableNameWithType: 'orders_OFFLINE' },
    { code: 'INVALID_PARAMETER' },
  ],
  [
    'a destination without a type',
    { ...request, destTableNameWithType: 'orders2' },
    { code: 'INVALID_PARAMETER' },
  ],
  [
    'itself as destination',
    { ...request, destTableNameWithType: source },
    { code: 'INVALID_PARAMETER' },
  ],
  [
    'an unknown server tenant',
    { ...request, destServerTenant: 'Nope' },
    { code: 'TENANT_NOT_FOUND' },
  ],
  [
    'an unknown broker tenant',
    { ...request, destBrokerTenant: 'Nope' },
    { code: 'TENANT_NOT_FOUND' },
  ],
  ['a lag below 0', { ...request, maxTableStreamLag: -1 }, { code: 'INVALID_PARAMETER' }],
  ['no time to rebalance', { ...request, maxRebalanceTimeMin: 0 }, { code: 'INVALID_PARAMETER' }],
];

it.each(refusals)('refuses %s, and leaves nothing behind', async (_what, refused, error) => {
  const scene = new Scene();
  await using controller = scene.controller();
  await expect(controller.start(refused)).rejects.toThrow(expect.objectContaining(error));
  expect(scene.engine.changes).toEqual([]);
  expect(await controller.list()).toEqual([]);
});

it('a restream refuses a destination that is there', async () => {
  const scene = new Scene();
  await using controller = scene.controller();
  await scene.engine.createTable({ tableName: destination, tableType: 'REALTIME' });
  await expect(controller.start(request)).rejects.toThrow(
    expect.objectContaining({ code: 'TABLE_EXISTS' }),
  );
});

it('a restream refuses a schema of the name with other columns, and uses one with the same', async () => {
  const scene = new Scene();
  await using controller = scene.controller();
  await scene.engine.createSchema({
    schemaName: 'orders2',
    dimensionFieldSpecs: [{ dataType: 'STRING', name: 'id' }],
  });
  await expect(controller.start(request)).rejects.toThrow(
    expect.objectContaining({ code: 'SCHEMA_EXISTS' }),
  );
  await scene.engine.deleteSchema('orders2');
  await scene.engine.createSchema({
    schemaName: 'orders2',
    dimensionFieldSpecs: [{ dataType: 'LONG', name: 'id' }],
  });
  const { jobId } = await controller.start(request);
  await controller.cancel(jobId, { dropDestination: true });
  await scene.untilEnded(controller, jobId);
  expect(scene.engine.schemaNames).toEqual(['orders', 'orders2']);
});

it('a restream takes back what it made when the config does not suit the destination, and passes on all findings', async () => {
  const scene = new Scene();
  const findings = [{ path: '/tenants', code: 'ODD', message: 'Odd.', severity: 'error' as const }];
  scene.engine.createTable = () =>
    Promise.reject(new QuireError('TABLE_INVALID', 'The config is not valid.', { findings }));
  await using controller = scene.controller();
  await expect(controller.start(request)).rejects.toThrow(
    expect.objectContaining({ code: 'TABLE_INVALID', findings }),
  );
  expect(scene.engine.schemaNames).toEqual(['orders']);
  expect(await controller.list()).toEqual([]);
});

it('a restream runs one job a table: of two at once, the second is told of the first', async () => {
  const scene = new Scene();
  await using controller = scene.controller();
  const [first, second] = await Promise.allSettled([
    controller.start(request),
    controller.start({ ...request, destTableNameWithType: 'orders3_REALTIME' }),
  ]);
  expect(first.status).toBe('fulfilled');
  const { jobId } = await controller.readOfTable(source);
  expect(second).toMatchObject({
    status: 'rejected',
    reason: { code: 'JOB_EXISTS', message: expect.stringContaining(jobId) },
  });
  expect(await controller.findActive(destination)).toMatchObject({ jobId });
});

it.each(['nope', '../../etc/passwd', '01a1fbe5-2323-7189-ad84-e68ed2a88fe2'])(
  'a controller has no restream %s',
  async (jobId) => {
    await using controller = new Scene().controller();
    await expect(controller.read(jobId)).rejects.toThrow(
      expect.objectContaining({ code: 'JOB_NOT_FOUND' }),
    );
  },
);

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
    expect(await scene.untilEnded(controller, jobId)).toMatchObject({
      status: 'FAILED',
      error: {
        code: 'TABLE_NOT_FOUND',
        message: 'The destination table orders2_REALTIME was dropped while it was being built.',
      },
    });
  },
);

it('a restream that waits at its start is told that the destination was dropped', async () => {
  const scene = new Scene();
  await using controller = scene.controller();
  const { jobId } = await controller.start({ ...request, debugPause: true });
  scene.engine.remove(destination);
  expect(await scene.untilEnded(controller, jobId)).toMatchObject({
    status: 'FAILED',
    error: {
      code: 'TABLE_NOT_FOUND',
      message: 'The destination table orders2_REALTIME was dropped while it was being built.',
    },
  });
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

import { describe, expect, test } from 'vitest';
import recorded from './recorded/consumption.json' with { type: 'json' };
import { type Answers, neverAnswered, replay } from './replayed-controller.ts';

type Documents = Readonly<Record<string, Readonly<Record<string, string>>>>;
const segmentsOf = (scene: Answers): Documents =>
  scene['/segments/rivers_REALTIME/zkmetadata'] as Documents;

const [first, second] = ['Server_pinot-0_8098', 'Server_pinot-1_8098'];
const [segment0, segment1] = ['rivers__0__0__20261123T0352Z', 'rivers__1__0__20261123T0352Z'];
const atEnd = { currentOffset: 100, latestOffset: 100, lagMessages: 0 };
const unknown = { currentOffset: null, latestOffset: null, lagMessages: null };

describe('consumption, as a real Apache Pinot 1.5.1 has shown it', () => {
  test('consumption has an entry for each server of a partition', async () => {
    await using cluster = await replay(recorded.healthy);
    const consumption = await cluster.engine.readConsumption('rivers_REALTIME');
    expect(consumption).toMatchObject({ isPaused: false, isReady: true, serversFailingCount: 0 });
    expect(consumption.partitions).toMatchObject(
      [segment0, segment1].map((segmentName, partition) => ({
        partition,
        state: 'CONSUMING',
        segmentName,
        ...atEnd,
        error: null,
        replicas: [
          { serverName: first, state: 'CONSUMING', ...atEnd },
          { serverName: second, state: 'CONSUMING', ...atEnd },
        ],
      })),
    );
    expect(consumption.partitions.some((each) => 'notice' in each)).toBe(false);
    expect(cluster.calls.filter((call) => call.includes('/status'))).toEqual([]);
  });

  test('consumption goes on where one of two servers has given up, and says which, in the words of the cluster', async () => {
    await using cluster = await replay(recorded.halfDead);
    const { partitions } = await cluster.engine.readConsumption('rivers_REALTIME');
    const reason = `Apache Pinot says: Segment: ${segment0} is not being consumed on server: ${second}.`;
    expect(partitions).toMatchObject([
      { state: 'CONSUMING', ...atEnd, error: null, notice: `${second}: NOT_CONSUMING. ${reason}` },
      { state: 'CONSUMING', ...atEnd, error: null, notice: `${first}: NOT_CONSUMING. ${reason}` },
    ]);
    expect(partitions[0]?.replicas?.map(({ state }) => state)).toEqual([
      'CONSUMING',
      'NOT_CONSUMING',
    ]);
  });

  test('consumption does not call a partition consuming whose only server has given up', async () => {
    await using cluster = await replay(recorded.dead);
    const { partitions } = await cluster.engine.readConsumption('brook_REALTIME');
    expect(partitions).toMatchObject([
      {
        state: 'RETRYING',
        currentOffset: 100,
        error: `${first}: NOT_CONSUMING. Apache Pinot says: Segment: brook__0__0__20261123T0352Z is not being consumed on server: ${first}.`,
        replicas: [{ serverName: first, state: 'NOT_CONSUMING' }],
      },
      { state: 'RETRYING', replicas: [{ serverName: second, state: 'NOT_CONSUMING' }] },
    ]);
  });

  test('consumption has its servers also while Kafka is away and none of them answers, and no lag', async () => {
    await using cluster = await replay(recorded.kafkaAway);
    const consumption = await cluster.engine.readConsumption('rivers_REALTIME');
    expect(consumption.serversFailingCount).toBe(2);
    expect(consumption.partitions).toMatchObject(
      [segment0, segment1].map((segmentName) => ({
        state: 'RETRYING',
        segmentName,
        ...unknown,
        error: `${first}, ${second}: no answer; the server or its stream is not available. Apache Pinot says: Did not get any response from servers for segment: ${segment0}.`,
        replicas: [first, second].map((serverName) => ({
          serverName,
          state: 'UNKNOWN',
          ...unknown,
        })),
      })),
    );
  });

  test('a partition is starting, with no error, while a segment is new', async () => {
    const createdMs = Number(segmentsOf(recorded.kafkaAway)[segment0]?.['segment.creation.time']);
    await using cluster = await replay(recorded.kafkaAway, createdMs + 1000);
    const { partitions } = await cluster.engine.readConsumption('rivers_REALTIME');
    expect(partitions).toMatchObject([
      { state: 'STARTING', currentOffset: 0, lagMessages: null, error: null },
      { state: 'STARTING', currentOffset: 0, lagMessages: null, error: null },
    ]);
  });

  test('a partition keeps its servers between the two steps of a commit', async () => {
    const path = '/segments/rivers_REALTIME/zkmetadata';
    const done = {
      ...segmentsOf(recorded.healthy)[segment0],
      'segment.realtime.status': 'DONE',
      'segment.realtime.endOffset': '100',
    };
    await using cluster = await replay({
      ...recorded.healthy,
      [path]: { ...segmentsOf(recorded.healthy), [segment0]: done },
    });
    const { partitions } = await cluster.engine.readConsumption('rivers_REALTIME');
    expect(partitions[0]).toMatchObject({
      state: 'STARTING',
      segmentName: segment0,
      currentOffset: 100,
      replicas: [{ serverName: first }, { serverName: second }],
    });
  });

  test('a partition whose commit is broken is there with its servers and the reason, and is not running', async () => {
    const path = '/segments/rivers_REALTIME/zkmetadata';
    const consumers = recorded.healthy['/tables/rivers_REALTIME/consumingSegmentsInfo'] as {
      readonly _segmentToConsumingInfoMap: object;
    };
    const done = {
      ...segmentsOf(recorded.healthy)[segment0],
      'segment.realtime.status': 'DONE',
      'segment.realtime.endOffset': '100',
    };
    const broken = {
      ...recorded.healthy,
      [path]: { ...segmentsOf(recorded.healthy), [segment0]: done },
      '/tables/rivers_REALTIME/consumingSegmentsInfo': {
        ...consumers,
        _segmentToConsumingInfoMap: { ...consumers._segmentToConsumingInfoMap, [segment0]: [] },
      },
      '/tables/rivers/status?type=REALTIME': {
        ingestionStatus: { ingestionState: 'UNHEALTHY', errorMessage: 'No response' },
      },
    };
    await using cluster = await replay(broken);
    const { partitions } = await cluster.engine.readConsumption('rivers_REALTIME');
    expect(partitions).toMatchObject([
      {
        state: 'RETRYING',
        segmentName: segment0,
        currentOffset: 100,
        lagMessages: null,
        error:
          `The commit of ${segment0} is not completed: no server consumes the messages after it. ` +
          'Apache Pinot completes it once it is five minutes old, when the table is resumed or in its periodic check. ' +
          'Apache Pinot says: No response.',
        replicas: [
          { serverName: first, state: 'UNKNOWN' },
          { serverName: second, state: 'UNKNOWN' },
        ],
      },
      { state: 'CONSUMING', error: null },
    ]);
  });
});

describe('a server that hangs', () => {
  test('consumption says after a while that no server answers, with all partitions, and asks it no more', async () => {
    const path = '/tables/rivers_REALTIME/consumingSegmentsInfo';
    await using cluster = await replay({ ...recorded.healthy, [path]: neverAnswered });
    const reading = cluster.engine.readConsumption('rivers_REALTIME');
    await expect.poll(() => cluster.calls).toContain(`GET ${path}`);
    await cluster.clock.advance(12_000);
    expect(await reading).toMatchObject({
      serversFailingCount: 2,
      partitions: [segment0, segment1].map((segmentName) => ({
        state: 'RETRYING',
        segmentName,
        ...unknown,
        error: `${first}, ${second}: no answer; the server or its stream is not available.`,
      })),
    });
    expect(cluster.calls.some((call) => call.includes('/status'))).toBe(false);
  });

  test('consumption is not known in the time of one question, whichever of two is not answered', async () => {
    const path = '/tables/rivers/status?type=REALTIME';
    await using cluster = await replay({ ...recorded.kafkaAway, [path]: neverAnswered });
    const reading = cluster.engine.readConsumption('rivers_REALTIME');
    await expect.poll(() => cluster.calls).toContain(`GET ${path}`);
    await cluster.clock.advance(12_000);
    expect((await reading).partitions[0]).toMatchObject({
      state: 'RETRYING',
      error: `${first}, ${second}: no answer; the server or its stream is not available.`,
    });
  });

  test('servers are asked by one call at a time, which all readers that wait share', async () => {
    const path = '/tables/rivers_REALTIME/consumingSegmentsInfo';
    await using cluster = await replay({ ...recorded.healthy, [path]: neverAnswered });
    const countAsked = (): number => cluster.calls.filter((call) => call === `GET ${path}`).length;
    const countZkReads = (): number =>
      cluster.calls.filter((call) => call.includes('/servers')).length;
    const readings = [1, 2, 3, 4, 5].map(() => cluster.engine.readConsumption('rivers_REALTIME'));
    await expect.poll(countZkReads).toBe(5);
    await expect.poll(countAsked).toBe(1);
    await cluster.clock.untilSleeping(7);
    await cluster.clock.advance(12_000);
    expect((await Promise.all(readings)).map((each) => each.serversFailingCount)).toEqual([
      2, 2, 2, 2, 2,
    ]);
    // The next call is shared by the four callers that waited.
    await expect.poll(countAsked).toBe(2);
  });

  test('a pause is known while no server answers', async () => {
    const path = '/tables/rivers_REALTIME/consumingSegmentsInfo';
    await using cluster = await replay({ ...recorded.healthy, [path]: neverAnswered });
    expect(await cluster.engine.readPauseStatus('rivers_REALTIME')).toMatchObject({
      isPaused: false,
      segmentNames: [segment0, segment1],
    });
    expect(cluster.calls).not.toContain(`GET ${path}`);
  });

  test('segments are listed after a while, with the size of their file in the deep store', async () => {
    const path = '/tables/rivers_REALTIME/size?verbose=true';
    const done = {
      ...segmentsOf(recorded.healthy)[segment0],
      'segment.realtime.status': 'DONE',
      'segment.size.in.bytes': '3358',
    };
    await using cluster = await replay({
      ...recorded.healthy,
      '/segments/rivers_REALTIME/zkmetadata': { [segment0]: done },
      [path]: neverAnswered,
    });
    const listing = cluster.engine.listSegments('rivers_REALTIME');
    await expect.poll(() => cluster.calls).toContain(`GET ${path}`);
    await cluster.clock.advance(12_000);
    expect(await listing).toMatchObject([
      { sizeBytes: 3358, notice: expect.stringMatching(/^No server reports the size/) },
    ]);
  });
});

describe('segments', () => {
  const path = '/tables/rivers_REALTIME/size?verbose=true';
  const zkPath = '/segments/rivers_REALTIME/zkmetadata';
  const sizeOf = (bytes: number) => ({
    realtimeSegments: { segments: { [segment0]: { reportedSizeInBytes: bytes } } },
  });
  const committed = {
    [segment0]: {
      ...segmentsOf(recorded.healthy)[segment0],
      'segment.realtime.status': 'DONE',
      'segment.size.in.bytes': '3358',
    },
  };

  test('segments are as large as what servers hold, all replicas together', async () => {
    const answers = { ...recorded.healthy, [zkPath]: committed, [path]: sizeOf(114_545) };
    await using cluster = await replay(answers);
    const segments = await cluster.engine.listSegments('rivers_REALTIME');
    expect(segments).toMatchObject([{ state: 'COMMITTED', sizeBytes: 114_545 }]);
    expect(segments[0]?.notice).toBeUndefined();
  });

  test('segments are as large as their file in the deep store while no server says, and that is said', async () => {
    const answers = { ...recorded.healthy, [zkPath]: committed, [path]: sizeOf(-1) };
    await using cluster = await replay(answers);
    expect(await cluster.engine.listSegments('rivers_REALTIME')).toMatchObject([
      { sizeBytes: 3358, notice: expect.stringMatching(/^No server reports the size/) },
    ]);
  });

  test('segments are listed while the rows of consuming ones cannot be counted, and that is said', async () => {
    const brokers = { status: 200, text: '{"tables":{},"tenants":{}}' };
    await using cluster = await replay({
      ...recorded.healthy,
      '/v2/brokers?state=ONLINE': brokers,
    });
    expect(await cluster.engine.listSegments('rivers_REALTIME')).toMatchObject([
      {
        segmentName: segment0,
        state: 'CONSUMING',
        rowCount: 0,
        notice:
          'The rows of consuming segments are not known: The controller of Apache Pinot reports no broker for the tables of the query.',
      },
      { segmentName: segment1 },
    ]);
  });
});

describe('a table that is being deleted', () => {
  const idealStatePath = '/tables/rivers_REALTIME/idealstate?tableType=REALTIME';
  /** Answers of Apache Pinot 1.5.1, between the deletion of the ideal state and of the config. */
  const failures = [
    ['/segments/rivers_REALTIME/servers', 'Ideal state does not exist for table: rivers_REALTIME'],
    ['/tables/rivers_REALTIME/size?verbose=true', 'Failed to read table size for rivers_REALTIME'],
  ] as const;

  test.each(failures)(
    'a table that is being deleted is not found, where %s fails',
    async (path, error) => {
      const failure = { status: 500, text: JSON.stringify({ code: 500, error }) };
      const missing = { OFFLINE: null, REALTIME: null };
      for (const gone of [{ [idealStatePath]: missing }, {}]) {
        await using cluster = await replay({ ...recorded.healthy, [path]: failure, ...gone });
        const listing = cluster.engine.listSegments('rivers_REALTIME');
        await expect(listing).rejects.toMatchObject({
          code: 'TABLE_NOT_FOUND',
          message: 'rivers_REALTIME is being deleted.',
          cause: { code: 'UNEXPECTED_RESPONSE', message: expect.stringContaining(error) },
        });
      }
    },
  );

  test.each(failures)(
    'is found while it has an ideal state, where %s fails',
    async (path, error) => {
      const failure = { status: 500, text: JSON.stringify({ code: 500, error }) };
      const answers = { ...recorded.healthy, [path]: failure };
      await using cluster = await replay({ ...answers, [idealStatePath]: { REALTIME: {} } });
      await expect(cluster.engine.listSegments('rivers_REALTIME')).rejects.toMatchObject({
        code: 'UNEXPECTED_RESPONSE',
        message: expect.stringContaining(error),
      });
    },
  );

  test('a table that is being deleted is not found, where its consumption is read', async () => {
    const [path, error] = failures[0];
    const failure = { status: 500, text: JSON.stringify({ code: 500, error }) };
    await using cluster = await replay({ ...recorded.healthy, [path]: failure });
    await expect(cluster.engine.readConsumption('rivers_REALTIME')).rejects.toMatchObject({
      code: 'TABLE_NOT_FOUND',
    });
  });
});

import type { ClusterHealthResponse, ClusterResultsResponse } from '@quire/api';
import { expect, test } from 'vitest';
import { type LogLine, recordingLogger } from '../testkit/broker-log.ts';
import { FaultProxy } from '../testkit/servers/fault-proxy.ts';
import { TestBroker } from '../testkit/broker-server.ts';
import { TestController } from '../testkit/controller-server.ts';

const hourMs = 3_600_000;

/** A broker with two results that have expired and one that lives. */
async function startBroker(): Promise<TestBroker> {
  const broker = await TestBroker.start();
  await broker.stored(5);
  await broker.stored(5);
  await broker.clock.advance(hourMs / 2);
  await broker.stored(5);
  await broker.clock.advance(hourMs / 2);
  return broker;
}

test('of three brokers, one hangs and one answers garbage: the third one is cleaned, again and again', async () => {
  await using hanging = await startBroker();
  await using babbling = await startBroker();
  await using good = await startBroker();
  await using toHanging = await FaultProxy.start(hanging.address.port);
  await using toBabbling = await FaultProxy.start(babbling.address.port);
  toHanging.intercept = () => ({ kind: 'stall' });
  toBabbling.intercept = () => ({
    kind: 'answer',
    status: 200,
    body: '\u0000{"resultMetadataList":[{]',
  });
  const log: LogLine[] = [];
  const logger = recordingLogger(log);
  await using controller = await TestController.start(
    [toHanging.endpoint, toBabbling.endpoint, good.address.url],
    { logger },
  );
  const untilRuns = async (url: string, count: number): Promise<void> => {
    while (log.filter((line) => line['broker'] === url).length < count) {
      await new Promise((resolve) => setImmediate(resolve));
    }
  };
  const objectsOf = async (broker: TestBroker): Promise<number> =>
    (await broker.objectKeys()).length;
  expect(await Promise.all([hanging, babbling, good].map(objectsOf))).toEqual([6, 6, 6]);

  await controller.clock.advance(1000);
  await untilRuns(good.address.url, 1);
  await untilRuns(toBabbling.endpoint, 1);
  expect(await objectsOf(good)).toBe(2);
  expect(log.filter((line) => line['broker'] === toHanging.endpoint)).toEqual([]);

  // Results that expire later are deleted by the next run, which the hanging broker does not delay
  // either.
  await good.clock.advance(hourMs);
  await controller.clock.advance(30_000);
  await untilRuns(toHanging.endpoint, 1);
  expect(await objectsOf(good)).toBe(2);
  await controller.clock.advance(34_000);
  await untilRuns(good.address.url, 2);
  expect(await objectsOf(good)).toBe(0);

  // Calls that need the hanging broker still have the others' answers, and report a timeout for it.
  const health = controller.call('/cluster/health');
  await expect
    .poll(() => toHanging.requests.map(({ method, url }) => `${method} ${url}`))
    .toContain('GET /health');
  // Three wait for their next run or their time-out, one watches the response of this call, and the
  // last is the time-out of the hanging broker: the others have answered this call.
  await expect.poll(() => controller.clock.sleeperCount).toBe(5);
  await controller.clock.advance(30_000);
  const { status, brokers } = (await (await health).json()) as ClusterHealthResponse;
  expect(status).toBe('degraded');
  const timeout = 'There was no complete answer within 30000 ms.';
  expect(brokers).toMatchObject([
    {
      url: toHanging.endpoint,
      state: 'down',
      error: timeout,
      cleaning: { lastGoodRunMs: null, error: timeout },
    },
    {
      url: toBabbling.endpoint,
      state: 'down',
      error: 'The answer is not a health report of a broker.',
      cleaning: {
        lastGoodRunMs: null,
        error: 'The answer does not contain the number of deleted results.',
      },
    },
    {
      url: good.address.url,
      state: 'up',
      brokerId: 'Broker_127.0.0.1_8099',
      version: '1.2.3',
      error: null,
    },
  ]);
  expect(brokers[2]?.cleaning.error).toBeNull();

  // Once they respond again, they are cleaned as well.
  toHanging.intercept = () => undefined;
  toBabbling.intercept = () => undefined;
  const answer = await controller.call('/cluster/results', { method: 'DELETE' });
  expect(await answer.json()).toMatchObject({ deletedCount: 4 });
  expect(await Promise.all([hanging, babbling, good].map(objectsOf))).toEqual([2, 2, 0]);
});

test('the results of two brokers are one list, and a deletion on demand leaves no living one out of account', async () => {
  await using one = await startBroker();
  await using other = await startBroker();
  await using controller = await TestController.start([one.address.url, other.address.url]);

  const { resultMetadataList, brokers } = (await (
    await controller.call('/cluster/results/')
  ).json()) as ClusterResultsResponse;
  const refused = await controller.call('/cluster/results', { as: 'ann' });
  const early = await (
    await controller.call('/cluster/results?expiredBefore=5', { method: 'DELETE' })
  ).json();
  const all = await (
    await controller.call(`/cluster/results?expiredBefore=${Number.MAX_SAFE_INTEGER}`, {
      method: 'DELETE',
    })
  ).json();

  // Expired results are no longer listed, whether they are deleted or not.
  expect(brokers.map(({ state, resultCount }) => [state, resultCount])).toEqual([
    ['ok', resultMetadataList.length / 2],
    ['ok', resultMetadataList.length / 2],
  ]);
  expect(new Set(resultMetadataList.map(({ requestId }) => requestId)).size).toBe(
    resultMetadataList.length,
  );
  const times = resultMetadataList.map(({ submissionTimeMs }) => submissionTimeMs);
  expect(times).toEqual(times.toSorted((earlier, later) => later - earlier));
  expect(refused.status).toBe(403);
  expect(early).toMatchObject({ deletedCount: 0 });
  expect(all).toMatchObject({ deletedCount: 6 });
  expect(await one.objectKeys()).toEqual([]);
});

test('a controller whose clock is far ahead deletes nothing that lives', async () => {
  await using broker = await startBroker();
  await using controller = await TestController.start([broker.address.url]);
  controller.clock.stepWallClock(1000 * hourMs);
  await controller.clock.advance(1000);
  await controller.clock.untilSleeping(1);
  while ((await broker.objectKeys()).length > 2) {
    await new Promise((resolve) => setImmediate(resolve));
  }
  expect((await (await controller.call('/cluster/results')).json()) as object).toMatchObject({
    brokers: [{ resultCount: 1 }],
  });
});

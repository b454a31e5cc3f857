import { createRequestId } from '@quire/core';
import { SeededRandom } from '@quire/core/testing';
import { expect, it, vi } from 'vitest';
import { JobRecords } from '../../src/restream/job-records.ts';
import { destination, Scene, source } from './scene.ts';

const request = { tableNameWithType: source, destTableNameWithType: destination };
/** Several scans. */
const scansMs = 10 * 60_000;

it('a scan for unfinished restreams does not read those that are done', async () => {
  const scene = new Scene();
  await using controller = scene.controller();
  const { jobId } = await controller.start(request);
  expect((await scene.untilEnded(controller, jobId)).status).toBe('DONE');
  await scene.clock.advance(60_000);
  const get = vi.spyOn(scene.store, 'get');
  await scene.clock.advance(scansMs);
  expect(get.mock.calls.map(([key]) => key)).toEqual([]);
});

it('a scan removes restreams that are done, but the latest hundred and those that may have work', async () => {
  const scene = new Scene();
  const records = new JobRecords(scene.store);
  const first = scene.controller();
  const done = await first.start(request);
  await scene.untilEnded(first, done.jobId);
  const finished = await first.read(done.jobId);
  scene.engine.behaviour.rebalanceMs = 'never';
  const failing = await first.start({
    tableNameWithType: source,
    destTableNameWithType: 'orders3_REALTIME',
    maxRebalanceTimeMin: 1,
  });
  await scene.untilEnded(first, failing.jobId);
  const undropped = createRequestId(scene.clock, new SeededRandom(7));
  await records.write({
    ...finished,
    jobId: undropped,
    status: 'FAILED',
    cleanup: { kind: 'DROP', isDone: true, waitedMs: 0, problem: 'The cluster is down.' },
  });
  await scene.clock.advance(1);
  const laterIds = Array.from({ length: 100 }, (_, index) =>
    createRequestId(scene.clock, new SeededRandom(1000 + index)),
  );
  await first[Symbol.asyncDispose]();
  for (const jobId of laterIds) await records.write({ ...finished, jobId });
  // One that has just started reads them in the order of the listing.
  await using next = scene.controller();
  await scene.clock.advance(scansMs);

  const kept = (await next.list()).map(({ jobId }) => jobId);
  expect(new Set(kept)).toEqual(new Set([failing.jobId, undropped, ...laterIds]));
  await expect(next.read(done.jobId)).rejects.toMatchObject({ code: 'JOB_NOT_FOUND' });
  const keys = await Array.fromAsync(scene.store.list('restreams/'), ({ key }) => key);
  expect(keys.filter((key) => key.includes(done.jobId))).toEqual([]);
});

it('a scan for unfinished restreams finds the drop of one that has failed, requested by a controller that died before it began', async () => {
  const scene = new Scene();
  scene.engine.behaviour.rebalanceMs = 'never';
  await using controller = scene.controller();
  const { jobId } = await controller.start({ ...request, maxRebalanceTimeMin: 1 });
  expect((await scene.untilEnded(controller, jobId)).status).toBe('FAILED');
  await scene.clock.advance(scansMs);
  expect(scene.engine.tableNames).toContain(destination);
  await new JobRecords(scene.store).requestCancel(jobId, { dropDestination: true });
  await scene.clock.advance(scansMs);
  expect(scene.engine.tableNames).not.toContain(destination);
});

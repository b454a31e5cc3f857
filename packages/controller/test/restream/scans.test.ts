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

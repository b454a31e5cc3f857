import { QuireError } from '@quire/core';
import { expect, it } from 'vitest';
import { destination, Scene, source } from './scene.ts';

it('a restream is done, and says why it could not compare, when the source cannot be counted for longer than it may try', async () => {
  const scene = new Scene();
  const count = scene.engine.countRows.bind(scene.engine);
  scene.engine.countRows = async (name) => {
    if (name !== source) return count(name);
    throw new QuireError('ENGINE_UNAVAILABLE', 'A server of the source is down.');
  };
  await using controller = scene.controller();
  const { jobId } = await controller.start({
    tableNameWithType: source,
    destTableNameWithType: destination,
    maxRebalanceTimeMin: 1,
  });
  const job = await scene.untilEnded(controller, jobId);
  expect(job).toMatchObject({ status: 'DONE', comparison: null, cleanup: null });
  expect(job.stages.at(-1)?.outcome).toBe(
    'Source and destination could not be compared: A server of the source is down.',
  );
  expect(scene.engine.isPaused(destination)).toBe(false);
});

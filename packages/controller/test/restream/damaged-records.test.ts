import { QuireError, readObject } from '@quire/core';
import { SeededRandom } from '@quire/core/testing';
import { describe, expect, test, vi } from 'vitest';
import { JobRecords } from '../../src/restream/job-records.ts';
import type { RestreamJob } from '../../src/restream/restream-job.ts';
import type { Restreams } from '../../src/restream/restreams.ts';
import { destination, Scene, source } from './scene.ts';

type Damage = (
  record: Buffer,
  about: { readonly other: Buffer; readonly older: Buffer; readonly random: SeededRandom },
) => Buffer | undefined;

const damages: Readonly<Record<string, Damage>> = {
  'a bit of it is flipped': (record, { random }) => {
    const bit = Math.floor(random.fraction() * record.byteLength * 8);
    return Buffer.from(
      record.map((byte, index) => (index === bit >> 3 ? byte ^ (1 << (bit & 7)) : byte)),
    );
  },
  'it is cut': (record, { random }) =>
    record.subarray(0, Math.floor(random.fraction() * record.byteLength)),
  'it is empty': () => Buffer.alloc(0),
  'it is missing': () => undefined,
  'it is that of another job': (_record, { other }) => other,
  'it is an older copy': (_record, { older }) => older,
  'it is doubled': (record) => Buffer.concat([record, record]),
};

describe('the record of a job that is damaged', () => {
  test.each(Object.entries(damages))(
    'the record of a job that is damaged sets its job aside, and no other, where %s; its file mends it',
    async (_what, damage) => {
      const scene = new Scene();
      const keyOf = ({ jobId }: RestreamJob): string => `restreams/${jobId}/record.json`;
      const read = async (job: RestreamJob): Promise<Buffer> =>
        Buffer.from(await readObject(scene.store, keyOf(job)));
      const start = (controller: Restreams, dest: string) =>
        controller.start({
          tableNameWithType: source,
          destTableNameWithType: dest,
          debugPause: true,
        });
      const other = await (async () => {
        await using controller = scene.controller();
        const job = await start(controller, destination);
        await controller.cancel(job.jobId, { dropDestination: true });
        return await scene.untilEnded(controller, job.jobId);
      })();
      let older: Buffer;
      let job: RestreamJob;
      {
        await using controller = scene.controller();
        job = await start(controller, 'orders3_REALTIME');
        older = await read(job);
        await controller.resume(job.jobId);
        job = await scene.until(controller, job.jobId, ({ status }) => status === 'TABLE_STREAM');
      }
      const whole = await read(job);
      const bytes = damage(whole, { other: await read(other), older, random: new SeededRandom(7) });
      if (bytes === undefined) await scene.store.delete(keyOf(job));
      else await scene.store.put(keyOf(job), bytes);
      const changes = [...scene.engine.changes];

      await using controller = scene.controller();
      await scene.clock.advance(60_000);
      expect((await controller.list()).map(({ jobId }) => jobId)).toEqual([other.jobId]);
      expect(await controller.listProblems()).toEqual([
        { kind: 'job', subject: job.jobId, problem: expect.stringContaining(keyOf(job)) as string },
      ]);
      await expect(controller.read(job.jobId)).rejects.toMatchObject({
        code: 'RECORD_DAMAGED',
        kind: 'corrupt',
      });
      await expect(controller.cancel(job.jobId, { dropDestination: true })).rejects.toMatchObject({
        code: 'RECORD_DAMAGED',
      });
      // Nothing was done for it in between.
      expect(scene.engine.changes).toEqual(changes);

      await scene.store.put(keyOf(job), whole);
      const done = await scene.untilEnded(controller, job.jobId);
      expect(done.status).toBe('DONE');
      expect(await controller.listProblems()).toEqual([]);
    },
  );

  test('the record of a job is not taken for an older copy when a read outlasts two writes, and the process dies in the next write', async () => {
    const scene = new Scene();
    await using controller = scene.controller();
    const started = await controller.start({
      tableNameWithType: source,
      destTableNameWithType: destination,
      debugPause: true,
    });
    const job = await controller.read(started.jobId);
    await controller[Symbol.asyncDispose]();
    const { store } = scene;
    const [get, put] = [store.get.bind(store), store.put.bind(store)];
    const [isFound, isReleased] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const slow = vi.spyOn(store, 'get').mockImplementation(async (...asked) => {
      const found = await get(...asked);
      if (!asked[0].endsWith('/record.json')) return found;
      isFound.resolve();
      await isReleased.promise;
      return found;
    });
    const records = new JobRecords(store);
    const reading = records.read(job.jobId);
    await isFound.promise;
    // As the driver of the job, which has read the record before.
    slow.mockRestore();
    await records.read(job.jobId);
    await records.write(job);
    await records.write(job);
    isReleased.resolve();
    await reading;
    vi.spyOn(store, 'put').mockImplementation(async (key, ...content) => {
      if (key.endsWith('/revision.json')) throw new QuireError('STORE_UNAVAILABLE', 'Killed.');
      return put(key, ...content);
    });
    await expect(records.write(job)).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' });
    expect(await new JobRecords(store).read(job.jobId)).toEqual(job);
  });

  test('the record of a job that is removed while it is read is not damaged', async () => {
    const scene = new Scene();
    const { store } = scene;
    await using controller = scene.controller();
    const { jobId } = await controller.start({
      tableNameWithType: source,
      destTableNameWithType: destination,
      debugPause: true,
    });
    await controller[Symbol.asyncDispose]();
    const get = store.get.bind(store);
    vi.spyOn(store, 'get').mockImplementationOnce(async (...asked) => {
      const revision = await get(...asked);
      await new JobRecords(store).remove(jobId);
      return revision;
    });
    await expect(new JobRecords(store).read(jobId)).rejects.toMatchObject({
      code: 'JOB_NOT_FOUND',
    });
  });

  test('the record of a job that is damaged is read and sealed where an earlier release wrote it', async () => {
    const scene = new Scene();
    await using controller = scene.controller();
    const { jobId } = await controller.start({
      tableNameWithType: source,
      destTableNameWithType: destination,
      debugPause: true,
    });
    const job = await controller.read(jobId);
    await controller[Symbol.asyncDispose]();
    const key = `restreams/${jobId}/record.json`;
    await scene.store.put(key, Buffer.from(`${JSON.stringify({ formatVersion: 1, ...job })}\n`));
    await scene.store.delete(`restreams/${jobId}/revision.json`);
    await using next = scene.controller();
    await next.resume(jobId);
    expect((await scene.untilEnded(next, jobId)).status).toBe('DONE');
    expect(Buffer.from(await readObject(scene.store, key)).toString()).toContain(
      '"formatVersion":2',
    );
  });
});

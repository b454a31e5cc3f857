import { isQuireError, QuireError } from '@quire/core';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { isFinal, type RestreamJob, type RestreamStatus } from '../../src/restream/restream-job.ts';
import { partitionCount } from './fake-engine.ts';
import { destination, Scene, source } from './scene.ts';

/** The events that may happen while a job runs. */
const event = fc.oneof(
  fc.record({ kind: fc.constant('time' as const), ms: fc.integer({ min: 100, max: 40_000 }) }),
  fc.record({ kind: fc.constant('away' as const), isAway: fc.boolean() }),
  fc.record({ kind: fc.constant('stall' as const), isStalled: fc.boolean() }),
  fc.record({ kind: fc.constant('stuck' as const), isStuck: fc.boolean() }),
  fc.record({
    kind: fc.constant('rebalance' as const),
    ms: fc.constantFrom('NO_OP' as const, 'FAILED' as const, 'never' as const, 1000, 30_000),
  }),
  fc.record({
    kind: fc.constant('clock' as const),
    deltaMs: fc.integer({ min: -86_400_000, max: 86_400_000 }),
  }),
  fc.record({ kind: fc.constant('restart' as const) }),
  fc.record({ kind: fc.constant('cancel' as const), dropDestination: fc.boolean() }),
  fc.record({ kind: fc.constant('delete' as const), table: fc.constantFrom(source, destination) }),
);

/** The allowed transitions (SPECIFICATION.md section 3; TABLES.md section 5). */
const nextStatuses: Readonly<Record<RestreamStatus, readonly RestreamStatus[]>> = {
  INIT: ['TABLE_STREAM', 'FAILED', 'CANCELLED'],
  TABLE_STREAM: ['FORCE_COMMIT', 'FAILED', 'CANCELLED'],
  FORCE_COMMIT: ['REBALANCE', 'FAILED', 'CANCELLED'],
  REBALANCE: ['DONE', 'FAILED', 'CANCELLED'],
  DONE: [],
  FAILED: [],
  CANCELLED: [],
};

function unlessConflict(error: unknown): void {
  if (!isQuireError(error, 'CONFLICT')) throw error;
}

/** The same runs every time; 5,000 with a seed of their own take some fifteen minutes. */
const longRuns = process.env['QUIRE_RESTREAM_RUNS'];
const runCount = Number(longRuns ?? 60);
const seed = longRuns === undefined ? 7 : Date.now();

it(
  'ends every job, whatever happens, by the transitions that there are',
  { timeout: 240_000 + runCount * 200 },
  async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(event, { maxLength: 12 }), async (events) => {
        const scene = new Scene();
        let controller = scene.controller();
        const { jobId } = await controller.start({
          tableNameWithType: source,
          destTableNameWithType: destination,
          maxRebalanceTimeMin: 5,
        });
        const seen: RestreamJob[] = [await controller.read(jobId)];
        const look = async (): Promise<void> => {
          seen.push(await controller.read(jobId));
        };
        for (const happens of events) {
          const { behaviour } = scene.engine;
          switch (happens.kind) {
            case 'time':
              for (let passedMs = 0; passedMs < happens.ms; passedMs += 500) {
                await scene.clock.advance(Math.min(500, happens.ms - passedMs));
                await look();
              }
              break;
            case 'away':
              behaviour.failure = happens.isAway
                ? new QuireError('ENGINE_UNAVAILABLE', 'It does not answer.')
                : undefined;
              break;
            case 'stall':
              scene.engine.setStalled(happens.isStalled);
              break;
            case 'stuck':
              behaviour.isCommitStuck = happens.isStuck;
              break;
            case 'rebalance':
              behaviour.rebalanceMs = happens.ms;
              break;
            case 'clock':
              scene.clock.stepWallClock(happens.deltaMs);
              break;
            case 'restart':
              await controller[Symbol.asyncDispose]();
              controller = scene.controller();
              break;
            case 'cancel':
              await controller.cancel(jobId, happens).catch(unlessConflict);
              break;
            case 'delete':
              scene.engine.remove(happens.table);
              break;
          }
          await look();
        }
        // All faults end, and the job runs to its end.
        scene.engine.behaviour.failure = undefined;
        for (let passedMs = 0; passedMs < 30 * 60_000; passedMs += 1000) {
          await scene.clock.advance(1000);
          await look();
          const job = seen.at(-1);
          if (job !== undefined && isFinal(job.status) && job.cleanup?.isDone !== false) break;
        }
        const job = await controller.read(jobId);
        expect(isFinal(job.status) && job.cleanup?.isDone !== false).toBe(true);
        const statuses = seen
          .map(({ status }) => status)
          .filter((status, index, all) => status !== all[index - 1]);
        const path = job.stages.map(({ stage }) => stage);
        const isAllowed = path.every(
          (status, index) =>
            index === 0 || nextStatuses[path[index - 1] ?? 'DONE'].includes(status),
        );
        expect([isAllowed, path]).toEqual([true, expect.arrayContaining(statuses)]);
        const targetRows =
          partitionCount * Math.min(...Object.values(job.targetOffsets ?? { 0: 0 }));
        expect(
          job.status !== 'DONE' || (job.comparison?.destinationRows ?? Infinity) >= targetRows,
        ).toBe(true);
        expect(job.error?.message ?? 'It did not fail.').toMatch(/^[A-Z].*[.]$/);
        const isThere = scene.engine.tableNames.includes(destination);
        // An engine that was unavailable for too long leaves the destination as it is, and the job
        // reports it.
        const { kind, problem } = job.cleanup ?? { kind: 'none', problem: null };
        expect(kind === 'DROP' && isThere && problem === null).toBe(false);
        expect(
          kind === 'PAUSE' && isThere && problem === null && !scene.engine.isPaused(destination),
        ).toBe(false);
        // The destination of a job that has ended without success can always be dropped.
        if (job.status !== 'DONE') {
          await controller.cancel(jobId, { dropDestination: true });
          const isDropped = ({ cleanup }: RestreamJob): boolean =>
            cleanup?.kind === 'DROP' && cleanup.isDone && cleanup.problem === null;
          await scene.until(controller, jobId, isDropped);
        }
        expect(job.status !== 'DONE' && scene.engine.tableNames.includes(destination)).toBe(false);
        await controller[Symbol.asyncDispose]();
      }),
      { numRuns: runCount, seed },
    );
  },
);

import { type ObjectStore, QuireError } from '@quire/core';
import { describe, expect, it } from 'vitest';
import type { RestreamEngine } from '../../src/restream/restream-engine.ts';
import { JobRecords } from '../../src/restream/job-records.ts';
import { hasDropFailed } from '../../src/restream/restream-job.ts';
import type { Restreams } from '../../src/restream/restreams.ts';
import type { FakeEngine } from './fake-engine.ts';
import { destination, Scene, source } from './scene.ts';

/** Counts the effects that a controller has outside of its process, and kills it at one of them. */
class Killer {
  readonly #killAt: number;
  #count = 0;
  #isDead = false;

  /**
   * @param killAt the number of the moment, from 1 on; two for each change: before it and after it
   */
  constructor(killAt: number) {
    this.#killAt = killAt;
  }

  get isDead(): boolean {
    return this.#isDead;
  }

  get momentCount(): number {
    return this.#count;
  }

  /**
   * The object with its methods watched: once the controller is dead, calls have no effect and no
   * answer.
   */
  watch<T extends object>(target: T, names: readonly string[]): T {
    return new Proxy(target, {
      get: (_target, name) => {
        const value: unknown = Reflect.get(target, name);
        if (typeof value !== 'function') return value;
        const method = value.bind(target) as (...values: unknown[]) => unknown;
        if (typeof name !== 'string' || !names.includes(name)) {
          return (...values: unknown[]) => (this.#isDead ? never() : method(...values));
        }
        return async (...values: unknown[]) => {
          await this.#moment();
          const answer: unknown = await method(...values);
          await this.#moment();
          return answer;
        };
      },
    });
  }

  async #moment(): Promise<void> {
    if (!this.#isDead) this.#count += 1;
    if (this.#count === this.#killAt) this.#isDead = true;
    if (this.#isDead) await never();
  }
}

function never(): Promise<never> {
  return new Promise(() => undefined);
}

const engineChanges = [
  'createSchema',
  'createTable',
  'deleteSchema',
  'deleteTable',
  'forceCommit',
  'rebalance',
  'cancelRebalance',
  'pauseConsumption',
  'resumeConsumption',
];

interface Story {
  readonly name: string;
  readonly prepare: (scene: Scene) => void;
  readonly debugPause: boolean;
  /** The call that a caller makes in between. */
  readonly meanwhile: (controller: Restreams, jobId: string) => Promise<void>;
  /** The call that a caller makes once the destination could not be dropped. */
  readonly afterFailedDrop?: (
    controller: Restreams,
    jobId: string,
    engine: FakeEngine,
  ) => Promise<void>;
  readonly status: 'DONE' | 'CANCELLED';
  readonly tables: readonly string[];
}

const stories: readonly Story[] = [
  {
    name: 'a rebalance that moves segments, and a commit that gets stuck',
    prepare: ({ engine }) =>
      Object.assign(engine.behaviour, { rebalanceMs: 5000, isCommitStuck: true }),
    debugPause: false,
    meanwhile: async () => undefined,
    status: 'DONE',
    tables: [destination, source],
  },
  {
    name: 'a pause at its start',
    prepare: () => undefined,
    debugPause: true,
    meanwhile: async (controller, jobId) => void (await controller.resume(jobId)),
    status: 'DONE',
    tables: [destination, source],
  },
  {
    name: 'a caller who cancels it and drops the destination',
    prepare: () => undefined,
    debugPause: true,
    meanwhile: async (controller, jobId) =>
      void (await controller.cancel(jobId, { dropDestination: true })),
    status: 'CANCELLED',
    tables: [source],
  },
  {
    name: 'a caller who drops the destination again after the drop has failed',
    prepare: ({ engine }) => {
      engine.behaviour.deletionFailure = new QuireError('CONFLICT', 'A task writes to it.');
    },
    debugPause: true,
    meanwhile: async (controller, jobId) =>
      void (await controller.cancel(jobId, { dropDestination: true })),
    afterFailedDrop: async (controller, jobId, { behaviour }) => {
      behaviour.deletionFailure = undefined;
      await controller.cancel(jobId, { dropDestination: true });
    },
    status: 'CANCELLED',
    tables: [source],
  },
];

/**
 * Runs a story with a controller that dies at the given moment, and a second one that takes over.
 */
async function run(story: Story, killAt: number): Promise<{ scene: Scene; momentCount: number }> {
  const scene = new Scene();
  story.prepare(scene);
  const killer = new Killer(killAt);
  const engine: RestreamEngine = killer.watch(scene.engine, engineChanges);
  const store: ObjectStore = killer.watch(scene.store, ['put', 'delete']);
  const doomed = scene.controller({ engine, store });
  const starting = doomed.start({
    tableNameWithType: source,
    destTableNameWithType: destination,
    debugPause: story.debugPause,
  });
  starting.catch(() => undefined);
  for (let passed = 0; passed < 600 && !killer.isDead; passed += 1) {
    await scene.clock.advance(500);
    const [job] = await peek(scene);
    if (job === undefined) continue;
    if (job.status === 'INIT' && job.init.isHeld && job.init.isMade) {
      await swallow(story.meanwhile(doomed, job.jobId), killer);
    }
    if (hasDropFailed(job)) {
      await swallow(story.afterFailedDrop?.(doomed, job.jobId, scene.engine), killer);
    } else if (job.status === story.status && job.cleanup?.isDone !== false) break;
  }
  const heir = scene.controller();
  await scene.clock.advance(60_000);
  const [job] = await heir.list();
  // Killed before the first record was written: the caller received no job, and nothing of it
  // exists.
  if (job === undefined) {
    if (scene.engine.changes.length > 0) {
      throw new Error(`Made without a job: ${scene.engine.changes.join()}`);
    }
    return { scene, momentCount: killer.momentCount };
  }
  const held = await heir.read(job.jobId);
  if (held.status === 'INIT' && held.init.isHeld) {
    await swallow(story.meanwhile(heir, job.jobId), killer);
  }
  if (hasDropFailed(await scene.untilEnded(heir, job.jobId))) {
    await story.afterFailedDrop?.(heir, job.jobId, scene.engine);
    await scene.until(heir, job.jobId, ({ cleanup }) => cleanup?.problem === null);
  }
  const ended = await scene.untilEnded(heir, job.jobId);
  expect(ended.status).toBe(story.status);
  expect(scene.engine.tableNames).toEqual(story.tables);
  expect(
    scene.engine.changes.filter((change) => change === `createTable ${destination}`),
  ).toHaveLength(1);
  expect(scene.engine.changes.filter((change) => change === 'createSchema orders2')).toHaveLength(
    1,
  );
  expect(scene.engine.tableNames.filter((name) => scene.engine.isPaused(name))).toEqual([]);
  const { stages } = ended;
  expect(stages.map(({ stage }) => stage)).toEqual([...new Set(stages.map(({ stage }) => stage))]);
  await heir[Symbol.asyncDispose]();
  return { scene, momentCount: killer.momentCount };
}

async function peek(scene: Scene): Promise<Awaited<ReturnType<Restreams['list']>>> {
  return new JobRecords(scene.store).list();
}

/** Makes a call to a controller that may die during the call. */
async function swallow(call: Promise<void> | undefined, killer: Killer): Promise<void> {
  await Promise.race([call?.catch(() => undefined), untilDead(killer)]);
}

async function untilDead(killer: Killer): Promise<void> {
  for (let turn = 0; turn < 50 && !killer.isDead; turn += 1) {
    await new Promise((resolve) => setImmediate(resolve));
  }
}

describe.each(stories)('a controller that is killed, in a job with $name', (story) => {
  it(`a job with ${story.name} is brought to its end by the next controller, and makes nothing twice, where the first is killed before or after any change`, async () => {
    const { momentCount } = await run(story, Infinity);
    expect(momentCount).toBeGreaterThan(20);
    for (let killAt = 1; killAt <= momentCount; killAt += 1) {
      try {
        await run(story, killAt);
      } catch (error) {
        throw new Error(`Killed at moment ${killAt} of ${momentCount}.`, { cause: error });
      }
    }
  });
});

import type { ObjectStore } from '@quire/core';
import { ManualClock, SeededRandom } from '@quire/core/testing';
import { MemoryObjectStore } from '@quire/core/memory';
import { isFinal, type RestreamJob } from '../../src/restream/restream-job.ts';
import type { RestreamEngine } from '../../src/restream/restream-engine.ts';
import { Restreams } from '../../src/restream/restreams.ts';
import type { RestreamSettings } from '../../src/restream/decide.ts';
import { FakeEngine } from './fake-engine.ts';

export const settings: RestreamSettings = {
  pollMs: 1000,
  noProgressMaxMs: 60_000,
  commitMaxMs: 120_000,
  commitRetryMs: 20_000,
};
const leaseMs = 15_000;
export const source = 'orders_REALTIME';
export const destination = 'orders2_REALTIME';

/** A controller's jobs over a fake engine, in virtual time. */
export class Scene {
  readonly clock = new ManualClock();
  readonly engine = new FakeEngine(this.clock);
  readonly store = new MemoryObjectStore({ sizeMaxBytes: 1 << 24, clock: this.clock });
  #seed = 0;

  controller(
    parts: {
      readonly engine?: RestreamEngine;
      readonly store?: ObjectStore;
      readonly onWritten?: (job: RestreamJob) => void;
    } = {},
  ): Restreams {
    const controller = new Restreams({
      engine: this.engine,
      store: this.store,
      clock: this.clock,
      random: new SeededRandom((this.#seed += 1)),
      settings: () => settings,
      leaseMs,
      ...parts,
    });
    controller.run();
    return controller;
  }

  /** Advances time until the job has ended, and the cleanup after its end is done. */
  async untilEnded(
    controller: Restreams,
    jobId: string,
    limitMs = 20 * 60_000,
  ): Promise<RestreamJob> {
    return this.until(
      controller,
      jobId,
      (job) => isFinal(job.status) && job.cleanup?.isDone !== false,
      limitMs,
    );
  }

  async until(
    controller: Restreams,
    jobId: string,
    isThere: (job: RestreamJob) => boolean,
    limitMs = 20 * 60_000,
  ): Promise<RestreamJob> {
    for (let passedMs = 0; passedMs <= limitMs; passedMs += 500) {
      const job = await controller.read(jobId);
      if (isThere(job)) return job;
      await this.clock.advance(500);
    }
    throw new Error(
      `The job did not come there in ${limitMs} ms: ${JSON.stringify(await controller.read(jobId), null, 1)}`,
    );
  }
}

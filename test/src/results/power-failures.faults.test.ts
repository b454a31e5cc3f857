import { SeededRandom } from '@quire/core/testing';
import { ResultStore } from '@quire/results';
import { FileObjectStore } from '@quire/store-file';
import { expect, test } from 'vitest';
import { SimulatedDisk } from '../simulation/disk-tree.ts';
import { fileSystemOf } from '../simulation/file-system.ts';
import { SimulatedProcess } from '../simulation/machine.ts';
import { Mount } from '../simulation/mount.ts';
import { Scheduler } from '../simulation/scheduler.ts';
import { countingRows } from '../testkit/builders/counting-rows.ts';

const hourMs = 3_600_000;
/** Each failure keeps a random part of the changes that were not synced. */
const failures = Array.from({ length: 40 }, (_, seed) => seed);

/** A machine whose disk has minimal POSIX guarantees. */
class Machine {
  readonly scheduler = new Scheduler();
  readonly #disk = new SimulatedDisk(() => this.scheduler.nowMs);
  /** One for all processes, so that they do not name their staged files alike. */
  readonly #random = new SeededRandom(1);

  /** Starts a process with a result store, does some work in it, and kills it. */
  async run<T>(work: (results: ResultStore) => Promise<T>): Promise<T> {
    const process = new SimulatedProcess('broker', this.scheduler, { offsetMs: 0, rate: 1 });
    const { clock } = process;
    const random = this.#random;
    const conditions = { latencyMaxMs: 1 };
    const fileSystem = fileSystemOf(new Mount({ disk: this.#disk, process, random, conditions }));
    const start = async (): Promise<T> => {
      const store = await FileObjectStore.open({ root: '/results', clock, random, fileSystem });
      const times = { expirationMs: hourMs, expirationMaxMs: 9 * hourMs };
      return await work(
        new ResultStore({ store, brokerId: 'b', clock, random, cacheBytesMax: 0, ...times }),
      );
    };
    let isDone = false;
    const done = start().finally(() => (isDone = true));
    done.catch(() => undefined);
    await this.scheduler.run(() => isDone);
    process.kill();
    return await done;
  }

  failPower(seed: number): void {
    this.#disk.failPower(new SeededRandom(seed));
  }
}

test('a power failure does not revert a renewal that shortened the life of a result', async () => {
  for (const seed of failures) {
    const machine = new Machine();
    const renewed = await machine.run(async (results) => {
      const { entry } = await results.create(countingRows(3), { owner: 'ana' });
      await results.renew(entry.requestId, 5 * hourMs);
      return await results.renew(entry.requestId, 2 * hourMs);
    });
    machine.failPower(seed);
    const { entry } = await machine.run((results) => results.open(renewed.requestId));
    expect(entry, `failure ${seed}`).toEqual(renewed);
  }
});

test('a power failure does not restore a deleted result', async () => {
  for (const seed of failures) {
    const machine = new Machine();
    const { requestId } = await machine.run(async (results) => {
      // With another result, the directory of both stays.
      await results.create(countingRows(3), { owner: 'ana' });
      const { entry } = await results.create(countingRows(3), { owner: 'ana' });
      await results.renew(entry.requestId, 5 * hourMs);
      return await results.delete(entry.requestId);
    });
    machine.failPower(seed);
    const opening = machine.run((results) => results.open(requestId));
    await expect(opening, `failure ${seed}`).rejects.toMatchObject({ code: 'RESULT_NOT_FOUND' });
  }
});

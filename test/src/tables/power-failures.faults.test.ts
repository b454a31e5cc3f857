import { SeededRandom } from '@quire/core/testing';
import { EmbeddedTableEngine } from '@quire/table-server';
import { expect, test } from 'vitest';
import { SimulatedDisk } from '../simulation/disk-tree.ts';
import { pathOfMount, simulateFileSystem } from '../simulation/file-system.ts';
import { SimulatedProcess } from '../simulation/machine.ts';
import { Mount } from '../simulation/mount.ts';
import { Scheduler } from '../simulation/scheduler.ts';

/** Each failure keeps a random part of the changes that were not synced. */
const failures = Array.from({ length: 40 }, (_, seed) => seed);

/** A machine whose disk has minimal POSIX guarantees. */
class Machine {
  readonly #scheduler = new Scheduler();
  readonly #disk = new SimulatedDisk(() => this.#scheduler.nowMs);
  readonly #random = new SeededRandom(1);

  constructor() {
    // Modules are loaded on first use, in real time: something else must be scheduled until then.
    const tick = (): void => void this.#scheduler.after(1, tick);
    tick();
  }

  /** Starts a process with a table server, does some work in it, and kills it. */
  async run<T>(work: (tables: EmbeddedTableEngine) => Promise<T>): Promise<T> {
    const process = new SimulatedProcess('tables', this.#scheduler, { offsetMs: 0, rate: 1 });
    const conditions = { latencyMaxMs: 1 };
    const mount = new Mount({ disk: this.#disk, process, random: this.#random, conditions });
    const start = async (): Promise<T> => {
      const tables = await EmbeddedTableEngine.open({
        dataDirectory: `${pathOfMount(mount)}/tables`,
        clock: process.clock,
        random: this.#random,
        tenants: ['DefaultTenant'],
        host: 'localhost',
        finder: undefined,
        rowBytesMax: 1000,
        openStream: () => {
          throw new Error('No table has a stream.');
        },
        graceMs: 1000,
      });
      return await work(tables);
    };
    let isDone = false;
    const done = start().finally(() => (isDone = true));
    done.catch(() => undefined);
    await this.#scheduler.run(() => isDone);
    process.kill();
    return await done;
  }

  failPower(seed: number): void {
    this.#disk.failPower(new SeededRandom(seed));
  }
}

const tableNames = ['flights', 'trains'];

// Seed 300,003 of a day: `.revisions` still named the record, which was therefore missing.
test('a power failure does not restore a deleted table as a damaged one', async () => {
  using _files = simulateFileSystem();
  for (const seed of failures) {
    const machine = new Machine();
    await machine.run(async (tables) => {
      for (const name of tableNames) {
        const dimensionFieldSpecs = [{ name: 'origin', dataType: 'STRING' }];
        await tables.createSchema({ schemaName: name, dimensionFieldSpecs });
        await tables.createTable({ tableName: name, tableType: 'OFFLINE' });
      }
    });
    // What the disk has after a failure is durable.
    machine.failPower(seed);
    await machine.run(async (tables) => {
      for (const name of tableNames) {
        await tables.deleteTable(`${name}_OFFLINE`);
        await tables.deleteSchema(name);
      }
    });
    machine.failPower(1000 + seed);
    const found = await machine.run(async (tables) => [
      await tables.listTables(),
      await tables.listProblems(),
    ]);
    expect(found, `failure ${seed}`).toEqual([[], []]);
  }
});

import type { ObjectStore, Random } from '@quire/core';
import { withLimit, withRetry, withTimeLimit } from '@quire/core';
import { MemoryObjectStore } from '@quire/core/memory';
import type { SeededRandom } from '@quire/core/testing';
import { parseResultObjectName } from '@quire/results';
import { FileObjectStore } from '@quire/store-file';
import { type ClusterPlan, clusterSettings, type Sabotage } from './cluster-plan.ts';
import { type DiskConditions, ListingLag, SimulatedStore } from './disk.ts';
import { SimulatedDisk } from './disk-tree.ts';
import { fileSystemOf } from './file-system.ts';
import { SimulatedProcess, trueTimeMs } from './machine.ts';
import { Mount } from './mount.ts';
import type { Scheduler } from './scheduler.ts';

/** An object that is stored somewhere. */
export interface StoredObject {
  readonly disk: string;
  readonly key: string;
  readonly sizeBytes: number;
}

/** The bucket of a cluster, or the disks of its machines. */
export class Storage {
  readonly #plan: ClusterPlan;
  readonly #scheduler: Scheduler;
  readonly #sabotage: Sabotage;
  readonly #conditions: DiskConditions;
  readonly #fork: () => SeededRandom;
  readonly #violate: (what: string) => void;
  readonly #disks = new Map<string, SimulatedDisk>();
  readonly #bucket: MemoryObjectStore;
  readonly #lag: ListingLag | undefined;

  constructor(options: {
    readonly plan: ClusterPlan;
    readonly scheduler: Scheduler;
    readonly sabotage: Sabotage;
    readonly conditions: DiskConditions;
    readonly fork: () => SeededRandom;
    readonly violate: (what: string) => void;
  }) {
    this.#plan = options.plan;
    this.#scheduler = options.scheduler;
    this.#sabotage = options.sabotage;
    this.#conditions = options.conditions;
    this.#fork = options.fork;
    this.#violate = options.violate;
    const { clock } = new SimulatedProcess('bucket', this.#scheduler, { offsetMs: 0, rate: 1 });
    this.#bucket = new MemoryObjectStore({ sizeMaxBytes: 1e9, clock });
    const { listingLagMs } = this.#plan;
    if (listingLagMs > 0) this.#lag = new ListingLag(this.#scheduler, listingLagMs);
  }

  /** The disk of a machine. */
  diskOf(name: string): SimulatedDisk {
    const known = this.#disks.get(name);
    if (known !== undefined) return known;
    const disk = new SimulatedDisk(() => trueTimeMs(this.#scheduler));
    this.#sabotage.disk?.(disk);
    this.#disks.set(name, disk);
    return disk;
  }

  mountOf(process: SimulatedProcess): Mount {
    const disk = this.diskOf(process.name);
    const store = this.#conditions;
    const conditions = {
      // A call of a store is many of its file system.
      get latencyMaxMs() {
        return store.latencyMaxMs / 10;
      },
    };
    return new Mount({ disk, process, random: this.#fork(), conditions });
  }

  /** Leaves almost no space on all disks, or restores it. */
  setFull(isFull: boolean, random: SeededRandom): void {
    this.#conditions.isFull = isFull;
    for (const disk of this.#disks.values()) {
      disk.capacityBytes = isFull ? disk.usedBytes + random.integer(20_000) : Infinity;
    }
  }

  /** The store as a service opens it: with time limits, a limit of calls, and retries. */
  async openStore(process: SimulatedProcess, random: Random): Promise<ObjectStore> {
    const { clock, name } = process;
    const { isShared } = this.#plan;
    const { storeTimeoutMs } = clusterSettings;
    const backend = new SimulatedStore({
      location: isShared ? 's3://simulated' : 'file:///simulated',
      objects: isShared ? this.#bucket : await this.#openFiles(process, random),
      process,
      random: this.#fork(),
      conditions: this.#conditions,
      lag: this.#lag,
      onStored: (key) => this.#checkQuota(name, key),
    });
    const sabotaged = this.#sabotage.store?.(backend, process) ?? backend;
    const timed = withTimeLimit(sabotaged, {
      clock,
      callTimeoutMs: storeTimeoutMs,
      idleTimeoutMs: storeTimeoutMs,
    });
    const limited = withLimit(timed, { concurrentMax: 16 });
    return withRetry(limited, {
      clock,
      random,
      attemptsMax: 3,
      delayMs: 50,
      delayMaxMs: 1000,
      onRetry: () => undefined,
    });
  }

  /** Every object that is stored anywhere. */
  async stored(): Promise<readonly StoredObject[]> {
    const found: StoredObject[] = [];
    for await (const { key, sizeBytes } of this.#bucket.list('')) {
      found.push({ disk: 'bucket', key, sizeBytes });
    }
    for (const [name, disk] of this.#disks) {
      if (disk.has('/results')) found.push(...objectsOf(name, disk));
    }
    return found;
  }

  #openFiles(process: SimulatedProcess, random: Random): Promise<ObjectStore> {
    const fileSystem = fileSystemOf(this.mountOf(process));
    return FileObjectStore.open({ root: '/results', clock: process.clock, random, fileSystem });
  }

  /**
   * A broker's objects never exceed its quota, at any point of its work, unless listings do not
   * show them. Marks of running queries are not part of a result, and not counted (FORMAT.md).
   */
  async #checkQuota(name: string, key: string): Promise<void> {
    const { quotaBytes, isShared, listingLagMs } = this.#plan;
    const prefix = `Broker_${name}_8099/`;
    if (quotaBytes === undefined || listingLagMs > 0 || !key.startsWith(prefix)) return;
    const stored = isShared ? this.#bucket.list(prefix) : objectsOf(name, this.diskOf(name));
    let bytes = 0;
    for await (const object of stored) {
      if (parseResultObjectName(object.key)?.kind !== 'running') bytes += object.sizeBytes;
    }
    if (bytes > quotaBytes) this.#violate(`${name} stores ${bytes} of ${quotaBytes} bytes`);
  }
}

/**
 * The objects of a disk. Staged files belong to a process, and only real processes show which of
 * them have died.
 */
function objectsOf(name: string, disk: SimulatedDisk): readonly StoredObject[] {
  return disk.files('/results').flatMap((path) => {
    const key = path.slice('/results/'.length);
    const { sizeBytes } = disk.findFile(path);
    return key.startsWith('.staging/') ? [] : [{ disk: name, key, sizeBytes }];
  });
}

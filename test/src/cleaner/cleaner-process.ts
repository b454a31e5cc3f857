import { Cleaner, storeRemover } from '@quire/cleaner';
import { FaultStore } from '@quire/core/testing';
import { ResultStore } from '@quire/results';
import type { World } from './cleaner-world.ts';
import { WatchedAdmission } from './watched-admission.ts';

const hourMs = 3_600_000;
const brokerId = 'Broker_a_1';

/** A process that died and its successor share a disk, and nothing else. */
export class Process {
  readonly store: FaultStore;
  readonly admission: WatchedAdmission;
  readonly results: ResultStore;
  readonly cleaner: Cleaner;

  constructor(world: World, kind: 'broker' | 'daemon') {
    const { clock, random } = world;
    this.store = new FaultStore(world.disk, { clock });
    this.admission = new WatchedAdmission(world);
    const isBroker = kind === 'broker';
    this.results = new ResultStore({
      store: this.store,
      brokerId,
      expirationMs: hourMs,
      expirationMaxMs: 24 * hourMs,
      clock,
      random,
      cacheBytesMax: 0,
      batchSizeBytes: 400,
      admission: this.admission,
    });
    const { admission } = this;
    const noteRemoval = (removed: Removed, isDone: boolean): void => {
      const owner = removed.owner === undefined ? undefined : Number.parseInt(removed.owner, 16);
      const storedBytes =
        removed.limitedBy === undefined
          ? admission.usage.storedBytes
          : admission.usage.owners.bytesOf(owner);
      world.noteRemoval(removed, isDone, isBroker ? storedBytes : undefined);
    };
    this.cleaner = new Cleaner({
      target: isBroker
        ? { store: this.store, brokerId, remover: this.results, admission: this.admission }
        : { store: this.store, brokerId: undefined, remover: storeRemover(this.store) },
      settings: () => world.settings,
      clock,
      random,
      log: {
        info: (members, message) => message === 'deleted' && noteRemoval(members as Removed, true),
        warn: (members, message) =>
          message === 'could not be deleted' && noteRemoval(members as Removed, false),
        error: () => undefined,
      },
    });
  }

  /** Resolves when all background work of writes has ended. */
  async untilIdle(): Promise<void> {
    await this.admission.sweeping.catch(() => undefined);
  }
}

/** A deletion in a cleaner's log. */
export interface Removed {
  readonly id: string;
  readonly reason: 'expired' | 'evicted' | 'orphan' | 'leftover';
  readonly bytes: number;
  readonly ageMs: number;
  readonly owner?: string;
  readonly limitedBy?: string;
}

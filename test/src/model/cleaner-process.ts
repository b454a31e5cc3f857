import { Cleaner, StorageAdmission, storeRemover } from '@quire/cleaner';
import { FaultStore } from '@quire/core/testing';
import { ResultStore } from '@quire/results';
import type { World } from './cleaner-world.ts';

const hourMs = 3_600_000;
const brokerId = 'Broker_a_1';

/** A process that died and its successor share a disk, and nothing else. */
export class Process {
  readonly store: FaultStore;
  readonly admission = new StorageAdmission();
  readonly results: ResultStore;
  readonly cleaner: Cleaner;

  constructor(world: World, kind: 'broker' | 'daemon') {
    const { clock, random } = world;
    this.store = new FaultStore(world.disk, { clock });
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
    this.cleaner = new Cleaner({
      target: isBroker
        ? { store: this.store, brokerId, remover: this.results, admission: this.admission }
        : { store: this.store, brokerId: undefined, remover: storeRemover(this.store) },
      settings: () => world.settings,
      clock,
      random,
      log: {
        info: (members, message) => message === 'deleted' && world.noteRemoval(members as Removed, true),
        warn: (members, message) => message === 'could not be deleted' && world.noteRemoval(members as Removed, false),
        error: () => undefined,
      },
    });
  }
}

/** What a cleaner's log says of a deletion. */
export interface Removed {
  readonly id: string;
  readonly reason: 'expired' | 'evicted' | 'orphan' | 'leftover';
}

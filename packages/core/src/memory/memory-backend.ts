import { setting, size } from '../settings/index.ts';
import type { StoreBackend } from '../store/store-backend.ts';
import { MemoryObjectStore } from './memory-object-store.ts';

const settings = {
  sizeMaxBytes: setting({
    key: 'engine.broker.pagination.memory.maxMB',
    kind: size('MB', 1, 1_048_576),
    default: '512',
    meaning:
      'The size of the store `memory`, which is also its quota: `engine.broker.pagination.file.criticalStorageThresholdPercent` and similar settings ' +
      'apply to it.',
  }),
};

/** Stores results in the memory of the broker; they are lost when it stops. */
export const memoryBackend: StoreBackend<typeof settings> = {
  name: 'memory',
  storeType: 'memory',
  title: 'Results in memory',
  locations: undefined,
  settings,
  isRemote: false,
  signsLinks: false,
  isShared: () => false,
  capacityBytes: ({ sizeMaxBytes }) => sizeMaxBytes,
  open: async (_location, { sizeMaxBytes }, { clock }) =>
    new MemoryObjectStore({ sizeMaxBytes, clock }),
};

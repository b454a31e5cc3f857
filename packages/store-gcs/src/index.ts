export { GcsObjectStore } from './store.ts';
export type { GcsObjectStoreOptions } from './open-bucket.ts';

export { GcsObjectStore, type GcsObjectStoreOptions } from './store.ts';

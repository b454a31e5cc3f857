export { MemoryObjectStore, type MemoryObjectStoreOptions } from './store.ts';

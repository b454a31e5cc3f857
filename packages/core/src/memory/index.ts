export { MemoryObjectStore, type MemoryObjectStoreOptions } from './memory-object-store.ts';

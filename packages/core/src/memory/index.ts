export { MemoryObjectStore, type MemoryObjectStoreOptions } from './memory-object-store.ts';
export { memoryBackend } from './memory-backend.ts';

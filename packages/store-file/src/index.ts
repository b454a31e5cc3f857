export type { FileStatus, FileSystem } from './file-system.ts';
export { nodeFileSystem } from './file-system.ts';
export { FileObjectStore, type FileObjectStoreOptions } from './store.ts';
export type { StagedLeftovers } from './leftovers.ts';

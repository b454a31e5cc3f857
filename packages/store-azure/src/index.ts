export type { UncommittedBlocks } from './leftovers.ts';
export type { AzureObjectStoreOptions, AzureTokenCredential } from './open-bucket.ts';
export { AzureObjectStore } from './store.ts';

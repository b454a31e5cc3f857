export { type BucketLocation, parseBucketLocation } from './bucket-location.ts';
export { GcsObjectStore, type GcsObjectStoreOptions } from './store.ts';

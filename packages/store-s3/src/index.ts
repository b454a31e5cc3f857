export type { UnfinishedUploads } from './leftovers.ts';
export type { S3Credentials, S3Encryption, S3ObjectStoreOptions } from './open-bucket.ts';
export { S3ObjectStore } from './store.ts';

export type { UnfinishedUploads, UnfinishedUploadsOptions } from './leftovers.ts';
export { type S3Credentials, type S3Encryption, S3ObjectStore, type S3ObjectStoreOptions } from './store.ts';

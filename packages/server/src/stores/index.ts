export { type BucketDependencies, openGcsStore, openS3Store } from './open-remote-store.ts';

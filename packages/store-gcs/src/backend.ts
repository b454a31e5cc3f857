import type { StoreBackend } from '@quire/core';
import { bucketLocations } from '@quire/core/bucket';
import { httpUrl, optionalSetting, path, text } from '@quire/core/settings';

const settings = {
  endpoint: optionalSetting({
    key: 'engine.broker.pagination.gcs.endpoint',
    kind: httpUrl,
    meaning:
      "The URL of a server with the protocol of Google Cloud Storage, such as an emulator. Without it: Google's.",
  }),
  keyFile: optionalSetting({
    key: 'engine.broker.pagination.gcs.key.file',
    kind: path,
    secret: true,
    meaning:
      'A JSON file with the key of a service account. Without it: environment or service account of the machine, as in any Google Cloud program.',
  }),
  kmsKey: optionalSetting({
    key: 'engine.broker.pagination.gcs.kms.key',
    kind: text(/^projects\/[\w./-]{1,1024}$/, 'the name of a key, starting with projects/'),
    meaning:
      'The Cloud KMS key that new objects are encrypted with. Without it: as configured for the bucket.',
  }),
};

/** Stores results in a bucket of Google Cloud Storage. */
export const gcsBackend: StoreBackend<typeof settings> = {
  name: 'gcs',
  storeType: 'gcs',
  title: 'Google Cloud Storage',
  locations: bucketLocations('gs'),
  settings,
  isRemote: true,
  signsLinks: true,
  isShared: () => true,
  async open(location, { endpoint, keyFile, kmsKey }, opening) {
    const { GcsObjectStore } = await import('./store.ts');
    return GcsObjectStore.open({
      location,
      ...(endpoint !== undefined && { endpoint }),
      ...(keyFile !== undefined && { keyFile }),
      ...(kmsKey !== undefined && { kmsKeyName: kmsKey }),
      ...opening,
    });
  },
};

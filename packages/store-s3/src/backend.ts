import type { StoreBackend } from '@quire/core';
import { bucketLocations } from '@quire/core/bucket';
import { boolean, choice, httpUrl, optionalSetting, setting, text } from '@quire/core/settings';

const settings = {
  region: optionalSetting({
    key: 'engine.broker.storage.factory.s3.region',
    kind: text(/^[a-z0-9-]{1,64}$/, 'the name of a region, such as eu-central-1'),
    meaning:
      'The region of the bucket. Without it: `AWS_REGION` or the profile, as in any AWS program.',
  }),
  endpoint: optionalSetting({
    key: 'engine.broker.pagination.s3.endpoint',
    kind: httpUrl,
    meaning: "The URL of a server with the S3 protocol. Without it: Amazon's, by the region.",
  }),
  pathStyle: setting({
    key: 'engine.broker.pagination.s3.path.style',
    kind: boolean,
    default: 'false',
    meaning:
      "Puts the bucket's name into the path of URLs, as most servers other than Amazon's require.",
  }),
  accessKey: optionalSetting({
    key: 'engine.broker.pagination.s3.access.key',
    kind: text(/^\S{1,256}$/, 'an access key id'),
    secret: true,
    requires: ['engine.broker.pagination.s3.secret.key'],
    meaning:
      'The id of an access key. Without it: environment, profile or role of the machine, as in any AWS program.',
  }),
  secretKey: optionalSetting({
    key: 'engine.broker.pagination.s3.secret.key',
    kind: text(/^\S{1,256}$/, 'the secret of an access key'),
    secret: true,
    requires: ['engine.broker.pagination.s3.access.key'],
    meaning: 'The secret of that access key.',
  }),
  encryption: setting({
    key: 'engine.broker.pagination.s3.encryption',
    kind: choice('bucket', 's3', 'kms'),
    default: 'bucket',
    meaning:
      'The holder of the encryption key for new objects: as configured for the bucket, S3 (SSE-S3), or AWS KMS (SSE-KMS).',
  }),
  kmsKey: optionalSetting({
    key: 'engine.broker.pagination.s3.kms.key',
    kind: text(/^[\w:/+=,.@-]{1,2048}$/, 'the id or the ARN of a key'),
    meaning:
      "The key of AWS KMS, if the encryption is `kms`. Without it: the account's key for S3.",
  }),
};

/** Stores results in a bucket of Amazon S3, or of any server with the same protocol. */
export const s3Backend: StoreBackend<typeof settings> = {
  name: 's3',
  storeType: 's3',
  title: 'Amazon S3, and servers with the same protocol',
  locations: bucketLocations('s3'),
  settings,
  isRemote: true,
  signsLinks: true,
  isShared: () => true,
  async open(location, values, opening) {
    const { region, endpoint, pathStyle, accessKey, secretKey, encryption, kmsKey } = values;
    const { S3ObjectStore } = await import('./store.ts');
    return S3ObjectStore.open({
      location,
      forcePathStyle: pathStyle,
      ...(region !== undefined && { region }),
      ...(endpoint !== undefined && { endpoint }),
      ...(accessKey !== undefined &&
        secretKey !== undefined && {
          credentials: { accessKeyId: accessKey, secretAccessKey: secretKey },
        }),
      ...(encryption === 's3' && { encryption: { kind: 's3' } }),
      ...(encryption === 'kms' && {
        encryption: { kind: 'kms', ...(kmsKey !== undefined && { keyId: kmsKey }) },
      }),
      ...opening,
    });
  },
};

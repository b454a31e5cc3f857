import {
  boolean,
  choice,
  duration,
  httpUrl,
  moduleOrClass,
  optionalSetting,
  path,
  requiredSetting,
  setting,
  text,
} from '@quire/core/settings';

/** How to reach results in S3, and in any data directory whose URI begins with `s3:`. */
export const s3 = {
  region: optionalSetting({
    key: 'engine.broker.storage.factory.s3.region',
    kind: text(/^[a-z0-9-]{1,64}$/, 'the name of a region, such as eu-central-1'),
    meaning:
      'The region of the bucket. Without it: `AWS_REGION` or the profile, as of any AWS program.',
  }),
  endpoint: optionalSetting({
    key: 'engine.broker.pagination.s3.endpoint',
    kind: httpUrl,
    meaning:
      "The URL of a server that speaks the protocol of S3. Without it: Amazon's, by the region.",
  }),
  pathStyle: setting({
    key: 'engine.broker.pagination.s3.path.style',
    kind: boolean,
    default: 'false',
    meaning:
      "Whether the bucket's name goes into the path of a URL, as most servers other than Amazon's want it.",
  }),
  accessKey: optionalSetting({
    key: 'engine.broker.pagination.s3.access.key',
    kind: text(/^\S{1,256}$/, 'an access key id'),
    secret: true,
    meaning:
      'The id of an access key. Without it: environment, profile or role of the machine, as of any AWS program.',
  }),
  secretKey: optionalSetting({
    key: 'engine.broker.pagination.s3.secret.key',
    kind: text(/^\S{1,256}$/, 'the secret of an access key'),
    secret: true,
    meaning: 'The secret of that access key.',
  }),
  encryption: setting({
    key: 'engine.broker.pagination.s3.encryption',
    kind: choice('bucket', 's3', 'kms'),
    default: 'bucket',
    meaning:
      'Who holds the key that new objects are encrypted with: as the bucket is set up, S3 (SSE-S3), or AWS KMS (SSE-KMS).',
  }),
  kmsKey: optionalSetting({
    key: 'engine.broker.pagination.s3.kms.key',
    kind: text(/^[\w:/+=,.@-]{1,2048}$/, 'the id or the ARN of a key'),
    meaning:
      "The key of AWS KMS, when the encryption is `kms`. Without it: the account's key for S3.",
  }),
};

/**
 * How to reach results in Google Cloud Storage, and in any data directory whose URI begins with
 * `gs:`.
 */
export const gcs = {
  endpoint: optionalSetting({
    key: 'engine.broker.pagination.gcs.endpoint',
    kind: httpUrl,
    meaning:
      "The URL of a server that speaks the protocol of Google Cloud Storage, such as an emulator. Without it: Google's.",
  }),
  keyFile: optionalSetting({
    key: 'engine.broker.pagination.gcs.key.file',
    kind: path,
    secret: true,
    meaning:
      'A JSON file with the key of a service account. Without it: environment or service account of the machine, as of any Google Cloud program.',
  }),
  kmsKey: optionalSetting({
    key: 'engine.broker.pagination.gcs.kms.key',
    kind: text(/^projects\/[\w./-]{1,1024}$/, 'the name of a key, beginning with projects/'),
    meaning:
      'The key of Cloud KMS that new objects are encrypted with. Without it: as the bucket is set up.',
  }),
};

/** Signed links, by which data files come from the store without the broker. */
export const links = {
  enabled: setting({
    key: 'engine.broker.links.enabled',
    kind: boolean,
    default: 'false',
    meaning:
      'Whether `GET /query/{requestId}/link` gives links of the store, for S3 and Google Cloud Storage. Anyone who has a link can read the ' +
      'result until the link ends, also after the result was deleted from the broker.',
  }),
  lifetimeMs: setting({
    key: 'engine.broker.links.lifetime',
    kind: duration('1s', '7d'),
    default: '5m',
    meaning: 'How long a link lives; no longer than its result.',
  }),
};

/** The plug-ins of file systems, one per scheme. */
export const storageClasses = {
  factory: requiredSetting({
    key: 'engine.broker.storage.factory.class.<scheme>',
    kind: moduleOrClass,
    meaning:
      'A module, as a path that ends in `.js`, `.mjs` or `.ts`, whose `openObjectStore` opens data directories whose URI begins with the ' +
      'scheme; packages/cli/README.md shows one. Names of Java classes, which other brokers take there, are accepted for `file`, `s3` and ' +
      '`gs` and change nothing.',
  }),
};

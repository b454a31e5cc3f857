import { existsSync } from 'node:fs';
import { join } from 'node:path';

/** The store of the results of all brokers of the cluster. */
export type ClusterStore =
  | { readonly kind: 'directory' }
  | { readonly kind: 'bucket'; readonly uri: string }
  /** An S3 server that the cluster starts: the path of its program. */
  | { readonly kind: 's3-server'; readonly path: string };

/** The S3 server that the cluster starts, and the data that its callers need. */
export const s3Server = {
  key: 'quire',
  secret: 'quire-secret',
  region: 'eu-central-1',
  bucket: 'results',
  port: 7070,
} as const;

/**
 * Parses the value of `--s3`.
 *
 * @throws Error when it is neither a bucket nor `local`, or the local server is not installed
 */
export function parseClusterStore(s3: string | undefined, root: string): ClusterStore {
  if (s3 === undefined) return { kind: 'directory' };
  if (/^s3:\/\/[^/]+/.test(s3)) return { kind: 'bucket', uri: s3 };
  if (s3 !== 'local') {
    throw new Error(`--s3 is ${JSON.stringify(s3)}: expected s3://bucket/prefix, or local.`);
  }
  const path = process.env['QUIRE_S3_SERVER'] ?? join(root, '.cache/s3-server/versitygw');
  if (existsSync(path)) return { kind: 's3-server', path };
  throw new Error(`There is no S3 server at ${path}. \`npm run s3-server\` installs one.`);
}

/** Returns the settings of a broker or the cleaner for the store, as `key=value`. */
export function storeSettings(store: ClusterStore, dataFolder: string, s3Port: number): string[] {
  const pagination = 'engine.broker.pagination';
  if (store.kind === 'directory') {
    return [`${pagination}.file.data.dir=${join(dataFolder, 'results')}`];
  }
  if (store.kind === 'bucket') {
    return [`${pagination}.protocol=s3`, `${pagination}.s3.data.dir=${store.uri}`];
  }
  return [
    `${pagination}.protocol=s3`,
    `${pagination}.s3.data.dir=s3://${s3Server.bucket}/cluster`,
    `engine.broker.storage.factory.s3.region=${s3Server.region}`,
    `${pagination}.s3.endpoint=http://127.0.0.1:${s3Port}`,
    `${pagination}.s3.path.style=true`,
    `${pagination}.s3.access.key=${s3Server.key}`,
    `${pagination}.s3.secret.key=${s3Server.secret}`,
  ];
}

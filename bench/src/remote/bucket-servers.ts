import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { GcsServer } from '../../../test/src/testkit/servers/gcs-server.ts';
import { S3Server, s3SettingsOf } from '../../../test/src/testkit/servers/s3-server.ts';
import { repositoryRoot } from '../process/node-arguments.ts';

/** The settings of a broker that stores its results in a bucket. */
export type BucketSettings = Readonly<Record<string, string>>;

/**
 * The directory of these programs: `.ci/run` installs them, unless a variable names another copy.
 */
const programs = {
  s3: { variable: 'QUIRE_S3_SERVER', path: '.cache/s3-server/versitygw' },
  gcs: { variable: 'QUIRE_GCS_SERVER', path: '.cache/gcs-server/fake-gcs-server' },
} as const;

/** The note for the reader when a server is missing. */
export const missingServerNote =
  'An S3 or GCS server is not installed here (.ci/run installs both). The measurements that need it were omitted.';

/** Starts an S3 server like the one of the tests; undefined when it is not installed. */
export async function startS3(): Promise<S3Server | undefined> {
  const path = pathOf('s3');
  return path === undefined ? undefined : S3Server.start(path);
}

/** Starts a GCS server, as above. */
export async function startGcs(): Promise<GcsServer | undefined> {
  const path = pathOf('gcs');
  return path === undefined ? undefined : GcsServer.start(path);
}

/**
 * Returns settings for a separate prefix in the bucket, reached through a port; by default the
 * server's.
 */
export function s3Settings(server: S3Server, port = server.process.port): BucketSettings {
  return s3SettingsOf({ ...server.storeOptions(), endpoint: `http://127.0.0.1:${port}` });
}

/** As above. */
export function gcsSettings(server: GcsServer): BucketSettings {
  return {
    'engine.broker.pagination.protocol': 'gcs',
    'engine.broker.pagination.gcs.data.dir': server.storeOptions().location,
    'engine.broker.pagination.gcs.endpoint': server.endpoint,
  };
}

function pathOf(kind: keyof typeof programs): string | undefined {
  const { variable, path } = programs[kind];
  const found = process.env[variable] ?? join(repositoryRoot, path);
  return existsSync(found) ? found : undefined;
}

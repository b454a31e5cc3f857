import { readFile } from 'node:fs/promises';
import { Storage, type StorageOptions } from '@google-cloud/storage';
import { type Clock, isQuireError, QuireError, type Random } from '@quire/core';
import { type FailedCall, parseBucketLocation } from '@quire/core/bucket';
import { JWT, PassThroughClient } from 'google-auth-library';
import { Bucket } from './bucket.ts';
import { beginSession, endSession } from './resumable-upload.ts';

/** The options of a store in a bucket. */
export interface GcsObjectStoreOptions {
  /** `gs://bucket` or `gs://bucket/prefix`. */
  readonly location: string;
  /**
   * File with the key of a service account. Absent: the library's default credentials, from the
   * environment or the machine.
   */
  readonly keyFile?: string;
  readonly projectId?: string;
  /**
   * URL of a server other than Google's. Without a `keyFile`, requests to it have no credentials.
   */
  readonly endpoint?: string;
  /**
   * The Cloud KMS key that new objects are encrypted with. Absent: as configured for the bucket.
   */
  readonly kmsKeyName?: string;
  /** Size of the parts of large objects, a multiple of 256 KiB. */
  readonly partBytes?: number;
  /** The number of attempts for a part; `withRetry` repeats other calls. */
  readonly partAttemptsMax?: number;
  /** True if the store will only be read: the permission to write is not verified. */
  readonly isReadOnly?: boolean;
  readonly clock?: Clock;
  readonly random?: Random;
}

/** A name that is not a key, so that the check touches no object. */
const probeName = '.probe';

/**
 * Opens the bucket, after verifying that it exists and can be listed and, unless it will only be
 * read, written to; the check leaves nothing behind.
 *
 * @throws INVALID_PARAMETER when the location is not valid, or bucket, endpoint or credentials are
 *   wrong
 * @throws STORE_UNAVAILABLE when the server cannot be reached or fails
 */
export async function openBucket(options: GcsObjectStoreOptions): Promise<Bucket> {
  const bucket = new Bucket(
    await createStorage(options),
    parseBucketLocation(options.location, 'gs'),
    options.kmsKeyName,
  );
  const call: FailedCall = { op: 'open', key: bucket.name, location: bucket.location };
  try {
    await bucket.sendForJson(call, {
      method: 'GET',
      path: `/storage/v1/b/${bucket.name}/o`,
      parameters: { prefix: bucket.prefix, maxResults: '1', fields: 'kind,items(name)' },
      expected: [200],
    });
    if (options.isReadOnly === true) return bucket;
    // Starting and aborting an upload needs the permission to create objects, and creates none.
    const probe = { ...call, key: probeName };
    await endSession(bucket, probe, await beginSession(bucket, probe));
    return bucket;
  } catch (error) {
    if (isQuireError(error, 'STORE_MISCONFIGURED')) {
      throw new QuireError('INVALID_PARAMETER', error.message, { cause: error });
    }
    throw error;
  }
}

async function createStorage({
  endpoint,
  keyFile,
  projectId,
}: GcsObjectStoreOptions): Promise<Storage> {
  const options: StorageOptions = { retryOptions: { autoRetry: false, maxRetries: 0 } };
  if (endpoint !== undefined) options.apiEndpoint = endpoint;
  if (projectId !== undefined) options.projectId = projectId;
  const key = keyFile === undefined ? undefined : await readServiceAccount(keyFile);
  if (key !== undefined) options.authClient = createClient(key);
  // Emulators have no credentials, and Google's must never be sent to a server that is not
  // Google's.
  else if (endpoint !== undefined) options.authClient = new PassThroughClient();
  const storage = new Storage(options);
  // To sign a link, the library must know the key's owner, and would otherwise ask the machine's
  // metadata server.
  if (key !== undefined) {
    storage.authClient.jsonContent = { client_email: key.email, private_key: key.privateKey };
  }
  return storage;
}

interface ServiceAccountKey {
  readonly email: string;
  readonly privateKey: string;
}

/**
 * Reads a service account. Other kinds of credential files are rejected: they name servers from
 * which tokens would be requested.
 */
async function readServiceAccount(path: string): Promise<ServiceAccountKey> {
  const key: unknown = await readFile(path, 'utf8').then(JSON.parse, (error: unknown) => ({
    error,
  }));
  const {
    type,
    client_email: email,
    private_key: privateKey,
  } = key as Readonly<Record<string, unknown>>;
  if (type !== 'service_account' || typeof email !== 'string' || typeof privateKey !== 'string') {
    throw new QuireError(
      'INVALID_PARAMETER',
      `${path} is not a file with the key of a service account.`,
      { cause: key },
    );
  }
  return { email, privateKey };
}

/**
 * Creates a client that signs its own tokens: no other server is needed, and a bad key is detected
 * immediately.
 */
function createClient({ email, privateKey }: ServiceAccountKey): JWT {
  const client = new JWT({
    email,
    key: privateKey,
    scopes: ['https://www.googleapis.com/auth/devstorage.read_write'],
  });
  client.useJWTAccessWithScope = true;
  return client;
}

import {
  AbortMultipartUploadCommand,
  CreateMultipartUploadCommand,
  ListObjectsV2Command,
  S3Client,
  type S3ClientConfig,
} from '@aws-sdk/client-s3';
import { type Clock, isQuireError, QuireError, type Random } from '@quire/core';
import { type FailedCall, parseBucketLocation } from '@quire/core/bucket';
import { activeTracer, traceHeaders } from '@quire/core/trace';
import { NodeHttpHandler } from '@smithy/node-http-handler';
import { Bucket, type EncryptionParameters } from './bucket.ts';
import { isAbsence } from './errors.ts';

/** Access keys, with a session token for temporary ones. */
export interface S3Credentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string;
}

/** The holder of the encryption key: S3 itself, or AWS KMS. */
export type S3Encryption =
  | { readonly kind: 's3' }
  | { readonly kind: 'kms'; readonly keyId?: string };

/** The options of a store in a bucket. */
export interface S3ObjectStoreOptions {
  /** `s3://bucket` or `s3://bucket/prefix`. */
  readonly location: string;
  /** The region. Absent: as the SDK finds it, in AWS_REGION or a profile. */
  readonly region?: string;
  /** URL of a server other than Amazon's. */
  readonly endpoint?: string;
  /** True if the bucket's name is in the path of a URL and not in its host. */
  readonly forcePathStyle?: boolean;
  /**
   * The credentials. Absent: as the SDK finds them, in the environment, a profile or the machine's
   * role, and renewed before they expire.
   */
  readonly credentials?: S3Credentials;
  /** The encryption. Absent: as configured for the bucket. */
  readonly encryption?: S3Encryption;
  /** Size of the parts of large objects, at least 5 MiB; an object has at most 10,000 parts. */
  readonly partBytes?: number;
  /** The number of concurrent part uploads of one object. */
  readonly partsInFlightMax?: number;
  /** The number of attempts for a part; `withRetry` repeats other calls. */
  readonly partAttemptsMax?: number;
  /** True if the store will only be read: the permission to write is not verified. */
  readonly isReadOnly?: boolean;
  readonly clock?: Clock;
  readonly random?: Random;
  /** An existing client, which the store will close; the connection options then have no effect. */
  readonly client?: S3Client;
}

/** A name that is not a key, so that the check touches no object. */
const probeName = '.probe';
const connectionTimeoutMs = 10_000;

/**
 * Opens the bucket, after verifying that it exists and can be listed and, unless it will only be
 * read, written to; the check leaves nothing behind.
 *
 * @throws INVALID_PARAMETER when the location is not valid, or bucket, region, endpoint or
 *   credentials are wrong
 * @throws STORE_UNAVAILABLE when the server cannot be reached or fails
 */
export async function openBucket(options: S3ObjectStoreOptions): Promise<Bucket> {
  const location = parseBucketLocation(options.location, 's3');
  const bucket = new Bucket(
    options.client ?? createClient(options),
    location,
    encryptionParameters(options),
  );
  try {
    await proveUsable(bucket, options.isReadOnly);
    return bucket;
  } catch (error) {
    bucket.close();
    if (isQuireError(error, 'STORE_MISCONFIGURED')) {
      throw new QuireError('INVALID_PARAMETER', error.message, { cause: error });
    }
    throw error;
  }
}

function createClient({
  region,
  endpoint,
  forcePathStyle,
  credentials,
}: S3ObjectStoreOptions): S3Client {
  const config: S3ClientConfig = {
    // Retries are made by `withRetry`, whose settings and metrics are common to all stores.
    maxAttempts: 1,
    // Checksums that only Amazon's server supports would exclude all others; lengths and Quire's
    // own checksums work everywhere.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    followRegionRedirects: false,
    requestHandler: new NodeHttpHandler({
      connectionTimeout: connectionTimeoutMs,
      // `withLimit` limits the number of concurrent calls. A limit on connections would count
      // bodies that are open and not read.
      httpAgent: { maxSockets: Infinity, keepAlive: true },
      httpsAgent: { maxSockets: Infinity, keepAlive: true },
    }),
  };
  if (region !== undefined) config.region = region;
  // Other servers ignore the region, but no request can be signed without one.
  else if (endpoint !== undefined) config.region = 'us-east-1';
  if (endpoint !== undefined) config.endpoint = endpoint;
  if (forcePathStyle !== undefined) config.forcePathStyle = forcePathStyle;
  if (credentials !== undefined) config.credentials = credentials;
  const client = new S3Client(config);
  if (activeTracer() !== undefined) sendTraceHeaders(client);
  return client;
}

/** Adds the headers of the current span to each request after it is signed. They are not signed. */
function sendTraceHeaders(client: S3Client): void {
  client.middlewareStack.add(
    (next) => (args) => {
      const { request } = args as { readonly request: { headers: Record<string, string> } };
      Object.assign(request.headers, traceHeaders());
      return next(args);
    },
    { step: 'deserialize', name: 'traceHeaders' },
  );
}

function encryptionParameters({ encryption }: S3ObjectStoreOptions): EncryptionParameters {
  if (encryption === undefined) return {};
  if (encryption.kind === 's3') return { ServerSideEncryption: 'AES256' };
  return {
    ServerSideEncryption: 'aws:kms',
    ...(encryption.keyId !== undefined && { SSEKMSKeyId: encryption.keyId }),
  };
}

async function proveUsable(bucket: Bucket, isReadOnly = false): Promise<void> {
  const call: FailedCall = { op: 'open', key: bucket.name, location: bucket.location };
  await bucket.request(call, (client) =>
    client.send(
      new ListObjectsV2Command({ Bucket: bucket.name, Prefix: bucket.prefix, MaxKeys: 1 }),
    ),
  );
  if (isReadOnly) return;
  // Starting and aborting an upload needs the permission to put, and leaves neither an object nor a
  // version.
  const target = bucket.target(probeName);
  const { UploadId } = await bucket.request(call, (client) =>
    client.send(new CreateMultipartUploadCommand({ ...target, ...bucket.encryption })),
  );
  await bucket.request(call, async (client) => {
    try {
      await client.send(new AbortMultipartUploadCommand({ ...target, UploadId }));
    } catch (error) {
      if (!isAbsence(error)) throw error;
    }
  });
}

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

/** Access keys; a session token comes with temporary ones. */
export interface S3Credentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string;
}

/** Who holds the key that objects are encrypted with: S3 itself, or AWS KMS. */
export type S3Encryption =
  | { readonly kind: 's3' }
  | { readonly kind: 'kms'; readonly keyId?: string };

/** What a store in a bucket is opened with. */
export interface S3ObjectStoreOptions {
  /** `s3://bucket` or `s3://bucket/prefix`. */
  readonly location: string;
  /** Absent: as the SDK finds it, in AWS_REGION or a profile. */
  readonly region?: string;
  /** URL of a server other than Amazon's. */
  readonly endpoint?: string;
  /** Whether the bucket's name goes into the path of a URL and not into its host. */
  readonly forcePathStyle?: boolean;
  /**
   * Absent: as the SDK finds them, in the environment, a profile or the machine's role, and renewed
   * as they expire.
   */
  readonly credentials?: S3Credentials;
  /** Absent: as the bucket is set up. */
  readonly encryption?: S3Encryption;
  /** Size of the parts of large objects, 5 MiB at least; an object has 10,000 parts at most. */
  readonly partBytes?: number;
  /** How many parts of one object are on their way at once. */
  readonly partsInFlightMax?: number;
  /** How often a part is tried; all else is the business of `withRetry`. */
  readonly partAttemptsMax?: number;
  readonly clock?: Clock;
  readonly random?: Random;
  /**
   * A client that is set up already, which the store will end; the options of the connection are
   * then of no effect.
   */
  readonly client?: S3Client;
}

/** A name that no key has: nobody's object is ever touched by the proof. */
const probeName = '.probe';
const connectionTimeoutMs = 10_000;

/**
 * Opens the bucket, having proved that it exists, that it can be listed and that objects can be put
 * into it; nothing is left of the proof.
 *
 * @throws INVALID_PARAMETER when the location is not one, or bucket, region, endpoint or
 * credentials are not right
 * @throws STORE_UNAVAILABLE when the server cannot be reached or is not well
 */
export async function openBucket(options: S3ObjectStoreOptions): Promise<Bucket> {
  const location = parseBucketLocation(options.location, 's3');
  const bucket = new Bucket(
    options.client ?? createClient(options),
    location,
    encryptionParameters(options),
  );
  try {
    await proveUsable(bucket);
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
    // Retries are the business of `withRetry`, which everybody can see and set.
    maxAttempts: 1,
    // Checksums that only Amazon's own server knows would lock out all others; lengths and our own
    // checksums hold everywhere.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    followRegionRedirects: false,
    requestHandler: new NodeHttpHandler({
      connectionTimeout: connectionTimeoutMs,
      // How many calls are at work is limited by `withLimit`. A limit on connections would count
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

/** Adds the headers of the current span to each request, after it is signed: they are not signed. */
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

async function proveUsable(bucket: Bucket): Promise<void> {
  const call: FailedCall = { op: 'open', key: bucket.name, location: bucket.location };
  await bucket.request(call, (client) =>
    client.send(
      new ListObjectsV2Command({ Bucket: bucket.name, Prefix: bucket.prefix, MaxKeys: 1 }),
    ),
  );
  // An upload that is begun and given up needs the right to put, and leaves no object and no
  // version of one.
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

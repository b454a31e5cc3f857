import {
  AnonymousCredential,
  BlobServiceClient,
  newPipeline,
  StorageSharedKeyCredential,
  type StoragePipelineOptions,
} from '@azure/storage-blob';
import { type Clock, isQuireError, QuireError, type Random } from '@quire/core';
import { type FailedCall, parseBucketLocation } from '@quire/core/bucket';
import { blockId } from './block-id.ts';
import { Bucket } from './bucket.ts';
import { removeBlocks } from './leftovers.ts';

/** The source of Microsoft Entra tokens, such as the credentials of `@azure/identity`. */
export type AzureTokenCredential = Extract<
  Parameters<typeof newPipeline>[0],
  { readonly getToken: unknown }
>;

/** The options of a store in a container. */
export interface AzureObjectStoreOptions {
  /** `az://container` or `az://container/prefix`. */
  readonly location: string;
  /** The storage account. Absent: that of the connection string. */
  readonly account?: string;
  readonly accountKey?: string;
  /** A shared access signature, which cannot sign links. */
  readonly sasToken?: string;
  readonly connectionString?: string;
  /** A credential instead of a key; it cannot sign links. */
  readonly credential?: AzureTokenCredential;
  /** URL of the blob service; absent: `https://<account>.blob.core.windows.net`. */
  readonly endpoint?: string;
  /** True if the account's name is in the path of a URL, as emulators require. */
  readonly pathStyle?: boolean;
  /** Size of the blocks of large objects; an object has 50,000 at most. */
  readonly partBytes?: number;
  /** The number of concurrent block uploads of one object. */
  readonly partsInFlightMax?: number;
  /** The number of attempts for a block; `withRetry` repeats other calls. */
  readonly partAttemptsMax?: number;
  /** True if the store will only be read: the permission to write is not verified. */
  readonly isReadOnly?: boolean;
  readonly clock?: Clock;
  readonly random?: Random;
}

/** A name that is not a key, so that the check touches no object. */
const probeName = '.probe';

/**
 * Opens the container, after verifying that it exists and can be listed and, unless it will only be
 * read, written to; the check leaves nothing behind.
 *
 * @throws INVALID_PARAMETER when the location is not valid, or container, endpoint or credentials
 *   are wrong
 * @throws STORE_UNAVAILABLE when the server cannot be reached or fails
 */
export async function openBucket(
  options: AzureObjectStoreOptions,
  { clock, random }: { readonly clock: Clock; readonly random: Random },
): Promise<Bucket> {
  const location = parseBucketLocation(options.location, 'az');
  const client = createService(options).getContainerClient(location.bucket);
  const bucket = new Bucket(client, location);
  const call: FailedCall = { op: 'open', key: bucket.name, location: bucket.location };
  try {
    await bucket.request(call, async () => {
      await client.listBlobsFlat({ prefix: bucket.prefix }).byPage({ maxPageSize: 1 }).next();
    });
    if (options.isReadOnly === true) return bucket;
    // Sending a block that is never committed needs the permission to write, and creates no object.
    const id = blockId({ timeMs: clock.nowMs(), tag: random.bytes(8), number: 1 });
    await bucket.request(call, () => bucket.blob(probeName).stageBlock(id, '?', 1));
    await removeBlocks(bucket, { ...call, key: probeName });
    return bucket;
  } catch (error) {
    if (isQuireError(error, 'STORE_MISCONFIGURED')) {
      throw new QuireError('INVALID_PARAMETER', error.message, { cause: error });
    }
    throw error;
  }
}

/** Retries are made by `withRetry`, whose settings and metrics are common to all stores. */
const pipeline: StoragePipelineOptions = { retryOptions: { maxTries: 1 } };

function createService(options: AzureObjectStoreOptions): BlobServiceClient {
  const { account, accountKey, sasToken, connectionString, credential } = options;
  try {
    if (connectionString !== undefined) {
      return BlobServiceClient.fromConnectionString(connectionString, pipeline);
    }
    if (account === undefined) throw new Error('no storage account is named');
    const url = urlOf(account, options);
    if (sasToken !== undefined) {
      const signed = `${url}?${sasToken.replace(/^\?/, '')}`;
      return new BlobServiceClient(signed, newPipeline(new AnonymousCredential(), pipeline));
    }
    if (credential !== undefined) return new BlobServiceClient(url, credential, pipeline);
    if (accountKey === undefined) {
      throw new Error('no account key, shared access signature or connection string is given');
    }
    const key = new StorageSharedKeyCredential(account, accountKey);
    return new BlobServiceClient(url, newPipeline(key, pipeline));
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    const message = `open of ${options.location} failed: ${reason}. Check the credentials.`;
    throw new QuireError('INVALID_PARAMETER', message, { cause: error });
  }
}

function urlOf(
  account: string,
  { endpoint = `https://${account}.blob.core.windows.net`, pathStyle }: AzureObjectStoreOptions,
): string {
  return pathStyle === true ? `${endpoint}/${account}` : endpoint;
}

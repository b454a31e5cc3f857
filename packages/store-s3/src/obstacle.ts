import { ListObjectsV2Command } from '@aws-sdk/client-s3';
import { isQuireError, QuireError } from '@quire/core';
import type { FailedCall } from '@quire/core/bucket';
import type { Bucket } from './bucket.ts';

/**
 * The number of attempts. Each failed one means that a delete has just removed a directory of the
 * server, which never happens this often.
 */
const attemptsMax = 5;

/**
 * Runs a write, and retries it if the server reports that another object is in the way and no such
 * object exists.
 *
 * Servers that store objects as files report this when they lose a race against a delete that
 * removes an emptied directory.
 *
 * @throws INVALID_OBJECT_KEY when an object exists above or below
 */
export async function unobstructed(
  bucket: Bucket,
  call: FailedCall,
  appear: () => Promise<void>,
): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      await appear();
      return;
    } catch (error) {
      if (!isQuireError(error, 'INVALID_OBJECT_KEY') || (await isObstructed(bucket, call))) {
        throw error;
      }
      if (attempt >= attemptsMax) {
        throw new QuireError('STORE_UNAVAILABLE', error.message, { cause: error });
      }
    }
  }
}

async function isObstructed(bucket: Bucket, call: FailedCall): Promise<boolean> {
  const segments = call.key.split('/');
  const above = segments.slice(1).map((_, index) => segments.slice(0, index + 1).join('/'));
  for (const prefix of [`${call.key}/`, ...above]) {
    const { Contents = [] } = await bucket.request(call, (client, options) =>
      client.send(
        new ListObjectsV2Command({
          Bucket: bucket.name,
          Prefix: bucket.prefix + prefix,
          MaxKeys: 1,
        }),
        options,
      ),
    );
    // The object above has the shortest name with that prefix, and is listed first.
    if (Contents.some(({ Key }) => prefix.endsWith('/') || Key === bucket.prefix + prefix)) {
      return true;
    }
  }
  return false;
}

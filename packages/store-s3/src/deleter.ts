import { DeleteObjectCommand } from '@aws-sdk/client-s3';
import type { CallOptions } from '@quire/core';
import type { Bucket } from './bucket.ts';
import { isAbsence } from './errors.ts';

/** Deletes an object; does nothing when there is no such object. */
export async function deleteObject(bucket: Bucket, key: string, options: CallOptions | undefined): Promise<void> {
  await bucket.request(bucket.callOf('delete', key, options), async (client, sendOptions) => {
    try {
      await client.send(new DeleteObjectCommand(bucket.target(key)), sendOptions);
    } catch (error) {
      // Amazon answers 204 whether there was one or not; not all others do.
      if (!isAbsence(error)) throw error;
    }
  });
}

import type { CallOptions } from '@quire/core';
import type { Bucket } from './bucket.ts';

/** Deletes an object; does nothing when there is no such object. */
export async function deleteObject(
  bucket: Bucket,
  key: string,
  options: CallOptions | undefined,
): Promise<void> {
  await bucket.sendForStatus(bucket.callOf('delete', key, options), {
    method: 'DELETE',
    path: bucket.objectPath(key),
    expected: [200, 204, 404],
  });
}

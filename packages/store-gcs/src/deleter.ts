import type { FailedCall } from '@quire/core/bucket';
import type { Bucket } from './bucket.ts';

/** Deletes an object; does nothing when it does not exist. */
export async function deleteObject(bucket: Bucket, call: FailedCall): Promise<void> {
  await bucket.sendForStatus(call, {
    method: 'DELETE',
    path: bucket.objectPath(call.key),
    expected: [200, 204, 404],
  });
}

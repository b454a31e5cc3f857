import type { QuireError } from '@quire/core';
import type { DeleteRequests, FailedCall } from '@quire/core/bucket';
import type { Bucket } from './bucket.ts';
import { requestFailures, isAbsence } from './errors.ts';

/** Deletes blobs of a container, up to 256 in one request. */
export function deleteRequests(bucket: Bucket): DeleteRequests {
  const callOf = (key: string): FailedCall => ({ op: 'delete', key, location: bucket.location });
  return {
    batchKeysMax: 256,
    async deleteOne(key, abortSignal) {
      await bucket.blob(key).deleteIfExists({ abortSignal });
    },
    async deleteBatch(keys, abortSignal) {
      const blobs = keys.map((key) => bucket.blob(key));
      const { subResponses } = await bucket.client
        .getBlobBatchClient()
        .deleteBlobs(blobs, { abortSignal });
      const failures = new Map<string, QuireError>();
      keys.forEach((key, index) => {
        const { status, errorCode, statusMessage } = subResponses[index] ?? {};
        if (status !== undefined && status >= 200 && status < 300) return;
        const error = Object.assign(new Error(statusMessage ?? ''), {
          ...(status !== undefined && { statusCode: status }),
          ...(errorCode !== undefined && { code: errorCode }),
        });
        if (!isAbsence(error)) failures.set(key, requestFailures.translate(error, callOf(key)));
      });
      return failures;
    },
    translate: (error, key) => requestFailures.translate(error, callOf(key)),
  };
}

import { DeleteObjectCommand, DeleteObjectsCommand } from '@aws-sdk/client-s3';
import { QuireError } from '@quire/core';
import type { DeleteRequests, FailedCall } from '@quire/core/bucket';
import type { Bucket } from './bucket.ts';
import { requestFailures, isAbsence } from './errors.ts';

/** Deletes objects of a bucket, up to 1,000 in one request. */
export function deleteRequests(bucket: Bucket): DeleteRequests {
  const { client, location, name, prefix } = bucket;
  const callOf = (key: string): FailedCall => ({ op: 'delete', key, location });
  return {
    batchKeysMax: 1000,
    async deleteOne(key, abortSignal) {
      try {
        await client.send(new DeleteObjectCommand(bucket.target(key)), { abortSignal });
      } catch (error) {
        // Amazon answers 204 whether the object existed or not; some other servers do not.
        if (!isAbsence(error)) throw error;
      }
    },
    async deleteBatch(keys, abortSignal) {
      const Objects = keys.map((key) => ({ Key: prefix + key }));
      const command = new DeleteObjectsCommand({ Bucket: name, Delete: { Objects, Quiet: false } });
      const { Deleted = [], Errors = [] } = await client.send(command, { abortSignal });
      const deleted = new Set(Deleted.map(({ Key }) => Key));
      const refused = new Map(Errors.map((refusal) => [refusal.Key, refusal]));
      const failures = new Map<string, QuireError>();
      for (const key of keys) {
        const { Code = '', Message = '' } = refused.get(prefix + key) ?? {};
        if (Code === 'NoSuchKey' || deleted.has(prefix + key)) continue;
        const error = Object.assign(new Error(Message), { name: Code });
        const unknown = new QuireError(
          'STORE_UNAVAILABLE',
          `delete of ${key} in ${location}: the answer does not say whether it succeeded.`,
        );
        failures.set(key, Code === '' ? unknown : requestFailures.translate(error, callOf(key)));
      }
      return failures;
    },
    translate: (error, key) => requestFailures.translate(error, callOf(key)),
  };
}

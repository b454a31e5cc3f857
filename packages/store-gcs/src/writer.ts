import { type ObjectEntry, QuireError, retry, type RetryOptions } from '@quire/core';
import { type FailedCall, putInParts } from '@quire/core/bucket';
import type { Bucket } from './bucket.ts';
import { isConflict } from './errors.ts';
import { assertStored, parseObjectResource } from './object-resource.ts';
import { ResumableUpload } from './resumable-upload.ts';

export interface ObjectWriterOptions {
  readonly bucket: Bucket;
  readonly partBytes: number;
  readonly retry: RetryOptions;
}

/**
 * Writes objects atomically: with one request if they fit in a part, otherwise as a resumable
 * upload, which is finished at the end or aborted. Memory: the part being sent, and the one being
 * filled.
 */
export class ObjectWriter {
  readonly #options: ObjectWriterOptions;

  constructor(options: ObjectWriterOptions) {
    this.#options = options;
  }

  /** Writes an object. Calls `assertAlive`, which may throw, before the object becomes visible. */
  async write(
    call: FailedCall,
    body: Uint8Array | AsyncIterable<Uint8Array>,
    assertAlive: () => void,
  ): Promise<ObjectEntry> {
    if (body instanceof Uint8Array) return this.#putBytes(call, body);
    const { bucket, partBytes, retry: retryOptions } = this.#options;
    return putInParts(body, {
      partBytes,
      signal: call.signal,
      assertAlive,
      putWhole: (bytes) =>
        retry(retryOptions, `put ${call.key}`, () => this.#putBytes(call, bytes), call.signal),
      beginUpload: (signal, onFailure) =>
        ResumableUpload.begin({
          bucket,
          call: { ...call, signal },
          retry: retryOptions,
          onFailure,
        }),
    });
  }

  /** Writes an object with one request; returns undefined if an object with that key exists. */
  async writeIfAbsent(call: FailedCall, bytes: Uint8Array): Promise<ObjectEntry | undefined> {
    try {
      return await this.#putBytes(call, bytes, { ifGenerationMatch: '0' });
    } catch (error) {
      if (error instanceof QuireError && isConflict(error.cause)) return undefined;
      throw error;
    }
  }

  async #putBytes(
    call: FailedCall,
    body: Uint8Array,
    condition: Readonly<Record<string, string>> = {},
  ): Promise<ObjectEntry> {
    const { bucket } = this.#options;
    const resource = await bucket.sendForJson(call, {
      method: 'POST',
      path: `/upload/storage/v1/b/${bucket.name}/o`,
      parameters: {
        uploadType: 'media',
        name: bucket.prefix + call.key,
        ...condition,
        ...(bucket.kmsKeyName !== undefined && { kmsKeyName: bucket.kmsKeyName }),
      },
      headers: { 'Content-Type': 'application/octet-stream' },
      body,
      expected: [200, 201],
    });
    return assertStored(parseObjectResource(resource, bucket.prefix, call), body.byteLength, call);
  }
}

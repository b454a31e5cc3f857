import { type ObjectEntry, QuireError, type Random, retry, type RetryOptions } from '@quire/core';
import { type FailedCall, putInParts } from '@quire/core/bucket';
import { BlockUpload } from './block-upload.ts';
import { type Bucket, entryOf, octets } from './bucket.ts';
import { isConflict } from './errors.ts';

export interface ObjectWriterOptions {
  readonly bucket: Bucket;
  readonly partBytes: number;
  readonly partsInFlightMax: number;
  readonly retry: RetryOptions;
  readonly random: Random;
}

/**
 * Writes objects atomically: with one request if they fit in a part, otherwise as blocks that are
 * committed at the end, or removed. Memory: `partsInFlightMax` parts, and the one being filled.
 */
export class ObjectWriter {
  readonly #options: ObjectWriterOptions;

  constructor(options: ObjectWriterOptions) {
    this.#options = options;
  }

  /** Writes an object. Calls `assertOpen`, which may throw, before the object becomes visible. */
  async write(
    call: FailedCall,
    body: Uint8Array | AsyncIterable<Uint8Array>,
    assertOpen: () => void,
  ): Promise<ObjectEntry> {
    if (body instanceof Uint8Array) return this.#putBytes(call, body);
    const { partBytes, retry: retryOptions } = this.#options;
    return putInParts(body, {
      partBytes,
      signal: call.signal,
      assertAlive: assertOpen,
      putWhole: (bytes) =>
        retry(retryOptions, `put ${call.key}`, () => this.#putBytes(call, bytes), call.signal),
      beginUpload: async (signal, onFailure) =>
        new BlockUpload({ ...this.#options, call: { ...call, signal }, onFailure }),
    });
  }

  /** Writes an object with one request; returns undefined if a blob with that key exists. */
  async writeIfAbsent(call: FailedCall, bytes: Uint8Array): Promise<ObjectEntry | undefined> {
    try {
      return await this.#putBytes(call, bytes, { ifNoneMatch: '*' });
    } catch (error) {
      if (error instanceof QuireError && isConflict(error.cause)) return undefined;
      throw error;
    }
  }

  async #putBytes(
    call: FailedCall,
    bytes: Uint8Array,
    conditions: { readonly ifNoneMatch?: '*' } = {},
  ): Promise<ObjectEntry> {
    const { bucket } = this.#options;
    const { lastModified } = await bucket.request(call, (options) =>
      bucket.blob(call.key).upload(bytes, bytes.byteLength, { ...options, ...octets, conditions }),
    );
    return entryOf(call, bytes.byteLength, lastModified);
  }
}

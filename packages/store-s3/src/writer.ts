import { HeadObjectCommand, PutObjectCommand } from '@aws-sdk/client-s3';
import { isQuireError, type ObjectEntry, QuireError, retry, type RetryOptions } from '@quire/core';
import { type FailedCall, putInParts, observeSource } from '@quire/core/bucket';
import type { Bucket } from './bucket.ts';
import { isPresence, isUnsupported } from './errors.ts';
import { wholeSeconds } from './last-modified.ts';
import { MultipartUpload } from './multipart-upload.ts';
import { unobstructed } from './obstacle.ts';

export interface ObjectWriterOptions {
  readonly bucket: Bucket;
  readonly partBytes: number;
  readonly partsInFlightMax: number;
  readonly retry: RetryOptions;
}

/**
 * Writes objects atomically: with one request if they fit in a part, otherwise as a multipart
 * upload that is completed at the end, or aborted. Memory: `partsInFlightMax` parts, and the one
 * being filled.
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
    const { bucket } = this.#options;
    using _connections = bucket.hold();
    let sizeBytes = 0;
    const onChunk = (chunk: Uint8Array): void => {
      sizeBytes += chunk.byteLength;
    };
    if (body instanceof Uint8Array) {
      await this.#putBytes(call, body);
      onChunk(body);
      return await this.#entryOf(call, sizeBytes);
    }
    await this.#putSource(call, observeSource(body, { onChunk }), assertOpen);
    // The source cannot be read again for another put.
    const look = (): Promise<ObjectEntry> => this.#entryOf(call, sizeBytes);
    return await retry(this.#options.retry, `head ${call.key}`, look, call.signal);
  }

  async #isStored(call: FailedCall): Promise<boolean> {
    try {
      await headObject(this.#options.bucket, { ...call, op: 'head' });
      return true;
    } catch (error) {
      if (isQuireError(error, 'OBJECT_NOT_FOUND')) return false;
      throw error;
    }
  }

  /** Returns the entry of an object that was stored. */
  async #entryOf(call: FailedCall, sizeBytes: number): Promise<ObjectEntry> {
    try {
      return await headObject(this.#options.bucket, { ...call, op: 'head' });
    } catch (error) {
      if (!isQuireError(error, 'OBJECT_NOT_FOUND')) throw error;
      // The object was stored and has since been deleted, for example by a cleaner.
      return {
        key: call.key,
        sizeBytes,
        lastModifiedMs: wholeSeconds(new Date(this.#options.retry.clock.nowMs())),
      };
    }
  }

  async #putSource(
    call: FailedCall,
    source: AsyncIterable<Uint8Array>,
    assertAlive: () => void,
  ): Promise<void> {
    const { partBytes, retry: retryOptions } = this.#options;
    await putInParts(source, {
      partBytes,
      signal: call.signal,
      assertAlive,
      putWhole: (bytes) =>
        retry(retryOptions, `put ${call.key}`, () => this.#putBytes(call, bytes), call.signal),
      beginUpload: (signal, fail) =>
        MultipartUpload.begin({ ...this.#options, call: { ...call, signal }, onFailure: fail }),
    });
  }

  /**
   * Writes an object with one request; returns undefined if an object with that key exists. On a
   * server without conditional requests, the check and the write are two requests.
   */
  async writeIfAbsent(call: FailedCall, bytes: Uint8Array): Promise<ObjectEntry | undefined> {
    using _connections = this.#options.bucket.hold();
    try {
      await this.#putBytes(call, bytes, { IfNoneMatch: '*' });
    } catch (error) {
      if (!(error instanceof QuireError)) throw error;
      if (isPresence(error.cause)) return undefined;
      if (!isUnsupported(error.cause)) throw error;
      if (await this.#isStored(call)) return undefined;
      await this.#putBytes(call, bytes);
    }
    return await this.#entryOf(call, bytes.byteLength);
  }

  async #putBytes(
    call: FailedCall,
    bytes: Uint8Array,
    condition: { readonly IfNoneMatch?: '*' } = {},
  ): Promise<void> {
    const { bucket } = this.#options;
    const command = new PutObjectCommand({
      ...bucket.target(call.key),
      ...bucket.encryption,
      ...condition,
      Body: bytes,
      ContentLength: bytes.byteLength,
      ContentType: 'application/octet-stream',
    });
    await unobstructed(bucket, call, async () => {
      await bucket.request(call, (client, options) => client.send(command, options));
    });
  }
}

/** Returns the metadata of an object, because the answer to a put does not include the date. */
export async function headObject(bucket: Bucket, call: FailedCall): Promise<ObjectEntry> {
  const { key, location } = call;
  const head = await bucket.request(call, (client, options) =>
    client.send(new HeadObjectCommand(bucket.target(key)), options),
  );
  const { ContentLength, LastModified } = head;
  if (ContentLength === undefined || LastModified === undefined) {
    throw new QuireError(
      'STORE_UNAVAILABLE',
      `${call.op} of ${key} in ${location}: the answer lacks the size or the date of the object.`,
    );
  }
  return { key, sizeBytes: ContentLength, lastModifiedMs: wholeSeconds(LastModified) };
}

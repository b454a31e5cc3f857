import {
  type CallOptions,
  type ObjectEntry,
  QuireError,
  retry,
  type RetryOptions,
  sourceChunks,
  throwIfAborted,
} from '@quire/core';
import type { Bucket } from './bucket.ts';
import type { FailedCall } from './errors.ts';
import { parseObjectResource } from './object-resource.ts';
import { cutParts } from './parts.ts';
import { ResumableUpload } from './resumable-upload.ts';

export interface ObjectWriterOptions {
  readonly bucket: Bucket;
  readonly partBytes: number;
  readonly retry: RetryOptions;
}

/**
 * Writes objects so that they appear at once and whole: one request for what fits in a part, else a resumable upload, ended at the
 * end or given up. Memory: the part that is on its way and the one that fills.
 */
export class ObjectWriter {
  readonly #options: ObjectWriterOptions;

  constructor(options: ObjectWriterOptions) {
    this.#options = options;
  }

  /** Runs `assertAlive`, which may throw, before the object appears. */
  async write(
    key: string,
    body: Uint8Array | AsyncIterable<Uint8Array>,
    options: CallOptions | undefined,
    assertAlive: () => void,
  ): Promise<ObjectEntry> {
    const call = this.#options.bucket.callOf('put', key, options);
    if (!(body instanceof Uint8Array)) return this.#putSource(call, body, assertAlive);
    return checkSize(await this.#putBytes(call, body), body.byteLength, call);
  }

  async #putSource(call: FailedCall, source: AsyncIterable<Uint8Array>, assertAlive: () => void): Promise<ObjectEntry> {
    const { bucket, partBytes, retry: retryOptions } = this.#options;
    // Ends the source as soon as a part has failed for good, however long the source would still work.
    const failure = new AbortController();
    const signal = call.signal === undefined ? failure.signal : AbortSignal.any([call.signal, failure.signal]);
    let upload: ResumableUpload | undefined;
    let sending: Promise<ObjectEntry | undefined> = Promise.resolve(undefined);
    let sizeBytes = 0;
    try {
      for await (const { bytes, isLast } of cutParts(alive(sourceChunks(source, signal), assertAlive), partBytes)) {
        throwIfAborted(signal);
        assertAlive();
        sizeBytes += bytes.byteLength;
        if (isLast && upload === undefined) {
          const put = (): Promise<ObjectEntry> => this.#putBytes(call, bytes);
          return checkSize(await retry(retryOptions, `put ${call.key}`, put, call.signal), sizeBytes, call);
        }
        upload ??= await ResumableUpload.begin(bucket, { ...call, signal });
        await sending;
        sending = upload.send(bytes, isLast, retryOptions);
        sending.catch((error: unknown) => failure.abort(error));
      }
      return checkSize(await sending, sizeBytes, call);
    } catch (error) {
      failure.abort(error);
      await sending.catch(() => undefined);
      await upload?.abort();
      throw error;
    }
  }

  async #putBytes(call: FailedCall, body: Uint8Array): Promise<ObjectEntry> {
    const { bucket } = this.#options;
    const resource = await bucket.sendForJson(call, {
      method: 'POST',
      path: `/upload/storage/v1/b/${bucket.name}/o`,
      parameters: {
        uploadType: 'media',
        name: bucket.prefix + call.key,
        ...(bucket.kmsKeyName !== undefined && { kmsKeyName: bucket.kmsKeyName }),
      },
      headers: { 'Content-Type': 'application/octet-stream' },
      body,
      expected: [200, 201],
    });
    return parseObjectResource(resource, bucket.prefix, call);
  }
}

function checkSize(entry: ObjectEntry | undefined, sizeBytes: number, { key, location }: FailedCall): ObjectEntry {
  if (entry?.key === key && entry.sizeBytes === sizeBytes) return entry;
  throw new QuireError(
    'STORE_UNAVAILABLE',
    `put of ${key} in ${location}: the server has ${entry?.sizeBytes} of ${sizeBytes} bytes.`,
  );
}

async function* alive(chunks: AsyncIterable<Uint8Array>, assertAlive: () => void): AsyncGenerator<Uint8Array> {
  for await (const chunk of chunks) {
    assertAlive();
    yield chunk;
  }
}

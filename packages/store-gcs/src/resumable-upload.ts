import { type ObjectEntry, QuireError, retry, type RetryOptions } from '@quire/core';
import type { FailedCall, Part, PartUpload } from '@quire/core/bucket';
import { type Answer, type Bucket, readJson } from './bucket.ts';
import { requestFailures } from './errors.ts';
import { assertStored, parseObjectResource } from './object-resource.ts';

/** The size of parts except the last one must be a multiple of this. */
export const partBytesUnit = 256 * 1024;

/** The server's status for a part that is not the last one. */
const resumeIncompleteStatus = 308;

export interface ResumableUploadOptions {
  readonly bucket: Bucket;
  readonly call: FailedCall;
  /**
   * The retry policy for parts. A part is in memory and can be resent; the source of a put cannot
   * be reread.
   */
  readonly retry: RetryOptions;
  /** Called immediately when a part has failed permanently. */
  readonly onFailure: (error: unknown) => void;
}

/**
 * The upload of one object in sequential parts; nothing is visible before the last one is stored.
 *
 * @see https://cloud.google.com/storage/docs/performing-resumable-uploads
 */
export class ResumableUpload implements PartUpload<ObjectEntry> {
  readonly #options: ResumableUploadOptions;
  readonly #sessionUrl: string;
  #sending: Promise<ObjectEntry | undefined> = Promise.resolve(undefined);
  #takenBytes = 0;
  #storedBytes = 0;
  /** True if the last request failed, so that the number of stored bytes is unknown. */
  #isUncertain = false;

  private constructor(options: ResumableUploadOptions, sessionUrl: string) {
    this.#options = options;
    this.#sessionUrl = sessionUrl;
  }

  static async begin(options: ResumableUploadOptions): Promise<ResumableUpload> {
    const { bucket, call, retry: retryOptions } = options;
    const begin = (): Promise<string> => beginSession(bucket, call);
    const sessionUrl = await retry(retryOptions, `begin put of ${call.key}`, begin, call.signal);
    return new ResumableUpload(options, sessionUrl);
  }

  async add({ bytes, isLast }: Part): Promise<void> {
    await this.#sending;
    this.#takenBytes += bytes.byteLength;
    this.#sending = this.#send(bytes, isLast);
    this.#sending.catch(this.#options.onFailure);
  }

  async complete(): Promise<ObjectEntry> {
    return assertStored(await this.#sending, this.#takenBytes, this.#options.call);
  }

  async abort(): Promise<void> {
    await this.#sending.catch(() => undefined);
    await endSession(this.#options.bucket, this.#options.call, this.#sessionUrl);
  }

  /**
   * Sends the next part, and resends the missing bytes after temporary failures. Returns the
   * object's entry after the last one.
   */
  async #send(bytes: Uint8Array, isLast: boolean): Promise<ObjectEntry | undefined> {
    const { call, retry: retryOptions } = this.#options;
    const start = this.#storedBytes;
    const end = start + bytes.byteLength;
    const total = isLast ? String(end) : '*';
    const attempt = async (): Promise<ObjectEntry | undefined> => {
      for (;;) {
        const done = this.#isUncertain ? await this.#ask(total) : undefined;
        if (done !== undefined) return done;
        if (this.#storedBytes < start || this.#storedBytes > end) {
          throw this.#lost(
            `the server has ${this.#storedBytes} bytes, which do not end within this part`,
          );
        }
        if (this.#storedBytes === end && !isLast) return undefined;
        const before = this.#storedBytes;
        this.#isUncertain = true;
        const answer = await this.#put(
          `bytes ${before}-${end - 1}/${total}`,
          bytes.subarray(before - start),
        );
        const entry = await this.#take(answer);
        this.#isUncertain = false;
        if (entry !== undefined) return entry;
        if (this.#storedBytes === before) {
          throw this.#lost('the server has stored no more bytes of this part');
        }
      }
    };
    return retry(retryOptions, `put part of ${call.key}`, attempt, call.signal);
  }

  /** Requests the number of stored bytes. */
  async #ask(total: string): Promise<ObjectEntry | undefined> {
    return this.#take(await this.#put(`bytes */${total}`, new Uint8Array(0)));
  }

  async #put(range: string, body: Uint8Array): Promise<Answer> {
    const headers = { 'Content-Range': range, 'Content-Type': 'application/octet-stream' };
    const request = {
      method: 'PUT',
      path: this.#sessionUrl,
      headers,
      body,
      expected: [200, 201, resumeIncompleteStatus, 404, 410],
    } as const;
    const answer = await this.#options.bucket.send(this.#options.call, request);
    if (answer.status !== 404 && answer.status !== 410) return answer;
    answer.body.resume().on('error', () => undefined);
    throw this.#lost('the server no longer has the upload');
  }

  /** Processes the server's state of the upload: the whole object, or its first bytes. */
  async #take(answer: Answer): Promise<ObjectEntry | undefined> {
    if (answer.status !== resumeIncompleteStatus) {
      const { bucket, call } = this.#options;
      const resource = await requestFailures.run(call, () => readJson(answer));
      return parseObjectResource(resource, bucket.prefix, call);
    }
    answer.body.resume().on('error', () => undefined);
    const [, last] = /^bytes=0-(\d+)$/.exec(answer.headers.get('range') ?? '') ?? [];
    this.#storedBytes = last === undefined ? 0 : Number(last) + 1;
    return undefined;
  }

  #lost(what: string): QuireError {
    const { key, location } = this.#options.call;
    return new QuireError('STORE_UNAVAILABLE', `put of ${key} in ${location} failed: ${what}.`);
  }
}

/** Starts an upload of an object; resolves to the URL for its parts. */
export async function beginSession(bucket: Bucket, call: FailedCall): Promise<string> {
  const answer = await bucket.sendForStatus(call, {
    method: 'POST',
    path: `/upload/storage/v1/b/${bucket.name}/o`,
    parameters: {
      uploadType: 'resumable',
      name: bucket.prefix + call.key,
      ...(bucket.kmsKeyName !== undefined && { kmsKeyName: bucket.kmsKeyName }),
    },
    headers: { 'X-Upload-Content-Type': 'application/octet-stream' },
    expected: [200, 201],
  });
  const sessionUrl = answer.headers.get('location');
  if (sessionUrl === null) {
    throw new QuireError(
      'STORE_UNAVAILABLE',
      `put of ${call.key} in ${call.location}: the answer has no upload id.`,
    );
  }
  return sessionUrl;
}

/**
 * Aborts an upload. Never throws: the server deletes an upload that cannot be aborted after a week.
 */
export async function endSession(
  bucket: Bucket,
  call: FailedCall,
  sessionUrl: string,
): Promise<void> {
  const request = {
    method: 'DELETE',
    path: sessionUrl,
    expected: [200, 204, 404, 405, 410, 499],
  } as const;
  await bucket.sendForStatus({ ...call, signal: undefined }, request).catch(() => undefined);
}

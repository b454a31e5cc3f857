import { Readable } from 'node:stream';
import type { File, Storage } from '@google-cloud/storage';
import { type CallOptions, throwIfAborted } from '@quire/core';
import type { BucketLocation, FailedCall } from '@quire/core/bucket';
import { FailedAnswer, requestFailures } from './errors.ts';

export interface BucketRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** The path below the endpoint, or a whole URL from the server. */
  readonly path: string;
  readonly parameters?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Uint8Array;
  /** The statuses that are not failures. */
  readonly expected: readonly number[];
}

/** An answer whose body must still be read or destroyed. */
export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Readable;
}

/** The maximum size of an error message that is read. */
const errorBytesMax = 16 * 1024;
/**
 * The maximum size of a JSON answer; a page of a listing has a thousand entries of about a
 * kilobyte.
 */
const jsonBytesMax = 64 * 1024 * 1024;

/**
 * The common part of all calls to a bucket.
 *
 * The vendor's library finds and renews credentials and signs links. The requests are made here
 * with the JSON API, because the library's streams do not accept an AbortSignal, hide the range of
 * an answer and buffer parts of an upload for an unknown time.
 * @see https://cloud.google.com/storage/docs/json_api/v1
 */
export class Bucket {
  readonly name: string;
  readonly prefix: string;
  readonly location: string;
  readonly kmsKeyName: string | undefined;
  readonly #storage: Storage;
  #isClosed = false;

  constructor(
    storage: Storage,
    { bucket, prefix }: BucketLocation,
    kmsKeyName: string | undefined,
  ) {
    this.#storage = storage;
    this.name = bucket;
    this.prefix = prefix;
    this.location = `gs://${bucket}/${prefix}`.replace(/\/$/, '');
    this.kmsKeyName = kmsKeyName;
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** Returns the library's object, for functions that only the library has. */
  file(key: string): File {
    return this.#storage.bucket(this.name).file(this.prefix + key);
  }

  /** Returns the path of an object. */
  objectPath(key: string): string {
    return `/storage/v1/b/${this.name}/o/${encodeURIComponent(this.prefix + key)}`;
  }

  callOf(op: FailedCall['op'], key: string, options: CallOptions | undefined): FailedCall {
    return { op, key, location: this.location, signal: options?.signal };
  }

  /**
   * Sends one request of a call; an aborted call sends none. A status other than the expected ones
   * is a failure of the call.
   */
  async send(call: FailedCall, request: BucketRequest): Promise<Answer> {
    throwIfAborted(call.signal);
    const { method, path, parameters, headers, body, expected } = request;
    return requestFailures.run(call, async () => {
      const url = new URL(path, this.#storage.apiEndpoint);
      for (const [name, value] of Object.entries(parameters ?? {})) {
        url.searchParams.set(name, value);
      }
      const response = await this.#storage.authClient.request<unknown>({
        url: url.href,
        method,
        ...(headers !== undefined && { headers: { ...headers } }),
        ...(body !== undefined && {
          body: Buffer.from(body.buffer, body.byteOffset, body.byteLength),
        }),
        ...(call.signal !== undefined && { signal: call.signal }),
        // If the library's own `fetch` is aborted while it sends a body, it throws an error that
        // cannot be caught.
        fetchImplementation: fetch,
        responseType: 'stream',
        // Retries are made by `withRetry`; the library renews refused credentials once.
        retry: false,
        validateStatus: (status) => status !== 401,
      });
      const answer = {
        status: response.status,
        headers: response.headers,
        body: asNodeStream(response.data),
      };
      if (!expected.includes(answer.status)) throw await failedAnswerOf(answer);
      return answer;
    });
  }

  /** Sends one request and parses its answer as JSON. */
  async sendForJson(call: FailedCall, request: BucketRequest): Promise<unknown> {
    const answer = await this.send(call, request);
    return requestFailures.run(call, () => readJson(answer));
  }

  /** Sends one request whose answer is only its status. */
  async sendForStatus(call: FailedCall, request: BucketRequest): Promise<Answer> {
    const answer = await this.send(call, request);
    await requestFailures.run(call, () => readText(answer.body, errorBytesMax));
    return answer;
  }

  close(): void {
    this.#isClosed = true;
  }
}

/** Returns the JSON of an answer, which must not be empty. */
export async function readJson(answer: Answer): Promise<unknown> {
  const text = await readText(answer.body, jsonBytesMax);
  try {
    return JSON.parse(text) as unknown;
  } catch (error) {
    throw new Error(`the answer is not JSON: ${text.slice(0, 80)}`, { cause: error });
  }
}

async function failedAnswerOf({ status, body }: Answer): Promise<FailedAnswer> {
  const text = await readText(body, errorBytesMax).catch(() => '');
  let detail:
    | { readonly message?: unknown; readonly errors?: readonly { readonly reason?: unknown }[] }
    | undefined;
  try {
    detail = (JSON.parse(text) as { readonly error?: typeof detail }).error;
  } catch {
    // Proxies and gateways answer in HTML or plain text.
    detail = undefined;
  }
  const reason = detail?.errors?.[0]?.reason;
  const message = typeof detail?.message === 'string' ? detail.message : text.trim().slice(0, 200);
  return new FailedAnswer(status, typeof reason === 'string' ? reason : '', message);
}

async function readText(body: Readable, bytesMax: number): Promise<string> {
  const chunks: Uint8Array[] = [];
  let readBytes = 0;
  for await (const chunk of body as AsyncIterable<Uint8Array>) {
    readBytes += chunk.byteLength;
    if (readBytes > bytesMax) break;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function asNodeStream(data: unknown): Readable {
  if (data instanceof Readable) return data;
  if (data instanceof ReadableStream) return Readable.fromWeb(data);
  return Readable.from([]);
}

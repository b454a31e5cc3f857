import { Readable } from 'node:stream';
import { GetObjectCommand, type GetObjectCommandOutput } from '@aws-sdk/client-s3';
import {
  type ByteRange,
  type GetOptions,
  type ObjectBody,
  QuireError,
  resolveByteRange,
  SingleUseBody,
  throwIfAborted,
} from '@quire/core';
import type { Bucket } from './bucket.ts';
import { type FailedCall, toStoreError } from './errors.ts';

/**
 * Opens an object with one request, whose answer comes in as the body is iterated: the server sends no more than the reader takes.
 *
 * The answer must prove which bytes it holds: to a ranged request, a status of 206 with a Content-Range that says so.
 */
export async function openObject(bucket: Bucket, key: string, options: GetOptions | undefined): Promise<ObjectBody> {
  const call = bucket.callOf('get', key, options);
  const { range } = options ?? {};
  const connections = bucket.hold();
  let body: Readable | undefined;
  try {
    const response = await bucket.request(call, (client, sendOptions) =>
      client.send(
        new GetObjectCommand({
          ...bucket.target(key),
          ...(range !== undefined && { Range: `bytes=${range.start}-${range.end - 1}` }),
        }),
        sendOptions,
      ),
    );
    const stream = streamOf(response);
    body = stream;
    throwIfAborted(options?.signal);
    const { sizeBytes, bytes } = range === undefined ? wholeOf(response, call) : rangeOf(response, range, call);
    return new SingleUseBody({
      key,
      sizeBytes,
      chunks: () => readChunks(stream, bytes, call),
      release: () => {
        endStream(stream);
        connections[Symbol.dispose]();
      },
    });
  } catch (error) {
    if (body !== undefined) endStream(body);
    connections[Symbol.dispose]();
    throw error;
  }
}

function streamOf(response: GetObjectCommandOutput): Readable {
  if (response.Body instanceof Readable) return response.Body;
  throw new QuireError('INTERNAL', "The SDK gave no stream of Node's for an object.");
}

function wholeOf(
  { ContentLength, ContentRange }: GetObjectCommandOutput,
  call: FailedCall,
): { sizeBytes: number; bytes: ByteRange } {
  if (ContentLength === undefined || !Number.isSafeInteger(ContentLength) || ContentRange !== undefined) {
    throw notWhatWasAsked(
      call,
      `the whole object, but the answer says Content-Length ${ContentLength} and Content-Range ${ContentRange}`,
    );
  }
  return { sizeBytes: ContentLength, bytes: { start: 0, end: ContentLength } };
}

function rangeOf(response: GetObjectCommandOutput, range: ByteRange, call: FailedCall): { sizeBytes: number; bytes: ByteRange } {
  const { ContentRange, $metadata } = response;
  const [, first, last, total] = /^bytes (\d+)-(\d+)\/(\d+)$/.exec(ContentRange ?? '') ?? [];
  const asked = `the bytes [${range.start}, ${range.end})`;
  if ($metadata.httpStatusCode !== 206 || first === undefined) {
    throw notWhatWasAsked(
      call,
      `${asked}, but the answer is HTTP ${$metadata.httpStatusCode} with Content-Range ${ContentRange}`,
    );
  }
  const sizeBytes = Number(total);
  resolveByteRange(range, sizeBytes, call.key, call.location);
  if (Number(first) !== range.start || Number(last) !== range.end - 1) {
    throw notWhatWasAsked(call, `${asked}, but the answer holds ${ContentRange}`);
  }
  return { sizeBytes, bytes: range };
}

async function* readChunks(stream: Readable, bytes: ByteRange, call: FailedCall): AsyncGenerator<Uint8Array> {
  const { signal } = call;
  const expectedBytes = bytes.end - bytes.start;
  let readBytes = 0;
  const onAbort = (): void => {
    stream.destroy();
  };
  signal?.addEventListener('abort', onAbort, { once: true });
  try {
    throwIfAborted(signal);
    const chunks: AsyncIterator<Uint8Array> = stream[Symbol.asyncIterator]();
    for (;;) {
      const step = await nextChunk(chunks, call);
      throwIfAborted(signal);
      if (step.done === true) break;
      readBytes += step.value.byteLength;
      if (readBytes > expectedBytes) throw notWhatWasAsked(call, `${expectedBytes} bytes, but more came`);
      if (step.value.byteLength > 0) yield asPlainBytes(step.value);
      throwIfAborted(signal);
    }
  } finally {
    signal?.removeEventListener('abort', onAbort);
  }
  if (readBytes < expectedBytes) {
    throw new QuireError(
      'OBJECT_SHORT_READ',
      `${call.key} in ${call.location} ended after ${readBytes} of ${expectedBytes} bytes.`,
    );
  }
}

/** The next chunk; a connection that ends too early is a failure of the store, which a later call may not meet. */
async function nextChunk(chunks: AsyncIterator<Uint8Array>, call: FailedCall): Promise<IteratorResult<Uint8Array>> {
  try {
    return await chunks.next();
  } catch (error) {
    throw toStoreError(error, call);
  }
}

/** The same memory, no Buffer: those differ from other arrays of bytes in what `slice` and comparisons do. */
function asPlainBytes({ buffer, byteOffset, byteLength }: Uint8Array): Uint8Array {
  return new Uint8Array(buffer, byteOffset, byteLength);
}

/** Gives the connection back when all of the answer has come, and closes it otherwise: nobody will take the rest. */
function endStream(stream: Readable): void {
  stream.on('error', () => undefined);
  stream.destroy();
}

function notWhatWasAsked({ key, location }: FailedCall, difference: string): QuireError {
  return new QuireError('OBJECT_SHORT_READ', `get of ${key} in ${location} asked for ${difference}.`);
}

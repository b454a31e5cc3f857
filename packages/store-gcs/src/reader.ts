import type { Readable } from 'node:stream';
import {
  type ByteRange,
  type GetOptions,
  type ObjectBody,
  QuireError,
  resolveByteRange,
  SingleUseBody,
  throwIfAborted,
} from '@quire/core';
import type { Answer, Bucket } from './bucket.ts';
import { type FailedCall, toStoreError } from './errors.ts';

/**
 * Opens an object with one request, whose answer comes in as the body is iterated: the server sends no more than the reader takes.
 *
 * The answer must prove which bytes it holds: to a ranged request, a status of 206 with a Content-Range that says so.
 */
export async function openObject(bucket: Bucket, key: string, options: GetOptions | undefined): Promise<ObjectBody> {
  const call = bucket.callOf('get', key, options);
  const { range } = options ?? {};
  const answer = await bucket.send(call, {
    method: 'GET',
    path: bucket.objectPath(key),
    parameters: { alt: 'media' },
    headers: { 'Accept-Encoding': 'identity', ...(range !== undefined && { Range: `bytes=${range.start}-${range.end - 1}` }) },
    expected: [200, 206],
  });
  try {
    throwIfAborted(options?.signal);
    const { sizeBytes, bytes } = range === undefined ? wholeOf(answer, call) : rangeOf(answer, range, call);
    return new SingleUseBody({
      key,
      sizeBytes,
      chunks: () => readChunks(answer.body, bytes, call),
      release: () => endStream(answer.body),
    });
  } catch (error) {
    endStream(answer.body);
    throw error;
  }
}

interface Delivery {
  readonly sizeBytes: number;
  readonly bytes: ByteRange;
}

function wholeOf({ status, headers }: Answer, call: FailedCall): Delivery {
  const length = headers.get('content-length') ?? '';
  if (status !== 200 || !/^\d+$/.test(length)) {
    throw notWhatWasAsked(call, `the whole object, but the answer is HTTP ${status} with Content-Length ${length}`);
  }
  return { sizeBytes: Number(length), bytes: { start: 0, end: Number(length) } };
}

function rangeOf({ status, headers }: Answer, range: ByteRange, call: FailedCall): Delivery {
  const contentRange = headers.get('content-range') ?? '';
  const [, first, last, total] = /^bytes (\d+)-(\d+)\/(\d+)$/.exec(contentRange) ?? [];
  const asked = `the bytes [${range.start}, ${range.end})`;
  if (status !== 206 || first === undefined) {
    throw notWhatWasAsked(call, `${asked}, but the answer is HTTP ${status} with Content-Range ${contentRange}`);
  }
  const sizeBytes = Number(total);
  resolveByteRange(range, sizeBytes, call.key, call.location);
  if (Number(first) !== range.start || Number(last) !== range.end - 1) {
    throw notWhatWasAsked(call, `${asked}, but the answer holds ${contentRange}`);
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

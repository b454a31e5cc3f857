import { Readable } from 'node:stream';
import { type ByteRange, type ObjectBody, QuireError } from '@quire/core';
import { type FailedCall, openAnsweredObject } from '@quire/core/bucket';
import type { Bucket } from './bucket.ts';
import { requestFailures } from './errors.ts';

/**
 * Opens an object with one request, whose answer is read as the body is iterated: the server sends
 * only as fast as the reader reads.
 */
export async function openObject(
  bucket: Bucket,
  call: FailedCall,
  range: ByteRange | undefined,
): Promise<ObjectBody> {
  const blob = bucket.blob(call.key);
  const response = await bucket.request(call, (options) =>
    blob.download(
      range?.start,
      range === undefined ? undefined : range.end - range.start,
      // The reader retries a failed body, because it knows the bytes that it has.
      { ...options, maxRetryRequests: 0 },
    ),
  );
  const { _response, contentLength, contentRange, readableStreamBody } = response;
  if (!(readableStreamBody instanceof Readable)) {
    throw new QuireError('INTERNAL', 'The SDK did not return a Node stream for an object.');
  }
  try {
    bucket.assertObject(call, response);
  } catch (error) {
    readableStreamBody.on('error', () => undefined).destroy();
    throw error;
  }
  return openAnsweredObject(
    { status: _response.status, contentLength, contentRange, stream: readableStreamBody },
    { call, range, translate: (error) => requestFailures.translate(error, call) },
  );
}

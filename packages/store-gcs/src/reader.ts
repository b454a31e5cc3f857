import type { ByteRange, ObjectBody } from '@quire/core';
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
  const { status, headers, body } = await bucket.send(call, {
    method: 'GET',
    path: bucket.objectPath(call.key),
    parameters: { alt: 'media' },
    headers: {
      'Accept-Encoding': 'identity',
      ...(range !== undefined && { Range: `bytes=${range.start}-${range.end - 1}` }),
    },
    expected: [200, 206],
  });
  const length = headers.get('content-length');
  const answer = {
    status,
    contentLength: length === null ? undefined : Number(length),
    contentRange: headers.get('content-range') ?? undefined,
    stream: body,
  };
  return openAnsweredObject(answer, {
    call,
    range,
    translate: (error) => requestFailures.translate(error, call),
  });
}

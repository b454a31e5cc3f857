import { Readable } from 'node:stream';
import { GetObjectCommand } from '@aws-sdk/client-s3';
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
  const command = new GetObjectCommand({
    ...bucket.target(call.key),
    ...(range !== undefined && { Range: `bytes=${range.start}-${range.end - 1}` }),
  });
  const connections = bucket.hold();
  let isOpen = false;
  try {
    const response = await bucket.request(call, (client, sendOptions) =>
      client.send(command, sendOptions),
    );
    const { $metadata, ContentLength, ContentRange, Body } = response;
    if (!(Body instanceof Readable)) {
      throw new QuireError('INTERNAL', 'The SDK did not return a Node stream for an object.');
    }
    isOpen = true;
    return openAnsweredObject(
      {
        status: $metadata.httpStatusCode,
        contentLength: ContentLength,
        contentRange: ContentRange,
        stream: Body,
      },
      {
        call,
        range,
        translate: (error) => requestFailures.translate(error, call),
        release: () => connections[Symbol.dispose](),
      },
    );
  } finally {
    // The connections of an open answer are released at its end.
    if (!isOpen) connections[Symbol.dispose]();
  }
}

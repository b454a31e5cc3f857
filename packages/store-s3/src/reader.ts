import { Readable } from 'node:stream';
import { GetObjectCommand } from '@aws-sdk/client-s3';
import { type GetOptions, type ObjectBody, QuireError } from '@quire/core';
import { openAnsweredObject } from '@quire/core/bucket';
import type { Bucket } from './bucket.ts';
import { toStoreError } from './errors.ts';

/**
 * Opens an object with one request, whose answer comes in as the body is iterated: the server sends
 * no more than the reader takes.
 */
export async function openObject(
  bucket: Bucket,
  key: string,
  options: GetOptions | undefined,
): Promise<ObjectBody> {
  const call = bucket.callOf('get', key, options);
  const { range } = options ?? {};
  const command = new GetObjectCommand({
    ...bucket.target(key),
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
      throw new QuireError('INTERNAL', "The SDK gave no stream of Node's for an object.");
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
        translate: (error) => toStoreError(error, call),
        release: () => connections[Symbol.dispose](),
      },
    );
  } finally {
    // Once there is an answer, its end gives them back.
    if (!isOpen) connections[Symbol.dispose]();
  }
}

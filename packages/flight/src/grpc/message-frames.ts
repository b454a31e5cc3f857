import { QuireError } from '@quire/core';

/** The prefix of each message: the compression flag, and the length in four bytes. */
const prefixBytes = 5;

/** Frames a message: `head` precedes `body`, which is sent as it is. */
export function frameMessage(head: Uint8Array, bodyBytes = 0): Uint8Array {
  const framed = new Uint8Array(prefixBytes + head.length);
  new DataView(framed.buffer).setUint32(1, head.length + bodyBytes);
  framed.set(head, prefixBytes);
  return framed;
}

/**
 * Extracts the messages from the chunks of a request; holds one message at a time.
 *
 * @throws BODY_TOO_LARGE as soon as a message announces more than `bytesMax`
 * @throws UNSUPPORTED when a message is compressed
 * @throws INVALID_BODY when the request ends within a message
 */
export async function* readFrames(
  chunks: AsyncIterable<Uint8Array>,
  bytesMax: number,
): AsyncGenerator<Uint8Array> {
  let parts: Uint8Array[] = [];
  let length = 0;
  let wanted = prefixBytes;
  let isHead = true;
  for await (const chunk of chunks) {
    parts.push(chunk);
    length += chunk.length;
    while (length >= wanted) {
      const whole = parts.length === 1 ? (parts[0] as Uint8Array) : Buffer.concat(parts);
      const piece = whole.subarray(0, wanted);
      parts = whole.length > wanted ? [whole.subarray(wanted)] : [];
      length -= wanted;
      if (isHead) wanted = messageLengthOf(piece, bytesMax);
      else {
        yield new Uint8Array(piece.buffer, piece.byteOffset, piece.byteLength);
        wanted = prefixBytes;
      }
      isHead = !isHead;
    }
  }
  if (length > 0 || !isHead) {
    throw new QuireError('INVALID_BODY', 'The request ended within a message.');
  }
}

function messageLengthOf(prefix: Uint8Array, bytesMax: number): number {
  if (prefix[0] !== 0) {
    throw new QuireError(
      'UNSUPPORTED',
      'The message is compressed; expected messages without gRPC compression (grpc-encoding: identity).',
    );
  }
  const length = new DataView(prefix.buffer, prefix.byteOffset).getUint32(1);
  if (length > bytesMax) {
    throw new QuireError(
      'BODY_TOO_LARGE',
      `The message has ${length} bytes; expected at most ${bytesMax}.`,
    );
  }
  return length;
}

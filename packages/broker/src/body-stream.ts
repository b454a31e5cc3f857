import { Readable } from 'node:stream';

/** Bytes that are read before the response begins: bodies up to this size fail cleanly and say their length. */
const atHandBytesMin = 256 * 1024;

/** A body whose first bytes are at hand, so that a failure to read it can still be answered with a status. */
export type OpenBody =
  | { readonly kind: 'whole'; readonly bytes: Uint8Array }
  | { readonly kind: 'stream'; readonly stream: Readable };

/**
 * Reads the first chunks: a small body comes whole, a larger one as a stream that reads on as fast as it is read.
 *
 * @throws what the iteration throws meanwhile; a later failure destroys the stream
 */
export async function openBody(chunks: AsyncIterable<Uint8Array>): Promise<OpenBody> {
  const iterator = chunks[Symbol.asyncIterator]();
  const atHand: Uint8Array[] = [];
  for (let sizeBytes = 0; sizeBytes < atHandBytesMin;) {
    const next = await iterator.next();
    if (next.done === true) return { kind: 'whole', bytes: joined(atHand) };
    atHand.push(next.value);
    sizeBytes += next.value.byteLength;
  }
  return { kind: 'stream', stream: Readable.from(resume(atHand, iterator), { objectMode: false }) };
}

/**
 * The chunks at hand, then those that follow; leaving at any time closes the iterator.
 *
 * No generator: one that nobody has begun to read yet would not notice that it is closed.
 */
function resume(atHand: readonly Uint8Array[], iterator: AsyncIterator<Uint8Array>): AsyncIterable<Uint8Array> {
  const ahead = atHand.values();
  const rest: AsyncIterator<Uint8Array> = {
    next: async () => {
      const next = ahead.next();
      if (next.done !== true) return next;
      // Encoding is work for the processor: other calls get their turn between any two chunks.
      await new Promise((resolve) => setImmediate(resolve));
      return iterator.next();
    },
    return: async () => (await iterator.return?.()) ?? { done: true, value: undefined },
  };
  return { [Symbol.asyncIterator]: () => rest };
}

function joined(chunks: readonly Uint8Array[]): Uint8Array {
  const [first = new Uint8Array(0), ...others] = chunks;
  return others.length === 0 ? first : Buffer.concat(chunks);
}
